import type { Inventions } from '../inventions';
import { decimals } from './money';

/** What a BR Code says. */
export interface BrCodeContent {
  readonly uuid: string;
  readonly currency: string;
  readonly amount: number;
}

/** ISO 4217's numbers: the real's, and the one that stands for no currency. */
const BRL = '986';
const NO_CURRENCY = '999';

/**
 * The text of a Pix QR code: a BR Code, which is EMV's merchant-presented code. Well-formed, with a correct checksum,
 * and pointing at a host that does not exist.
 */
export function brCode(
  { uuid, currency, amount }: BrCodeContent,
  merchant: Inventions['qrCodeMerchant'],
): string {
  const fields = [
    field('00', '01'),
    // Made for one payment.
    field('01', '12'),
    field('26', field('00', 'br.gov.bcb.pix') + field('25', `${merchant.host}/${uuid}`)),
    field('52', '0000'),
    field('53', currency === 'BRL' ? BRL : NO_CURRENCY),
    amountField(amount, currency),
    field('58', 'BR'),
    field('59', merchant.name),
    field('60', merchant.city),
    field('62', field('05', '***')),
    // The checksum covers its own tag and length.
    '6304',
  ].join('');
  return fields + crc16(fields);
}

/** Tag, length, value. */
function field(tag: string, value: string): string {
  return tag + String(value.length).padStart(2, '0') + value;
}

/** Left out where there is nothing to pay, and where it does not fit into EMV's 13 characters (or is `1e+21`). */
function amountField(amount: number, currency: string): string {
  const text = amount.toFixed(decimals(currency));
  return amount > 0 && /^[\d.]{1,13}$/.test(text) ? field('54', text) : '';
}

/** CRC-16/CCITT-FALSE, as EMV asks for, in four hexadecimal digits. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

import { encode } from 'uqr';
import { crc16 } from '../../pix/br-code';
import { currencyDecimals } from '../../service/currency';
import type { Inventions } from '../inventions';
import { png } from './png';

/** The content of a BR Code. */
export interface BrCodeContent {
  readonly uuid: string;
  readonly currency: string;
  readonly amount: number;
  /** Whether a payment is made at once. `true` is journey 3 of Pix Automático, `false` journey 2. */
  readonly immediatePayment: boolean;
}

/** ISO 4217 numbers: the Brazilian real, and the number that means no currency. */
const BRL = '986';
const NO_CURRENCY = '999';

/** Marks a tag as one of Pix. */
const GUI = field('00', 'br.gov.bcb.pix');

/**
 * The text of a Pix QR code: a BR Code, EMV's merchant-presented code. It is the composite code of a recurrence, as in
 * the Central Bank's samples: tag 26 has the charge of an immediate payment, tag 80 the recurrence. The code is well
 * formed and its checksum is correct, but it points to a host that does not exist.
 */
export function brCode(
  { uuid, currency, amount, immediatePayment }: BrCodeContent,
  merchant: Inventions['qrCodeMerchant'],
): string {
  const fields = [
    field('00', '01'),
    // The code is valid for one payment only.
    immediatePayment ? field('01', '12') : '',
    field('26', GUI + (immediatePayment ? field('25', `${merchant.host}/${uuid}`) : '')),
    field('52', '0000'),
    field('53', currency === 'BRL' ? BRL : NO_CURRENCY),
    immediatePayment ? amountField(amount, currency) : '',
    field('58', 'BR'),
    field('59', merchant.name),
    field('60', merchant.city),
    field('62', field('05', '***')),
    field('80', GUI + field('25', `${merchant.host}/rec/${uuid}`)),
    // The checksum covers its own tag and length.
    '6304',
  ].join('');
  return fields + crc16(fields);
}

/** Tag, length, value. */
function field(tag: string, value: string): string {
  return tag + String(value.length).padStart(2, '0') + value;
}

/** Left out when there is nothing to pay, or when it does not fit into EMV's 13 characters (or is `1e+21`). */
function amountField(amount: number, currency: string): string {
  const text = amount.toFixed(currencyDecimals(currency) ?? 2);
  return amount > 0 && /^[\d.]{1,13}$/.test(text) ? field('54', text) : '';
}

const PIXELS_A_MODULE = 4;
/** The quiet zone that the standard asks for, in modules. */
const BORDER = 4;

/** The image of a QR code, as a PNG. */
export function qrImage(text: string): Uint8Array {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER });
  const width = size * PIXELS_A_MODULE;
  return png(width, width, (x, y) => {
    return data[Math.floor(y / PIXELS_A_MODULE)]?.[Math.floor(x / PIXELS_A_MODULE)] === true;
  });
}

/** Base64 of bytes, on every runtime. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

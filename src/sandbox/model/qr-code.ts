import { encode } from 'uqr';
import { crc16 } from '../../pix/br-code';
import { currencyDecimals } from '../../service/currency';
import { joinChunks } from '../../shared/bytes';
import type { Inventions } from '../inventions';

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

/** The quiet zone that the standard asks for, in modules. */
const BORDER = 4;
/** So that half a byte is a module's part of a line. */
const PIXELS_A_MODULE = 4;

/**
 * The image of a QR code, as a black-and-white PNG. Its pixels are not compressed, so that it needs no `node:zlib`, and
 * so that the bytes are the same on every runtime and version.
 */
export function qrImage(text: string): Uint8Array {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER });
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, size * PIXELS_A_MODULE);
  view.setUint32(4, size * PIXELS_A_MODULE);
  view.setUint8(8, 1); // One bit per pixel. The zeros: greyscale, deflate, filter byte per line, no interlacing.
  return joinChunks([
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', zlibStored(joinChunks(data.flatMap(scanlines)))),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** The lines of a row of modules: a filter byte (0: none), then a byte for two modules, where 1 is white. */
function scanlines(row: readonly boolean[]): Uint8Array[] {
  const line = new Uint8Array(1 + Math.ceil(row.length / 2));
  for (const [x, isBlack] of row.entries()) {
    const at = 1 + (x >> 1);
    if (!isBlack) line[at] = (line[at] ?? 0) | (x % 2 === 0 ? 0xf0 : 0x0f);
  }
  return Array(PIXELS_A_MODULE).fill(line);
}

/** Base64 of bytes, on every runtime. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** A zlib stream of stored blocks. */
function zlibStored(data: Uint8Array): Uint8Array {
  const largest = 0xffff;
  const parts: Uint8Array[] = [new Uint8Array([0x78, 0x01])];
  for (let at = 0; at < data.length; at += largest) {
    const block = data.subarray(at, at + largest);
    const last = at + largest >= data.length ? 1 : 0;
    const size = block.length;
    parts.push(new Uint8Array([last, size & 0xff, size >> 8, ~size & 0xff, (~size >> 8) & 0xff]), block);
  }
  parts.push(uint32(adler32(data)));
  return joinChunks(parts);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const typed = joinChunks([new TextEncoder().encode(type), data]);
  return joinChunks([uint32(data.length), typed, uint32(crc32(typed))]);
}

function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

function adler32(data: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (const byte of data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return ((b << 16) | a) >>> 0;
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

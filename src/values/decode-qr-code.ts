import { invalidArgument } from '../errors/argument-errors';
import type { QrCode } from '../service/operations/create-recurring-checkout';
import { isObject } from '../shared/objects';

/** The picture of a QR code. */
export interface QrCodeImage {
  /** The bytes of the image, to write to a file or to serve yourself. */
  readonly bytes: Uint8Array;
  /**
   * `image/png`, `image/jpeg`, `image/gif` or `image/webp`, detected from the first bytes; otherwise
   * `application/octet-stream`. What a `data:` prefix claims does not count.
   */
  readonly mediaType: string;
  /** The image as a URL, for the `src` of an `<img>`. Safe in an HTML attribute: it has no quotes and no brackets. */
  readonly dataUrl: string;
}

/**
 * Decodes the picture in `instructions.qrCode.base64` of a checkout (document section 2.2), with or without a `data:`
 * prefix. A journey may have no picture: show `plain` or `url` then.
 *
 * @param qrCode - `response.instructions.qrCode` of a checkout, or its `base64` alone
 * @returns the picture, or `undefined` if there is none
 * @throws `InvalidRequestError`, without an `outcome`, when `base64` is not Base64, or the argument is not a QR code
 */
export function decodeQrCode(qrCode: Pick<QrCode, 'base64'> | string): QrCodeImage | undefined {
  const base64 = normalize(base64Of(qrCode));
  if (base64 === '') return undefined;
  const bytes = toBytes(base64);
  const mediaType = detectMediaType(bytes);
  return { bytes, mediaType, dataUrl: `data:${mediaType};base64,${base64}` };
}

function base64Of(qrCode: Pick<QrCode, 'base64'> | string): string {
  if (typeof qrCode === 'string') return qrCode;
  if (!isObject(qrCode) || isObject(Reflect.get(qrCode, 'response') ?? Reflect.get(qrCode, 'qrCode'))) {
    throw invalidArgument('The QR code', {
      qrCode: 'expected `response.instructions.qrCode` of a checkout, `qrCode` of an order, or its `base64`',
    });
  }
  const { base64 } = qrCode;
  if (typeof (base64 ?? '') !== 'string')
    throw invalidArgument('The QR code', { base64: 'expected a string' });
  return base64 ?? '';
}

/** Removes a `data:` prefix. Line breaks, as in MIME, and the URL-safe alphabet must not stop a payment. */
function normalize(given: string): string {
  const encoded = /^data:/i.test(given) ? given.slice(given.indexOf(',') + 1) : given;
  // Split and join, because replacing takes three seconds when every character of 10 MiB is replaced.
  return encoded.split(/\s+/).join('').split('-').join('+').split('_').join('/');
}

function toBytes(base64: string): Uint8Array {
  let binary: string;
  try {
    binary = atob(base64);
  } catch {
    // The platform's error would not say which argument was wrong.
    throw invalidArgument('The QR code', { base64: 'expected Base64, not the `plain` text' });
  }
  // A loop, because `Uint8Array.from` takes a second for a picture of 10 MiB.
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

const SIGNATURES: ReadonlyArray<readonly [mediaType: string, matches: (start: string) => boolean]> = [
  ['image/png', (start) => start.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (start) => start.startsWith('\xff\xd8\xff')],
  ['image/gif', (start) => start.startsWith('GIF87a') || start.startsWith('GIF89a')],
  ['image/webp', (start) => start.startsWith('RIFF') && start.startsWith('WEBP', 8)],
];

function detectMediaType(bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  return SIGNATURES.find(([, matches]) => matches(start))?.[0] ?? 'application/octet-stream';
}

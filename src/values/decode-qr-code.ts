import { InvalidRequestError } from '../errors';
import type { QrCode } from '../schemas/checkout-response';

/** The picture of a QR code. */
export interface QrCodeImage {
  /** The bytes of the image, for a file or an answer of your own. */
  readonly bytes: Uint8Array;
  /** The image's media type, told by its first bytes, e.g. `image/png`. */
  readonly mediaType: string;
  /** The image as a URL, for the `src` of an `<img>`. */
  readonly dataUrl: string;
}

/**
 * The picture in `instructions.qrCode.base64` of a checkout (document section 2.2), with or without a `data:` prefix.
 *
 * @param qrCode - the QR code of a checkout's answer, or its `base64` alone
 * @throws `InvalidRequestError` when there is no `base64`, or it is none
 */
export function decodeQrCode(qrCode: Pick<QrCode, 'base64'> | string): QrCodeImage {
  const given = typeof qrCode === 'string' ? qrCode : qrCode.base64;
  if (!given) throw invalid(NO_IMAGE);
  const [, prefix = '', encoded = given] = /^data:([^,]*),(.*)$/is.exec(given) ?? [];
  const [declared = ''] = /^image\/[^;]*/i.exec(prefix) ?? [];
  // Line breaks, as MIME has them, and the URL-safe alphabet are harmless, so neither stops a payer from paying.
  const base64 = encoded.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/');
  const bytes = toBytes(base64);
  if (bytes.length === 0) throw invalid(NO_IMAGE);
  const mediaType = sniff(bytes) ?? (declared.toLowerCase() || 'application/octet-stream');
  return { bytes, mediaType, dataUrl: `data:${mediaType};base64,${base64}` };
}

const NO_IMAGE = 'expected image data; this QR code has none, so show `plain` or `url` instead';

function toBytes(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw invalid('expected Base64');
  }
}

const SIGNATURES: ReadonlyArray<readonly [mediaType: string, matches: (start: string) => boolean]> = [
  ['image/png', (start) => start.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (start) => start.startsWith('\xff\xd8\xff')],
  ['image/gif', (start) => start.startsWith('GIF8')],
  ['image/webp', (start) => start.startsWith('RIFF') && start.startsWith('WEBP', 8)],
  ['image/svg+xml', (start) => /^\s*(?:<\?xml.*)?<svg/s.test(start)],
];

function sniff(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 256));
  return SIGNATURES.find(([, matches]) => matches(start))?.[0];
}

function invalid(message: string): InvalidRequestError {
  return new InvalidRequestError('The QR code', [{ path: ['base64'], message }]);
}

// What schemas ask beyond a type. The generated guards call these functions by name, so each has an export of its own.

/** How long what identifies a thing, or its state, may be: stores keep it, and a sender must not be able to fill them. */
export const MAX_IDENTITY_LENGTH = 512;

/**
 * Whether a text came through whole. Bytes that are no UTF-8 become U+FFFD, and then two identities may be one, so that
 * the second is never acted on. Refused wherever it came from: a framework may have decoded the body already, and no
 * identity has that character.
 */
export function isUndamaged(text: string): boolean {
  return !text.includes('\uFFFD');
}

/** Whether a QR code has a form of its own to show: one is enough for the payer. */
export function isScannable(qrCode: {
  readonly url?: unknown;
  readonly base64?: unknown;
  readonly plain?: unknown;
}) {
  const isShown = (form: unknown) => typeof form === 'string' && form !== '';
  return (
    (Object.hasOwn(qrCode, 'plain') && isShown(qrCode.plain)) ||
    (Object.hasOwn(qrCode, 'base64') && isShown(qrCode.base64)) ||
    (Object.hasOwn(qrCode, 'url') && isShown(qrCode.url))
  );
}

/** A receipt may be null, or the text `null` (document section 6.4); both read as `null`. */
export function readReceipt<Receipt>(receipt: Receipt): Receipt | null {
  return receipt === 'null' ? null : receipt;
}

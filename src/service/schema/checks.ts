// What schemas ask beyond a type. The generated guards call these functions by name, so each is exported.

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

// The rest is what every generated guard (`guards.generated.ts`) is made of.

/** zod copies an object of a class, and leaves out a field called `__proto__`: both are left to the schema. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !Object.hasOwn(value, '__proto__')
  );
}

export function isMaybeText(value: unknown): boolean {
  return typeof value === 'string' || value === null || value === undefined;
}

export function isMaybeNumber(value: unknown): boolean {
  return Number.isFinite(value) || value === null || value === undefined;
}

export function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  if (!Array.isArray(value)) return false;
  // Not `every`, which skips what is missing.
  for (const item of value) if (!isItem(item)) return false;
  return true;
}

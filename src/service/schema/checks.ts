// The checks of schemas beyond types. The generated guards call these functions by name, so each is exported.

/** The longest identity or state: stores keep them, and a sender must not be able to fill a store. */
export const MAX_IDENTITY_LENGTH = 512;

/**
 * Whether a text arrived undamaged. Bytes that are not UTF-8 become U+FFFD, so two different identities could become
 * the same, and the second would never be acted on. Refused wherever it came from: a framework may have decoded the
 * body already, and no identity has that character.
 */
export function isUndamaged(text: string): boolean {
  return !text.includes('\uFFFD');
}

/** Whether a QR code has a form to show, as a property of its own: one is enough for the payer. */
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

// The other functions are the building blocks of every generated guard (`guards.generated.ts`).

/** Excludes class instances, which zod copies, and a `__proto__` field, which zod leaves out: the schema reads both. */
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
  // Not `every`, which skips holes.
  for (const item of value) if (!isItem(item)) return false;
  return true;
}

// The checks of schemas beyond types. The generated guards call these functions by name, so each is exported. They are
// not in `fields.ts`, because orders need one of them and must not load zod.

/** The longest identity or state: stores keep them, and a sender must not be able to fill a store. */
export const MAX_IDENTITY_LENGTH = 512;

/** The longest list that is read: a body of one mebibyte has room for half a million elements. */
export const MAX_LIST_LENGTH = 1_000;

export function isNotEmpty(text: string): boolean {
  return text !== '';
}

/** Whether a text is short enough for an identity or state, in UTF-16 units: zod counts code points. */
export function isShort(text: string): boolean {
  return text.length <= MAX_IDENTITY_LENGTH;
}

/**
 * Whether a text arrived undamaged. Bytes that are not UTF-8 become U+FFFD, so two different identities could become
 * the same, and the second would never be acted on. Refused wherever it came from: a framework may have decoded the
 * body already, and no identity has that character.
 */
export function isUndamaged(text: string): boolean {
  return !text.includes('\uFFFD');
}

/** Whether a value can be an identity or a state: of every source, a sender's and a merchant's own functions'. */
export function isIdentity(value: unknown): value is string {
  return typeof value === 'string' && isNotEmpty(value) && isShort(value) && isUndamaged(value);
}

/** Whether the QR code has at least one of plain, base64 and url. */
export function isScannable(qrCode: { plain?: unknown; base64?: unknown; url?: unknown }): boolean {
  const { plain, base64, url } = qrCode;
  return [plain, base64, url].some((form) => typeof form === 'string' && form !== '');
}

// The building blocks of every generated guard (`guards.generated.ts`).

export function isMaybeText(value: unknown): boolean {
  return typeof value === 'string' || value === null || value === undefined;
}

export function isMaybeNumber(value: unknown): boolean {
  return Number.isFinite(value) || value === null || value === undefined;
}

export function isListOf(value: unknown, isItem: (item: unknown) => boolean): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  // Not `every`, which skips holes.
  for (const item of value) if (!isItem(item)) return false;
  return true;
}

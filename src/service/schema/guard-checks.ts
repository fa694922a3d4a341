// What the generated guards (`guards.generated.ts`) are made of.

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

/** Whether a value is an object with fields, and not a list or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names the type of a value in a message, and never shows the value. */
export function nameOfType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The object that a text is the JSON of; `undefined` for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Copies the options that the caller gave. One that is `undefined` is left out, so that `{ confirm: undefined }` never
 * replaces a default. Only own properties count, and the copy has no prototype, so that a polluted `Object.prototype`
 * (`timeoutMs`, `signal`, `extraFields`) adds nothing.
 *
 * @param options - `undefined` and `null` mean no options
 */
export function ownOptions<Options extends object>(options: Options | null | undefined): Options {
  const own = Object.create(null);
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value !== undefined) own[name] = value;
  }
  return own;
}

/**
 * Merges `extra` into `base`: objects field by field, anything else as a whole. Neither is changed. A field named
 * `__proto__` becomes a field like any other, because `Object.fromEntries` defines fields instead of assigning them.
 */
export function mergeDeep(base: unknown, extra: unknown): unknown {
  if (!isObject(base) || !isPlainObject(extra)) return extra;
  const merged = Object.entries(extra).map(([key, value]): [string, unknown] => [
    key,
    Object.hasOwn(base, key) ? mergeDeep(Reflect.get(base, key), value) : value,
  ]);
  return Object.fromEntries([...Object.entries(base), ...merged]);
}

/** Whether a value is an object of no class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether a field has a value: JSON often has `null` for a missing one, also where the type leaves it out. */
export function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null;
}

/** Whether a value is a text with anything in it. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * `extra` merged into `base`: objects field by field, anything else as a whole. Neither is changed. A field named
 * `__proto__` becomes a field like any other, because `Object.fromEntries` defines and does not assign.
 */
export function mergeDeep(base: unknown, extra: unknown): unknown {
  if (typeof base !== 'object' || base === null || Array.isArray(base) || !isPlainObject(extra)) return extra;
  const merged = Object.entries(extra).map(([key, value]): [string, unknown] => [
    key,
    Object.hasOwn(base, key) ? mergeDeep(Reflect.get(base, key), value) : value,
  ]);
  return Object.fromEntries([...Object.entries(base), ...merged]);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

import { InvalidRequestError } from '../errors';
import type { ValidationIssue } from '../shared/validation-issue';

/**
 * The JSON of what is sent.
 *
 * @throws `InvalidRequestError` for what is not JSON, and for each value that JSON would lose: `Number('29,90')`, with a
 *   Brazilian comma, must not create a journey without an amount
 */
export function toJson(subject: string, make: () => unknown): string {
  const issues: ValidationIssue[] = [];
  const paths = new Map<unknown, readonly PropertyKey[]>();
  // `JSON.stringify` calls it for each value, after `toJSON`, with the object that holds the value as `this`.
  function check(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
    const parent = paths.get(this);
    // Nothing holds the whole value.
    const path = parent === undefined ? [] : [...parent, Array.isArray(this) ? Number(key) : key];
    if (typeof value === 'object') paths.set(value, path);
    if ((typeof value === 'number' || value instanceof Number) && !Number.isFinite(Number(value))) {
      issues.push({ path, message: 'expected a finite number, got NaN or infinity' });
    } else if (value === null && this[key] instanceof Date) {
      issues.push({ path, message: 'expected a valid date' });
    } else if (becomesEmpty(value)) {
      issues.push({ path, message: 'expected plain JSON, which a promise, a map or a set is not' });
    }
    return value;
  }
  let json: string | undefined;
  try {
    json = JSON.stringify(make(), check);
  } catch {
    // The platform's error would name fields of the merchant's own objects.
    throw new InvalidRequestError(subject, [
      { path: [], message: 'expected plain JSON: no cycles and no BigInt' },
    ]);
  }
  if (json === undefined)
    issues.push({ path: [], message: 'expected plain JSON, got nothing or a function' });
  if (json === undefined || issues.length > 0) throw new InvalidRequestError(subject, issues);
  return json;
}

/** JSON makes an empty object of it: `{ amount: getAmount() }`, with a forgotten `await`, would lose the amount. */
export function becomesEmpty(value: unknown): boolean {
  return value instanceof Promise || value instanceof Map || value instanceof Set;
}

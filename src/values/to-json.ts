import { InvalidRequestError } from '../errors/argument-errors';
import { isGiven, isPlainObject } from '../shared/objects';
import type { ValidationIssue } from '../shared/validation-issue';

/**
 * The JSON of what is sent.
 *
 * @throws `InvalidRequestError` for what is not JSON, and for each value that JSON would lose: `Number('29,90')`, with a
 *   Brazilian comma, must not create a journey without an amount
 * @param isHarmless - which names of fields the message may show
 */
export function toJson(
  subject: string,
  make: () => unknown,
  isHarmless: (name: PropertyKey) => boolean = () => true,
): string {
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
    } else if (!isGiven(value) && Object(this[key]) === this[key]) {
      // An invalid date is one, also of a library for dates.
      issues.push({
        path,
        message: 'expected a value, got an object whose toJSON gives none, as an invalid date does',
      });
    } else if (typeof value === 'bigint') {
      // Names of the merchant's own fields may be personal data.
      issues.push({ path: path.filter(isHarmless), message: 'expected a number, got a bigint' });
      return undefined;
    } else if (isLost(value) && key !== 'toJSON') {
      issues.push({
        path,
        message: 'expected plain JSON, which a function, a symbol, a promise or a map is not',
      });
    }
    return value;
  }
  let json: string | undefined;
  try {
    json = JSON.stringify(make(), check);
  } catch {
    // The platform's error would name fields of the merchant's own objects.
    throw new InvalidRequestError(subject, [{ path: [], message: 'expected plain JSON: no cycles' }]);
  }
  if (json === undefined && issues.length === 0) {
    issues.push({ path: [], message: 'expected plain JSON, got nothing' });
  }
  if (json === undefined || issues.length > 0) throw new InvalidRequestError(subject, issues, { isHarmless });
  return json;
}

/**
 * JSON leaves out a function or a symbol, and makes an empty object of what is not plain and has no fields: a promise
 * (`{ amount: getAmount() }`, with a forgotten `await`), a map, a form. An instance of a class has its fields.
 */
function isLost(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isPlainObject(value))
    return false;
  const isBoxed = value instanceof Number || value instanceof String || value instanceof Boolean;
  return !isBoxed && Object.keys(value).length === 0;
}

import { ConfigurationError, InvalidRequestError } from '../errors';
import type { Operation } from '../service/operations';
import { type Schema, validate } from '../service/schema';
import { mergeDeep, ownOptions } from '../shared/objects';
import { becomesEmpty, toJson } from '../values/to-json';
import type { BodyCallOptions } from './options';

/**
 * Builds the body of a call: the JSON of the request with `extraFields` merged in, validated exactly as it is sent. The
 * merge works on JSON, because `toJSON` and accessors of a merchant's classes decide which of their fields are public.
 *
 * @throws `InvalidRequestError` when a field is invalid, or when the request is not JSON
 * @throws `ConfigurationError` when `extraFields` is not an object
 */
export function requestBody<T>(
  operation: Operation,
  schema: Schema<T>,
  request: T,
  options: BodyCallOptions,
): string {
  const subject = `The request of ${operation.name}`;
  const { extraFields } = ownOptions(options);
  let body = toJson(subject, () => request);
  if (extraFields !== undefined && extraFields !== null) {
    if (typeof extraFields !== 'object' || Array.isArray(extraFields)) {
      throw new ConfigurationError(
        'Expected `extraFields` to be an object whose fields are added to the request.',
      );
    }
    const base: unknown = JSON.parse(body);
    body = toJson(subject, () => mergeDeep(base, toJsonFields(extraFields, '')));
  }
  const { issues } = validate(schema as Schema<unknown>, JSON.parse(body));
  if (issues !== undefined) throw new InvalidRequestError(subject, issues);
  return body;
}

/**
 * Reads a value as JSON does, `toJSON` and own fields only, but keeps fields that are `undefined`: merged into the
 * request, they remove the request's fields. Lists and scalars are left to `JSON.stringify`.
 *
 * @param key - the field's name, which is passed to `toJSON`
 */
function toJsonFields(value: unknown, key: string): unknown {
  // JSON leaves functions out. A function that was kept could be a `toJSON`, and would then be called a second time.
  if (typeof value === 'function') return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  // `toJson` refuses these, and an invalid date has become null once its own `toJSON` was called.
  if (value instanceof Date || becomesEmpty(value)) return value;
  const json: unknown = hasToJson(value) ? value.toJSON(key) : value;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, field]) => [name, toJsonFields(field, name)]));
}

function hasToJson(value: object): value is { toJSON(key: string): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function';
}

/**
 * The operation's path with its parameter inserted, percent-encoded.
 *
 * @throws `InvalidRequestError` for a parameter that is not text, is empty, or would lead to a different path
 */
export function pathOf(operation: Operation, parameter: string): string {
  const name = /\{(\w+)\}/.exec(operation.urlTemplate)?.[1] ?? '';
  const problem = problemWith(parameter);
  if (problem !== undefined) {
    throw new InvalidRequestError(`The call of ${operation.name}`, [{ path: [name], message: problem }]);
  }
  return operation.urlTemplate.replace(`{${name}}`, encodeURIComponent(parameter));
}

function problemWith(parameter: unknown): string | undefined {
  if (typeof parameter !== 'string') return 'expected a string';
  if (parameter === '') return 'expected a non-empty string';
  // Percent-encoding does not touch dots, and every URL parser resolves dot segments.
  if (parameter === '.' || parameter === '..') return 'expected an identifier, not a dot segment of a path';
  if (/\p{Surrogate}/u.test(parameter)) return 'expected well-formed Unicode';
  return undefined;
}

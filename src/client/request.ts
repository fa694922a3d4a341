import { type CallName, ConfigurationError, InvalidRequestError } from '../errors';
import type { Secrets } from '../service/credentials';
import type { Operation } from '../service/operations';
import { type Schema, type Validation, validate } from '../service/schema';
import { isObject, mergeDeep, ownOptions } from '../shared/objects';
import { becomesEmpty, toJson } from '../values/to-json';
import type { BodyCallOptions } from './options';
import type { Message } from './transport';

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
  const problem = problemWithParameter(parameter);
  if (problem !== undefined) {
    throw new InvalidRequestError(`The call of ${operation.name}`, [{ path: [name], message: problem }]);
  }
  return operation.urlTemplate.replace(`{${name}}`, encodeURIComponent(parameter));
}

function problemWithParameter(parameter: unknown): string | undefined {
  if (typeof parameter !== 'string') return 'expected a string';
  if (parameter === '') return 'expected a non-empty string';
  // Percent-encoding does not touch dots, and every URL parser resolves dot segments.
  if (parameter === '.' || parameter === '..') return 'expected an identifier, not a dot segment of a path';
  if (/\p{Surrogate}/u.test(parameter)) return 'expected well-formed Unicode';
  return undefined;
}

/** A call that the service's document does not show. Ask the service for its form. */
export interface UndocumentedRequest<T = unknown> {
  /** The HTTP method. Only `GET` is retried after failures other than 429. */
  readonly method: string;
  /**
   * The path below `baseUrl`, percent-encoded, starting with `/`. It becomes part of errors and events, so keep personal
   * data out of it.
   *
   * @example '/v1.1/refunds/7d1f2a90-3c54-4c8e-9a55-5f3f1c0f6a11'
   */
  readonly path: string;
  /** The parameters of the query. A parameter that is `undefined` is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** What to send as JSON. */
  readonly body?: unknown;
  /**
   * Validates the parsed body of the response: zod, valibot, arktype, or any other Standard Schema. An asynchronous one
   * gets the time that is left of `totalTimeoutMs`.
   */
  readonly schema?: Schema<unknown, T> | undefined;
}

/**
 * Turns the request into what is sent.
 *
 * @throws `InvalidRequestError` for a request that cannot be sent, or would go to another path or host
 */
export function messageOf<T>(given: UndocumentedRequest<T>, baseUrl: string, secrets: Secrets): Message<T> {
  const { method, path, query, body, schema } = ownOptions(given);
  if (typeof method !== 'string' || !/^[a-z]+$/i.test(method) || /^(?:connect|trace|track)$/i.test(method)) {
    throw refused('method', 'expected an HTTP method, such as GET or POST');
  }
  const verb = method.toUpperCase();
  const problem = problemWithPath(path, baseUrl);
  if (problem !== undefined) throw refused('path', problem);
  if (body !== undefined && (verb === 'GET' || verb === 'HEAD')) {
    throw refused('body', `expected none, because a ${verb} has no body`);
  }
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function') {
    throw new ConfigurationError(
      'Expected `schema` to be a Standard Schema, such as one of zod, valibot or arktype.',
    );
  }
  const template = secrets.redact(path);
  const name: CallName = `${verb} ${template as `/${string}`}`;
  return {
    operation: { name, method: verb, urlTemplate: template, uuidPaths: [['response', 'uuid'], ['uuid']] },
    path: path + queryOf(query),
    ...(body !== undefined && { body: toJson('The body of client.request', () => body) }),
    mayBeAnything: true,
    read: (response) => readBy(schema, response),
  };
}

function refused(field: string, message: string): InvalidRequestError {
  return new InvalidRequestError('The call of client.request', [{ path: [field], message }]);
}

function problemWithPath(path: unknown, baseUrl: string): string | undefined {
  if (typeof path !== 'string' || !/^\/(?!\/)/.test(path)) return 'expected text that starts with one /';
  if (/[?#]/.test(path))
    return 'expected a path without a query or a fragment. Pass the parameters as `query`';
  // URL parsers resolve dot segments, percent-encoded ones too, turn \ into /, and drop line breaks.
  const url = baseUrl + path;
  if (!URL.canParse(url) || new URL(url).href !== url) {
    return 'expected a percent-encoded path without dot segments. Use encodeURIComponent for each identifier';
  }
  return undefined;
}

function queryOf(query: UndocumentedRequest['query']): string {
  // Lists, maps and `URLSearchParams` have no fields of their own, and their parameters would be lost.
  if (query !== undefined && (!isObject(query) || Symbol.iterator in query)) {
    throw refused('query', 'expected an object with the parameters');
  }
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    const isText = typeof value === 'string' || typeof value === 'boolean';
    if (!isText && !Number.isFinite(value)) {
      throw new InvalidRequestError('The call of client.request', [
        { path: ['query', name], message: 'expected a string, a finite number or a boolean' },
      ]);
    }
    parameters.append(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

async function readBy<T>(schema: Schema<unknown, T> | undefined, response: unknown): Promise<Validation<T>> {
  if (schema === undefined) return { value: response as T, leftOut: [] };
  const result = await schema['~standard'].validate(response);
  // Awaited here, where a rejection is caught, and not by the caller of the client.
  if (result.issues === undefined) return { value: await result.value, leftOut: [] };
  // Keep only the paths: the validator's messages may quote the value, which may be personal data.
  const issues = result.issues.map(({ path = [] }) => ({
    path: path.map((segment) => (typeof segment === 'object' ? segment.key : segment)),
    message: 'refused by your schema',
  }));
  return { issues };
}

import type * as z from 'zod/mini';
import { InvalidRequestError } from '../errors/argument-errors';
import { ConfigurationError } from '../errors/configuration-error';
import type { Secrets } from '../service/credentials';
import type { CallName, Operation } from '../service/operations';
import { type Schema, type Validation, validate } from '../service/schema';
import { isGiven, isObject, nameOfType } from '../shared/objects';
import type { ValidationIssue } from '../shared/validation-issue';
import { type OptionNames, problemWithParameter, readNamedOptions } from '../values/option-checks';
import { toJson } from '../values/to-json';
import type { Message } from './interpret';
import { BODY_CALL_OPTIONS, type BodyCallOptions } from './options';

/**
 * Builds the body of a call: the JSON of the request with `extraFields` beside its own, validated exactly as it is sent.
 *
 * @throws `InvalidRequestError` when a field is invalid, when the request is not JSON, and when `extraFields` has a field
 *   of the request or of the document
 * @throws `ConfigurationError` when `extraFields` is not an object
 */
export function requestBody<T>(
  operation: Operation,
  schema: Schema<T>,
  object: z.core.$ZodObject,
  request: T,
  options: BodyCallOptions,
): string {
  const subject = `The request of ${operation.name}`;
  const isDocumented = (name: PropertyKey) => fieldsOf(object).has(String(name));
  if (!isObject(request)) {
    const [first] = Object.keys(object._zod.def.shape);
    const isText = typeof request === 'string';
    const json = isText ? '. Of JSON, pass what `JSON.parse` gives' : '';
    const message = `expected an object, \`{ ${first}: … }\`, got ${nameOfType(request)}${json}`;
    throw new InvalidRequestError(subject, [{ path: [], message }]);
  }
  const { extraFields } = readNamedOptions(operation.name, options, BODY_CALL_OPTIONS, '…, ');
  let body = toJson(subject, () => request, isDocumented);
  const misplaced = misplacedFields(JSON.parse(body), object);
  if (misplaced.length > 0) throw new InvalidRequestError(subject, misplaced);
  if (isGiven(extraFields)) {
    // What they are is what they are sent as: a date is a text.
    const extra: unknown = JSON.parse(toJson(subject, () => extraFields, isDocumented));
    if (!isObject(extra)) {
      throw new ConfigurationError(
        'Expected `extraFields` to be an object whose fields are added to the request.',
      );
    }
    const parsed: unknown = JSON.parse(body);
    // Anything but an object is refused below.
    const own = isObject(parsed) ? parsed : {};
    const taken = Object.keys(extra).filter(
      (name) => Object.hasOwn(own, name) || Object.hasOwn(object._zod.def.shape, name),
    );
    if (taken.length > 0) {
      const message = 'expected a field that the request does not have: put this one into the request';
      throw new InvalidRequestError(
        subject,
        taken.map((name) => ({ path: [name], message })),
      );
    }
    // Not by assignment: a field named `__proto__` is a field like any other.
    if (own === parsed)
      body = JSON.stringify(Object.fromEntries([...Object.entries(own), ...Object.entries(extra)]));
  }
  const { issues } = validate(schema as Schema<unknown>, JSON.parse(body));
  if (issues !== undefined) throw new InvalidRequestError(subject, issues);
  return body;
}

/**
 * Fields that the document has at another place: with a flat `periodicity`, the journey would have no end. Any other
 * field is sent, because the service may know it.
 */
function misplacedFields(body: unknown, object: z.core.$ZodType): ValidationIssue[] {
  const paths = pathsOf(object);
  const issues: ValidationIssue[] = [];
  const walk = (value: unknown, at: readonly string[]) => {
    if (!isObject(value)) return;
    for (const [name, field] of Object.entries(value)) {
      const path = [...at, name];
      const places = paths.filter((place) => place.at(-1) === name).map((place) => place.join('.'));
      if (paths.some((place) => place.join('.') === path.join('.'))) walk(field, path);
      else if (isGiven(field) && places.length > 0) {
        issues.push({ path, message: `expected at ${places.join(' or ')}` });
      }
    }
  };
  walk(body, []);
  return issues;
}

/** The path of each field of a schema. */
function pathsOf(type: z.core.$ZodType, at: readonly string[] = []): (readonly string[])[] {
  const { shape, innerType } = partsOf(type);
  if (innerType !== undefined) return pathsOf(innerType, at);
  return Object.entries(shape).flatMap(([name, field]) => {
    const path = [...at, name];
    return [path, ...pathsOf(field, path)];
  });
}

function partsOf({ _zod }: z.core.$ZodType) {
  const { shape = {}, innerType } = _zod.def as {
    readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
    readonly innerType?: z.core.$ZodType;
  };
  return { shape, innerType };
}

/** The names of the fields of a request's schema, on every level. */
export function fieldsOf(object: z.core.$ZodType): ReadonlySet<string> {
  return new Set(pathsOf(object).flat());
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

/** A call that the service's document does not show. Ask the service for its form. */
export interface UndocumentedRequest<T = unknown> {
  /** The HTTP method. A `GET` is retried like a query: pass `maxRetries: 0` for one that acts. Any other only on 429. */
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

const REQUEST_OPTIONS: OptionNames<UndocumentedRequest> = {
  method: true,
  path: true,
  query: true,
  body: true,
  schema: true,
};

/**
 * Turns the request into what is sent.
 *
 * @throws `InvalidRequestError` for a request that cannot be sent, or would go to another path or host
 */
export function messageOf<T>(given: UndocumentedRequest<T>, baseUrl: string, secrets: Secrets): Message<T> {
  const { method, path, query, body, schema } = readNamedOptions<UndocumentedRequest<T>>(
    'client.request',
    given,
    REQUEST_OPTIONS,
  );
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
    ...(body !== undefined && {
      body: toJson(
        'The body of client.request',
        () => body,
        () => false,
      ),
    }),
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
      throw new InvalidRequestError(
        'The call of client.request',
        [{ path: ['query', name], message: 'expected a string, a finite number or a boolean' }],
        { isHarmless: (name) => name === 'query' },
      );
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
    path: path.map((segment) => keyOf(typeof segment === 'object' ? segment.key : segment)),
    message: 'refused by your schema',
  }));
  return { issues };
}

/** A validator that does not keep to the standard may give anything. */
function keyOf(segment: unknown): PropertyKey {
  return typeof segment === 'number' || typeof segment === 'symbol' ? segment : String(segment);
}

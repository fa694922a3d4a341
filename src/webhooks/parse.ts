import {
  ConfigurationError,
  InvalidNotificationError,
  type ValidationIssue,
  WebhookAuthenticationError,
} from '../errors';
import { isShort, isUndamaged, MAX_IDENTITY_LENGTH } from '../service/checks';
import type { Credentials } from '../service/credentials';
import { type DocumentedNotification, documentedKinds } from '../service/notifications';
import type { DocumentedKind, ReadNotification } from '../service/notifications/notification';
import { validate } from '../service/schema';
import { isBytes, utf8 } from '../shared/bytes';
import { isObject } from '../shared/objects';
import { checkAuthorization } from './authorization';
import { encodePart, type Identity, identify, identifyUnrecognized } from './key';
import { type AnyDefinition, checkKinds, type Notification, type UnrecognizedNotification } from './kinds';

/** A notification as received. */
export interface NotificationInput<Kinds extends readonly AnyDefinition[] = readonly []> extends QuerySource {
  /** The body: text, bytes, or what a body parser made of it. */
  readonly body: unknown;
  /** Your own kinds, made with `defineNotification`. */
  readonly kinds?: Kinds | undefined;
}

/** A notification as received, with the header that proves that the service sent it. */
export interface SignedNotificationInput<Kinds extends readonly AnyDefinition[] = readonly []>
  extends NotificationInput<Kinds> {
  /** The value of the `Authorization` header. */
  readonly authorization: string | null | undefined;
}

/**
 * Parses a notification and recognizes its kind (document section 6). It does not check who sent it;
 * {@link constructNotification} does.
 *
 * @throws `InvalidNotificationError` if the body is not a JSON object, contradicts its query flags, or lacks the
 *   identity or state of its kind: text of at most 512 characters, without U+FFFD. All other fields are optional and
 *   may be null. An unknown field is kept. A field of another type than documented is left out of `payload` and named
 *   in `issues`.
 * @throws `ConfigurationError` if the input is not an object, or a kind of yours cannot work: an asynchronous schema
 */
export function parseNotification<const Kinds extends readonly AnyDefinition[] = readonly []>(
  input: NotificationInput<Kinds>,
): Notification<Kinds> {
  assertInput(input, 'parseNotification({ url, body })');
  if (input.kinds !== undefined) checkKinds(input.kinds);
  const raw = readJsonObject(input.body);
  const result = recognize(raw, input, input.kinds);
  if (result.issues !== undefined) {
    const { issues } = result;
    throw new InvalidNotificationError('The notification does not fit the kind it seems to be.', {
      issues,
      body: input.body,
    });
  }
  return result.notification;
}

/**
 * Checks who sent a notification, then parses it (document sections 5 and 6). For listeners where
 * `createWebhookHandler` does not fit. Unlike the handler, it does not detect duplicates: do that yourself, by `key`.
 *
 * @throws `WebhookAuthenticationError` if the credentials are not yours: answer 401
 * @throws `InvalidNotificationError` as `parseNotification` does: answer 400
 * @throws `ConfigurationError` as `parseNotification` does, and for credentials that cannot work
 */
export function constructNotification<const Kinds extends readonly AnyDefinition[] = readonly []>(
  input: SignedNotificationInput<Kinds>,
  credentials: Credentials | readonly Credentials[],
): Notification<Kinds> {
  assertInput(input, 'constructNotification({ authorization, url, body }, credentials)');
  const check = checkAuthorization(input.authorization, credentials);
  if (!check.ok) throw new WebhookAuthenticationError(check.reason);
  return parseNotification(input);
}

/** Refuses a body text that is passed alone, instead of as `body`. */
function assertInput(input: unknown, usage: string): void {
  if (typeof input !== 'object' || input === null) {
    throw new ConfigurationError(`Expected \`${usage}\`: the body goes into \`body\`.`);
  }
}

/** Returns the JSON object that a body is or contains. */
export function readJsonObject(body: unknown): JsonObject {
  const value = parseJson(body);
  if (!isObject(value)) {
    const issues = [{ path: [], message: 'expected a JSON object' }];
    throw new InvalidNotificationError('The body cannot be read.', { issues, body });
  }
  return value;
}

function parseJson(body: unknown): unknown {
  const text = isBytes(body) ? utf8.decode(body) : body;
  if (typeof text !== 'string') return body;
  try {
    // `JSON.parse` refuses a byte order mark.
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** A JSON object, as a body holds it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A notification with its identity. */
export interface Recognized<Given> {
  readonly notification: Given;
  readonly identity: Identity;
  readonly issues?: undefined;
}

/** Why a body is not of the kind it seems to be. */
export interface Refused {
  readonly issues: readonly ValidationIssue[];
}

/** Recognizes the notification in a body; tries the merchant's own kinds first. */
export function recognize<Kinds extends readonly AnyDefinition[]>(
  raw: JsonObject,
  source: QuerySource,
  kinds: Kinds | undefined,
): Recognized<Notification<Kinds>> | Refused {
  if (kinds !== undefined && kinds.length > 0) {
    const query = readQuery(source);
    const own = kinds.find(({ match }) => match(raw, query));
    if (own !== undefined) return recognizeOwn(raw, own) as Recognized<Notification<Kinds>> | Refused;
  }
  return recognizeDocumented(raw, source);
}

function recognizeDocumented(
  raw: JsonObject,
  source: QuerySource,
): Recognized<DocumentedNotification | UnrecognizedNotification> | Refused {
  const kind = chooseKind(raw, source);
  if (kind === 'unrecognized') return recognizeNone(raw);
  if ('issues' in kind) return kind;
  // The functions of a kind take that kind's payload. Its own `schema` makes the payload, so they fit.
  return readPayload(raw, kind as DocumentedKind<AnyDocumented>) as
    | Recognized<DocumentedNotification>
    | Refused;
}

/** Makes the notification for a body of no known kind, or with issues that keep it from being of one. */
export function recognizeNone(
  raw: JsonObject,
  issues?: readonly ValidationIssue[],
): Recognized<UnrecognizedNotification> {
  const identity = identifyUnrecognized(raw);
  const notification: UnrecognizedNotification = { kind: 'unrecognized', raw, key: identity.key };
  return { notification: issues === undefined ? notification : { ...notification, issues }, identity };
}

type AnyDocumented = ReadNotification & { readonly kind: string; readonly payload: unknown };

function readPayload(
  raw: JsonObject,
  { kind, schema, subjectKind, subject, state }: DocumentedKind<AnyDocumented>,
): Recognized<AnyDocumented> | Refused {
  const result = validate(schema, raw);
  if (result.issues !== undefined) return result;
  const { value: payload, leftOut } = result;
  const identity = identify(subjectKind, subject(payload), state(payload));
  const notification = { kind, payload, raw, key: identity.key };
  // Nearly all notifications are as documented, and have no field `issues`.
  return {
    notification: leftOut.length === 0 ? notification : { ...notification, issues: leftOut },
    identity,
  };
}

function recognizeOwn(raw: JsonObject, { kind, schema, subject, state }: AnyDefinition) {
  const result = schema['~standard'].validate(raw);
  if (result instanceof Promise) {
    // Nothing awaits this promise, and an unhandled rejection would end the process.
    result.catch(() => undefined);
    throw new ConfigurationError(`Expected the schema of your kind \`${kind}\` to be synchronous.`);
  }
  if (result.issues !== undefined) {
    // Keep only the paths: the validator's messages may quote the value, which may be personal data.
    const issues = result.issues.map(({ path = [] }) => ({
      path: path.map((segment) => (typeof segment === 'object' ? segment.key : segment)),
      message: `refused by the schema of your kind ${kind}`,
    }));
    return { issues };
  }
  const id: unknown = subject(result.value);
  const states: readonly unknown[] = state === undefined ? [] : [state(result.value)];
  if (![id, ...states].every(isIdentifying)) {
    const message =
      `expected the subject and state of your kind ${kind} to be non-empty text of at most ` +
      `${MAX_IDENTITY_LENGTH} characters, without U+FFFD, which stands for bytes that are no UTF-8`;
    return { issues: [{ path: [], message }] };
  }
  const identity = identify(encodePart(kind), String(id), states.map(String));
  return { notification: { kind, payload: result.value, raw, key: identity.key }, identity };
}

/** For documented kinds, the schema checks the same. */
function isIdentifying(part: unknown): boolean {
  return typeof part === 'string' && part !== '' && isShort(part) && isUndamaged(part);
}

type Kinds = readonly (typeof documentedKinds)[number][];

/**
 * Finds the documented kind of a body by the query flags, or by the body's shape if there are none (queues and gateways
 * drop queries). Returns contradictions as issues and never guesses: a refund taken for a payment would ship goods.
 */
function chooseKind(
  body: Readonly<Record<string, unknown>>,
  source: QuerySource,
): Kinds[number] | 'unrecognized' | { readonly issues: readonly ValidationIssue[] } {
  const fromQuery = kindsOfQuery(source);
  if (fromQuery.length > 1) {
    return contradiction(`expected query flags of one kind, got those of ${labelsOf(fromQuery)}`);
  }
  const [kind] = fromQuery;
  if (kind?.match(body)) return kind;
  const fromBody = documentedKinds.filter(({ match }) => match(body));
  if (kind === undefined) {
    if (fromBody.length > 1) {
      return contradiction(`expected a body of one kind, got those of ${labelsOf(fromBody)}`);
    }
    return fromBody[0] ?? 'unrecognized';
  }
  if (fromBody.length > 0) {
    return contradiction(
      `expected the body of a ${kind.label}, as the query flags say, got that of a ${labelsOf(fromBody)}`,
    );
  }
  return kind;
}

function kindsOfQuery(source: QuerySource): Kinds {
  // The service's own spelling, which nearly all notifications have, needs no parsing.
  const text = source.query === undefined ? queryOf(source.url) : undefined;
  if (text === '') return [];
  const asSent = documentedKinds.find(({ query }) => query === text);
  if (asSent !== undefined) return [asSent];
  const query = readQuery(source);
  // Look at every value of a repeated parameter: the merchant's own `type` may come before the service's.
  return documentedKinds.filter(
    ({ flag }) =>
      flag !== undefined && (query.getAll(flag).includes('true') || query.getAll('type').includes(flag)),
  );
}

function labelsOf(kinds: Kinds): string {
  return kinds.map(({ label }) => label).join(' and ');
}

function contradiction(message: string): { issues: readonly ValidationIssue[] } {
  return { issues: [{ path: [], message }] };
}

/** Query parameters, in the forms that frameworks give them. */
export type QueryInput =
  | string
  | URLSearchParams
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Where a notification's query parameters are. */
export interface QuerySource {
  /** The URL it was sent to, or its path; only the query is read. */
  readonly url?: string | URL | undefined;
  /** The query parameters, if something has parsed them already. */
  readonly query?: QueryInput | undefined;
}

/** Returns the query parameters of the URL and of the parsed query, whichever are given. */
export function readQuery({ url, query }: QuerySource): URLSearchParams {
  const parameters = new URLSearchParams(queryOf(url));
  for (const [name, value] of entriesOf(query)) parameters.append(name, value);
  return parameters;
}

/** Returns the query of a URL. Not by `new URL`: `req.url` is only a path, and the errors of `URL` quote it. */
function queryOf(url: string | URL | undefined): string {
  if (url === undefined) return '';
  const whole = String(url);
  const mark = whole.indexOf('?');
  if (mark === -1) return '';
  const hash = whole.indexOf('#');
  // A question mark after the hash belongs to the fragment: the slice is then empty.
  return hash === -1 ? whole.slice(mark + 1) : whole.slice(mark + 1, hash);
}

function entriesOf(query: QueryInput | undefined): Iterable<[string, string]> {
  if (query === undefined) return [];
  if (typeof query === 'string' || query instanceof URLSearchParams) return new URLSearchParams(query);
  return Object.entries(query).flatMap(([name, values]) =>
    [values ?? []]
      .flat()
      // Express's qs turns `type[toString]=x` into an object for which `String` throws.
      .filter((value) => typeof value !== 'object')
      .map((value): [string, string] => [name, String(value)]),
  );
}

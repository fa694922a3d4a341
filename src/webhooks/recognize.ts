import { ConfigurationError } from '../errors/configuration-error';
import { InvalidNotificationError } from '../errors/listener-errors';
import { isIdentity, MAX_IDENTITY_LENGTH } from '../service/checks';
import { documentedKinds } from '../service/notifications';
import type { DocumentedKind, ReadNotification } from '../service/notifications/notification';
import { validate } from '../service/schema';
import { isBytes, utf8 } from '../shared/bytes';
import { isObject } from '../shared/objects';
import type { ValidationIssue } from '../shared/validation-issue';
import type { Task } from './cause';
import { encodePart, type Identity, identify, identifyUnrecognized } from './key';
import type { AnyDefinition, Notification, UnrecognizedNotification } from './kinds';
import type { Failure } from './outcome';

/** Returns the text of a body of bytes; any other body is returned as it is. */
export function decodeBody(body: unknown): unknown {
  return isBytes(body) ? utf8.decode(body) : body;
}

/** Returns the JSON object that a body is or contains. */
export function readJsonObject(body: unknown, decoded = decodeBody(body)): JsonObject {
  let value = decoded;
  try {
    // `JSON.parse` refuses a byte order mark.
    if (typeof value === 'string') value = JSON.parse(value.startsWith('\uFEFF') ? value.slice(1) : value);
  } catch {
    // A text is no object.
  }
  const unread = isObject(value) ? unreadForm(value) : '';
  if (isObject(value) && unread === '') return value;
  const issues = [{ path: [], message: `expected a JSON object${unread}` }];
  throw new InvalidNotificationError('The body cannot be read.', { issues, body });
}

/** What is passed in place of a body: JSON has no functions. */
function unreadForm({ then, json }: JsonObject): string {
  if (typeof then === 'function') return ', got a promise: `await` it';
  return typeof json === 'function' ? ', got a request: pass `await request.text()`' : '';
}

/** A JSON object, as a body holds it. */
type JsonObject = Readonly<Record<string, unknown>>;

/** A notification with its identity. */
export interface Recognized<Given> {
  readonly notification: Given;
  readonly identity: Identity;
  /** Why the body is not of the kind it seems to be. The notification is `unrecognized` then, and has them too. */
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** What is wrong with a body. */
interface Refused {
  readonly issues: readonly ValidationIssue[];
}

/** Recognizes the notification in a body; tries the merchant's own kinds first. */
export function recognize<Kinds extends readonly AnyDefinition[]>(
  raw: JsonObject,
  source: QuerySource,
  kinds: Kinds | undefined,
): Recognized<Notification<Kinds>> {
  const own = kinds !== undefined && kinds.length > 0 ? ownKind(raw, source, kinds) : undefined;
  const read = own === undefined ? readDocumented(raw, source) : readOwn(raw, own);
  if (read === 'unrecognized') return unrecognized(raw);
  if ('issues' in read) return unrecognized(raw, read.issues);
  return read as Recognized<Notification<Kinds>>;
}

/** A notification as it is acted on: with `createOrders`, a body of no known kind may mean a payment. */
export interface Meant extends Recognized<Task['notification']> {
  /** What `asPayment` threw. */
  readonly failure?: Failure;
  /** Whether it is what `asPayment` has made of a body of no known kind. */
  readonly isMeant?: boolean;
}

/** The notification of a body of no known kind, or with issues that keep it from being of one. */
function unrecognized(
  raw: JsonObject,
  issues?: readonly ValidationIssue[],
): Recognized<UnrecognizedNotification> {
  const identity = identifyUnrecognized(raw);
  const notification: UnrecognizedNotification = { kind: 'unrecognized', raw, key: identity.key };
  if (issues === undefined) return { notification, identity };
  return { notification: { ...notification, issues }, identity, issues };
}

type AnyDocumented = ReadNotification & { readonly kind: string; readonly payload: unknown };

function readDocumented(
  raw: JsonObject,
  source: QuerySource,
): Recognized<AnyDocumented> | Refused | 'unrecognized' {
  const chosen = chooseKind(raw, source);
  if (chosen === 'unrecognized' || 'issues' in chosen) return chosen;
  // The functions of a kind take that kind's payload. Its own `schema` makes the payload, so they fit.
  const { kind, schema, subjectKind, subject, state } = chosen as DocumentedKind<AnyDocumented>;
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

function ownKind(
  raw: JsonObject,
  source: QuerySource,
  kinds: readonly AnyDefinition[],
): AnyDefinition | undefined {
  const query = readQuery(source);
  return kinds.find(({ match }) => match(raw, query));
}

function readOwn(raw: JsonObject, { kind, schema, subject, state }: AnyDefinition) {
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
  if (![id, ...states].every(isIdentity)) {
    const message =
      `expected the subject and state of your kind ${kind} to be non-empty text of at most ` +
      `${MAX_IDENTITY_LENGTH} characters, without U+FFFD, which stands for bytes that are no UTF-8`;
    return { issues: [{ path: [], message }] };
  }
  const identity = identify(encodePart(kind), String(id), states.map(String));
  return { notification: { kind, payload: result.value, raw, key: identity.key }, identity };
}

type Kinds = readonly (typeof documentedKinds)[number][];

/**
 * Finds the documented kind of a body by the query flags. If there are none (queues and gateways drop queries), a body is
 * of the first kind that it has the shape of: a paid sale is a sale, whatever fields of other kinds it has. Only a flag
 * can contradict a body, and then nothing is guessed: a refund taken for a payment would ship goods.
 */
function chooseKind(
  body: Readonly<Record<string, unknown>>,
  source: QuerySource,
): Kinds[number] | 'unrecognized' | { readonly issues: readonly ValidationIssue[] } {
  const fromQuery = kindsOfQuery(source);
  if (fromQuery.length > 1) {
    const labels = fromQuery.map(({ label }) => label).join(' and ');
    return contradiction(`expected query flags of one kind, got those of ${labels}`);
  }
  const [kind] = fromQuery;
  if (kind?.match(body)) return kind;
  const fromBody = documentedKinds.find(({ match }) => match(body));
  if (kind === undefined) return fromBody ?? 'unrecognized';
  if (fromBody === undefined) return kind;
  return contradiction(
    `expected the body of a ${kind.label}, as the query flags say, got that of a ${fromBody.label}`,
  );
}

const kindsAsSent: ReadonlyMap<string, Kinds[number]> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ documentedKinds.flatMap((kind) =>
    kind.flag === undefined ? [] : [[kind.query, kind] as const, [`${kind.flag}=true`, kind] as const],
  ),
);

function kindsOfQuery(source: QuerySource): Kinds {
  // The service's own spellings need no parsing: a failed payout has `payout=true` alone.
  const text = source.query === undefined ? queryOf(source.url) : undefined;
  if (text === '') return [];
  const asSent = text === undefined ? undefined : kindsAsSent.get(text);
  if (asSent !== undefined) return [asSent];
  const query = readQuery(source);
  // Look at every value of a repeated parameter: the merchant's own `type` may come before the service's.
  return documentedKinds.filter(
    ({ flag }) =>
      flag !== undefined && (query.getAll(flag).includes('true') || query.getAll('type').includes(flag)),
  );
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

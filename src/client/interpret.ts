import {
  AbortedError,
  ApiError,
  advice,
  type CallContext,
  type CallError,
  ConnectionError,
  InvalidResponseError,
  type ServiceError,
  serviceErrorsOf,
  TimeoutError,
} from '../errors/call-errors';
import type { Outcome } from '../errors/payments-error';
import type { Secrets } from '../service/credentials';
import { findUuids } from '../service/find-uuid';
import type { CallName, Operation } from '../service/operations';
import { noteLeftOut, type Validation } from '../service/schema';
import { isObject } from '../shared/objects';
import { TOO_LARGE } from '../shared/read-body';
import { ABORTED, inTimeOrAborted } from '../shared/time';
import { summarize, type ValidationIssue } from '../shared/validation-issue';
import { isLoopback } from './base-url';
import { describeConnectionFailure, NO_TLS, UNFIT } from './connection-failure';
import type { ResolvedLimits } from './options';
import { parseRetryAfter, refusesPair, retryDelayMs } from './retry';

/** What to send, and how to read the response. */
export interface Message<T> {
  readonly operation: Pick<Operation, 'urlTemplate' | 'uuidPaths'> & {
    readonly name: CallName;
    readonly method: string;
  };
  /** With its parameters, and with a query if there is one. */
  readonly path: string;
  readonly body?: string;
  /** The uuid of the transaction that a query asks about. Its response must not name another one. */
  readonly asked?: string;
  /** Whether a success may be any JSON, or nothing, and not only an object. */
  readonly mayBeAnything?: boolean;
  /** The names of the fields that the document lists for the request; missing if it lists none. */
  readonly documentedFields?: () => ReadonlySet<string>;
  /** Validates the parsed body of a success. */
  readonly read: (body: unknown) => Validation<T> | Promise<Validation<T>>;
}

/** One call. Nothing in it changes. */
export interface Call<T> extends Message<T> {
  readonly baseUrl: string;
  readonly limits: ResolvedLimits;
  readonly signal: AbortSignal | undefined;
  /** When `totalTimeoutMs` is over, by `performance.now()`. */
  readonly deadline: number;
  readonly secrets: Secrets;
}

/** What one attempt gave, for the call and for the observers. An error describes the earlier attempts, too. */
export type Attempt<T> = Success<T> | Failure;

interface Head {
  readonly status: number | undefined;
  readonly requestId: string | undefined;
}

interface Success<T> extends Head {
  readonly error?: undefined;
  readonly retryInMs?: undefined;
  readonly mayUseOtherPair?: undefined;
  readonly result: T;
  /** Fields that did not have the documented type and are left out of the result. */
  readonly leftOut: readonly ValidationIssue[];
}

export interface Failure extends Head {
  readonly error: CallError;
  readonly leftOut?: undefined;
  /** How long to wait before another attempt; `undefined` if there must be none. */
  readonly retryInMs: number | undefined;
  /** Whether the service refused the credentials, and another attempt with other ones can do no harm. */
  readonly mayUseOtherPair: boolean;
}

/** As much of a response as arrived. */
export interface Received {
  /** `undefined` if none came. */
  readonly status?: number | undefined;
  readonly header: (name: string) => string | null;
  readonly text: string;
  /** Why the response is incomplete, if it is: one of the symbols below, `ABORTED`, `TOO_LARGE`, or what was thrown. */
  readonly readError?: unknown;
  /** Whether the platform's own `fetch` sent it. What any other one did before it failed is unknown. */
  readonly isPlatforms: boolean;
}

/** Why the client itself ends an attempt. */
export const ATTEMPT_TIMED_OUT: unique symbol = Symbol('timeoutMs');
export const CALL_TIMED_OUT: unique symbol = Symbol('totalTimeoutMs');

/**
 * Says what a response means, or its absence. A body that is complete JSON and fits the schema is a success, even if
 * its framing announced more.
 */
export async function interpret<T>(
  received: Received,
  call: Call<T>,
  before: readonly Attempt<T>[],
): Promise<Attempt<T>> {
  const { text, readError } = received;
  const connection = describeConnectionFailure(readError, received.isPlatforms);
  const status = received.status ?? connection.hiddenStatus;
  const requestId = requestIdOf(received.header, call.secrets);
  const failed = (error: CallError) => {
    const { method } = call.operation;
    const retryInMs = retryDelayMs(method, error, received.isPlatforms);
    const mayBeSentAgain = method === 'GET' || (received.isPlatforms && error.outcome === 'refused');
    const mayUseOtherPair = refusesPair(status) && mayBeSentAgain;
    return { status, requestId, error, retryInMs, mayUseOtherPair };
  };
  const context = () => {
    const uuids = uuidsIn(text, call);
    const namesJourney = call.operation.method !== 'GET' && uuids.size > 0;
    const outcome =
      status === undefined
        ? connection.neverSent
          ? 'not-sent'
          : 'unknown'
        : outcomeOf(status, namesJourney);
    return contextOf(call, before, before.length + 1, outcome, uuidAmong(uuids, call));
  };
  const interrupted = () => interruption(readError, connection.reason, call, context());

  if (readError === ABORTED) return failed(abortedError(call, context()));
  if (status === undefined) return failed(interrupted());
  // A failure status says all that matters, and a body that breaks off must not hide it.
  if (status < 200 || status > 299)
    return failed(httpError(status, requestId, received, call, before, context()));
  if (readError === TOO_LARGE) {
    return failed(unusable('The response is larger than `maxResponseBytes`.', [], text, context()));
  }
  const body = call.mayBeAnything && text === '' ? undefined : parseBody(text);
  // Before the schema, which an error's body need not fit. -1 and 999 have no stated meaning (section 7.2).
  if (isObject(body) && isOtherThanZero(body['status'])) {
    return failed(
      readError === undefined ? statusError(status, requestId, body, call, context()) : interrupted(),
    );
  }
  const isUsable = isObject(body) || (call.mayBeAnything && readError === undefined && body !== text);
  const validation = isUsable ? await readSafely(call, body) : { issues: [notUsable(text)] };
  if (validation === ABORTED) return failed(abortedError(call, context()));
  if (validation === CALL_TIMED_OUT) {
    return failed(interruption(CALL_TIMED_OUT, undefined, call, context()));
  }
  // It may be for somebody else's query, or for an earlier one over the same connection.
  const isAnothers = isObject(body) && isAboutAnother(body['uuid'], call);
  if (validation.issues === undefined && !isAnothers) {
    noteLeftOut(validation.value, validation.leftOut);
    return { status, requestId, leftOut: validation.leftOut, result: validation.value };
  }
  if (readError !== undefined) return failed(interrupted());
  const summary = isAnothers
    ? 'The response is about another transaction than the one that was asked for.'
    : isUsable
      ? 'The response is a success, but essential fields are missing or invalid.'
      : 'The response is a success without a usable body.';
  return failed(unusable(summary, validation.issues ?? [], body, context(), call.mayBeAnything));
}

/** For a call that sent something, if an unexpected failure hides what came of it. It must not look like one not sent. */
export function failureWithoutAttempt(
  call: Call<unknown>,
  before: readonly Attempt<unknown>[],
): InvalidResponseError {
  const context = contextOf(call, before, before.length + 1, 'unknown');
  return unusable('The response cannot be interpreted.', [], '', context);
}

/** All different uuids at the documented places. */
function uuidsIn(text: string, { operation }: Call<unknown>): ReadonlySet<string> {
  return new Set(operation.uuidPaths.flatMap((path) => [...findUuids(text, path)]));
}

/** The one that the response is about. Of different ones, none is known to be it. */
function uuidAmong(uuids: ReadonlySet<string>, call: Call<unknown>): string | undefined {
  const [uuid, ...others] = uuids;
  const isKnown = uuid !== undefined && others.length === 0 && !isAboutAnother(uuid, call);
  return isKnown ? call.secrets.dropIfSecret(uuid) : undefined;
}

/**
 * Whether a response is about another transaction than its query. One that names none is not. UUIDs are the same in upper
 * and lower case (RFC 9562, section 4).
 */
function isAboutAnother(uuid: unknown, { asked }: Call<unknown>): boolean {
  return (
    asked !== undefined &&
    typeof uuid === 'string' &&
    uuid !== '' &&
    uuid.toLowerCase() !== asked.toLowerCase()
  );
}

/**
 * A schema that throws must not make a success look like a call that can be made again. The caller's own schema may be
 * asynchronous: it gets the time that the call has left.
 */
async function readSafely<T>(
  call: Call<T>,
  body: unknown,
): Promise<Validation<T> | typeof CALL_TIMED_OUT | typeof ABORTED> {
  try {
    const reading = call.read(body);
    if (!(reading instanceof Promise)) return reading;
    const remainingMs = call.deadline - performance.now();
    return await inTimeOrAborted(reading, remainingMs, () => CALL_TIMED_OUT, call.signal);
  } catch {
    return { issues: [{ path: [], message: 'expected a value that the schema can read' }] };
  }
}

/**
 * 4xx is a refusal, except 408 and 499, which gateways send while the service may still be working, and except one that
 * names the journey which the call was to create.
 */
function outcomeOf(httpStatus: number, namesJourney: boolean): Outcome {
  const mayBeAtWork = httpStatus === 408 || httpStatus === 499;
  const isRefusal = httpStatus >= 400 && httpStatus < 500 && !mayBeAtWork && !namesJourney;
  return isRefusal ? 'refused' : 'unknown';
}

/** What an error reports about the whole call: the worst outcome of all attempts. */
export function contextOf(
  { operation }: Call<unknown>,
  before: readonly Attempt<unknown>[],
  attempts: number,
  outcome: Outcome,
  uuid?: string,
): CallContext {
  const last = before.at(-1)?.error;
  return {
    operation: operation.name,
    attempts,
    outcome: last !== undefined && SEVERITY[last.outcome] > SEVERITY[outcome] ? last.outcome : outcome,
    // An earlier uuid counts only if its attempt may have acted: a refusal may quote one that the call did not create.
    uuid: uuid ?? (last?.outcome === 'unknown' ? last.uuid : undefined),
  };
}

const SEVERITY: Record<Outcome, number> = { 'not-sent': 0, refused: 1, unknown: 2 };

export function abortedError({ operation, signal }: Call<unknown>, context: CallContext): AbortedError {
  const message = `The signal given to ${operation.name} ended it. ${advice(context)}`;
  return new AbortedError(message, { ...context, cause: signal?.reason });
}

/** A time limit ended the attempt, or the connection failed. */
function interruption(
  readError: unknown,
  reason: string | undefined,
  { operation, limits, baseUrl }: Call<unknown>,
  context: CallContext,
): CallError {
  if (readError === ATTEMPT_TIMED_OUT || readError === CALL_TIMED_OUT) {
    const limit = readError === ATTEMPT_TIMED_OUT ? 'timeoutMs' : 'totalTimeoutMs';
    const message = `${operation.name} did not end within \`${limit}\` (${limits[limit]} ms). ${advice(context)}`;
    return new TimeoutError(message, context);
  }
  const cause = reason === undefined ? '' : ` (${reason})`;
  const what =
    context.outcome === 'not-sent'
      ? `${operation.name} could not connect to the service${cause}.`
      : `The connection was lost during ${operation.name}${cause}.`;
  const message = [what, connectionHint(reason, baseUrl, context.outcome), advice(context)]
    .filter(Boolean)
    .join(' ');
  return new ConnectionError(message, { ...context, reason });
}

function connectionHint(reason: string | undefined, baseUrl: string, outcome: Outcome): string {
  if (reason === NO_TLS) {
    return (
      'If it fails every time, that port speaks plain HTTP, not HTTPS. Check the port of `baseUrl`. If it is a sandbox on ' +
      'this machine, write `http://`.'
    );
  }
  if (reason === UNFIT && outcome === 'not-sent') {
    return (
      "If a dispatcher is set, it does not fit this Node's `fetch`. One of undici 7 fits every Node; undici 6 ends before " +
      'Node 26, and undici 8 begins with it.'
    );
  }
  if (reason?.startsWith('HPE_')) {
    return (
      'What listens there does not answer in HTTP: it may be another service (a database, SSH), or a port for https that ' +
      'was called with `http://`. Check the scheme and the port of `baseUrl`.'
    );
  }
  if (reason === 'ECONNREFUSED' && isLoopback(new URL(baseUrl).hostname)) {
    return 'Nothing listens there. Is the sandbox running (`npx pix-automatic-sdk sandbox`), and on this port?';
  }
  if (/^E(?:NOTFOUND|AI_AGAIN)$/.test(reason ?? '') && new URL(baseUrl).hostname.endsWith('.example')) {
    return 'There is no such host. For `mockService`, pass `fetch: service.fetch`.';
  }
  return outcome === 'not-sent' ? 'Check `baseUrl`, the name service, certificates and proxies.' : '';
}

function httpError(
  httpStatus: number,
  requestId: string | undefined,
  { header, text }: Received,
  call: Call<unknown>,
  before: readonly Attempt<unknown>[],
  context: CallContext,
): ApiError {
  const body = parseBody(text);
  const wereBothRefused = refusesPair(httpStatus) && before.some(({ status }) => refusesPair(status));
  const cause =
    httpStatus >= 300 && httpStatus < 400
      ? redirect(header, call)
      : `${wereBothRefused ? '. Both pairs were refused' : ''}${LIKELY_CAUSES[httpStatus] ?? ''}`;
  const page = isHtml(text) ? htmlOf(call) : '';
  const where = httpStatus === 404 ? ` for ${pathSent(call)}` : '';
  const explanation = where + cause + page + namesOf(serviceErrorsOf(body), call);
  const message = `The service answered ${call.operation.name} with HTTP ${httpStatus}${explanation}. ${advice(context)}`;
  const retryAfterMs = parseRetryAfter(header('retry-after'));
  const location = redirectsTo(header, call);
  const redact = (text: string) => call.secrets.redact(text);
  return new ApiError(message, { ...context, httpStatus, requestId, body, retryAfterMs, location, redact });
}

/** A service of JSON does not answer with a page. */
function htmlOf({ baseUrl, secrets }: Call<unknown>): string {
  const host = secrets.redact(new URL(baseUrl).host);
  return `. It came with an HTML page: check that ${host} is the service, and no website, gateway or firewall`;
}

function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(text);
}

/** With the prefix of `baseUrl`, which may be the mistake, and without the query, which may hold personal data. */
function pathSent({ baseUrl, path, secrets }: Call<unknown>): string {
  return secrets.redact(new URL(baseUrl + path).pathname);
}

/** The likely cause and the way out, if the status tells. */
const LIKELY_CAUSES: Readonly<Record<number, string>> = {
  0: ', which is no status: the `fetch` in use gave no real response',
  400: '. The reason is in `error.serviceMessage` or in `error.body`',
  401: '. Check that `apiKey` and `apiToken` belong to this `baseUrl`',
  403: '. Check that `apiKey` and `apiToken` belong to this `baseUrl`',
  404: '. Check the identifier (for an order key, `orders.find({ key })`), and the path prefix of `baseUrl`',
  407: ': a proxy on the way requires authentication',
  422: '. The reason is in `error.serviceMessage` or in `error.body`',
  429: ': too many requests',
};

/** Names only the origin, and none that a credential is part of: the rest of a `location` may hold personal data. */
function redirect(header: Received['header'], call: Call<unknown>): string {
  const location = redirectsTo(header, call) ?? '';
  const isAbsolute = /^https?:/i.test(location) && URL.canParse(location);
  const where = isAbsolute ? ` to ${new URL(location).origin}` : '';
  return `, a redirect${where}, which is never followed because the credentials would go with it. Check \`baseUrl\``;
}

function redirectsTo(header: Received['header'], { secrets }: Call<unknown>): string | undefined {
  const location = header('location');
  return location === null ? undefined : secrets.redact(location);
}

/** The documented fields that the service names. Another name, or a message, may be or quote a value. */
function namesOf(errors: readonly ServiceError[], { documentedFields }: Call<unknown>): string {
  const documented = documentedFields?.() ?? new Set();
  const isDocumented = (field: string) => {
    const parts = field.split(/[.[\]]+/).filter((part) => !/^\d{0,2}$/.test(part));
    return parts.length > 0 && parts.every((part) => documented.has(part));
  };
  const names = errors.flatMap(({ field = '' }) => (isDocumented(field) ? [field] : []));
  return names.length === 0 ? '' : `. It names fields: ${names.join(', ')}, see \`error.serviceErrors\``;
}

/** The service's own id of the request, under the names that services use. */
function requestIdOf(header: Received['header'], secrets: Secrets): string | undefined {
  const id = header('x-request-id') ?? header('request-id') ?? header('x-correlation-id');
  return id === null || !/^[\x21-\x7e]{1,200}$/.test(id) ? undefined : secrets.redact(id);
}

function statusError(
  httpStatus: number,
  requestId: string | undefined,
  body: Readonly<Record<string, unknown>>,
  { operation, secrets }: Call<unknown>,
  context: CallContext,
): ApiError {
  const { status } = body;
  // Any other number may be the service's way to quote a value.
  const which = DOCUMENTED_STATUSES.has(String(status)) ? `${status}, not 0` : 'not 0';
  const message =
    `The service answered ${operation.name} with HTTP ${httpStatus} and a body whose status is ${which}. ` +
    `${advice(context)} Its own message is in \`error.serviceMessage\`.`;
  const redact = (text: string) => secrets.redact(text);
  return new ApiError(message, { ...context, httpStatus, requestId, body, redact });
}

/** Besides 0 (document section 2.3). */
const DOCUMENTED_STATUSES = new Set(['-1', '999']);

/** Accepts a number, or a number as text. Other text does not have the documented type: the schema leaves it out. */
function isOtherThanZero(status: unknown): boolean {
  const isNumber = typeof status === 'number' || (typeof status === 'string' && /^-?\d+$/.test(status));
  return isNumber && Number(status) !== 0;
}

function unusable(
  summary: string,
  issues: readonly ValidationIssue[],
  body: unknown,
  context: CallContext,
  isOfCallersSchema = false,
): InvalidResponseError {
  // The caller's schema may name a field after a value, such as a key of a map.
  const isHarmless = () => !isOfCallersSchema;
  const details = issues.length === 0 ? '' : `${summarize(issues, isHarmless)}. `;
  return new InvalidResponseError(`${summary} ${details}${advice(context)}`, { ...context, issues, body });
}

/** The text parsed as JSON, or the text itself if it is not JSON. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function notUsable(text: string): ValidationIssue {
  const body = parseBody(text);
  const got =
    text.trim() === ''
      ? 'nothing'
      : isHtml(text)
        ? 'an HTML page. Does `baseUrl` point at a website, or at a proxy with a login page?'
        : Array.isArray(body)
          ? 'a list'
          : body === text
            ? 'text that is not JSON'
            : 'another JSON value';
  return { path: [], message: `expected a JSON object, got ${got}` };
}

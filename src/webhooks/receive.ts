import { InvalidNotificationError, type ValidationIssue } from '../errors';
import { isUndamaged } from '../service/checks';
import type { ReceivedNotification } from '../service/notifications/notification';
import { isBytes } from '../shared/bytes';
import { notify } from '../shared/notify';
import { HOUR_MS, inTime } from '../shared/time';
import type { DeadLetter } from '../stores/dead-letters';
import { failLetter, keepLetter } from '../stores/letters';
import { MAX_REPEATS } from '../stores/record';
import type { SingleRecords, StoreSteps } from '../stores/steps';
import { checkAgainst, isSwapped } from './authorization';
import { deadLetter, isKept, letterFailure, type Undelivered } from './dead-letters';
import { type Identity, identify } from './key';
import type { ResolvedHandlerOptions } from './options';
import type { CaseEntry, OrderLink } from './order-link';
import { decodeBody, type Recognized, readJsonObject, recognize } from './recognize';
import type { Reporter, WebhookDone, WebhookReportDetails } from './report';
import type { WebhookReportCode } from './report-texts';
import {
  BodyProblem,
  headOf,
  type PlainRequest,
  type RequestHead,
  receiveBody,
  type SharedRequest,
} from './request';
import {
  type CallbackRun,
  callbackFor,
  type Failure,
  type RunResult,
  runOnce,
  withDetails,
} from './run-once';
import { comparisonOf, repeatIdentity } from './unexpected-repeat';

/** Only the report says so: an answer would tell a sender that it is nearly right. */
const SWAPPED = 'It has the token before the key: are `apiKey` and `apiToken` swapped in your credentials?';

/** One handler: its options, and what it remembers for its reports. */
export interface Listener extends ResolvedHandlerOptions {
  readonly report: Reporter;
  /** How many deliveries of a key have failed, for the latest keys. */
  readonly failures: Map<string, number>;
  /** The fields of each kind that were reported as left out. */
  readonly leftOut: Set<string>;
  /** Runs a dead letter that has waited for something, whatever comes of it. */
  readonly runLetter: (key: string) => Promise<unknown>;
}

/** What a request is to be answered with, and the notification that it brought, once that is known. */
export interface Verdict {
  readonly status: number;
  readonly kind?: string | undefined;
  readonly key?: string | undefined;
}

/** Takes a request to its verdict, independent of any runtime. */
export async function receive(
  request: Request | PlainRequest | SharedRequest,
  listener: Listener,
): Promise<Verdict> {
  const startedAt = performance.now();
  const { expectedAuthorizations, getAuthorization, kinds, report } = listener;
  const head = headOf(request);

  // Authorize, before the body is read.
  if (head.method !== 'POST') {
    return refuse(report, 'method_not_allowed', { status: 405, fate: head.method ? ONE_PATH : NO_METHOD });
  }
  const header = getAuthorization(head);
  const authorized = checkAgainst(header, expectedAuthorizations);
  if (!authorized.ok) {
    const { reason } = authorized;
    const fate = reason === 'mismatch' && isSwapped(header, expectedAuthorizations) ? SWAPPED : undefined;
    return refuse(report, 'unauthorized', { status: 401, reason, fate });
  }

  try {
    // Read and recognize.
    const body = await receiveBody(request, listener);
    const decoded = decodeBody(body);
    const recognized = meant(recognize(readJsonObject(body, decoded), head, kinds), listener);

    // Act.
    const { notification } = recognized;
    const credential = String(listener.fingerprints[authorized.index]);
    const received = { body, url: head.url, credential };
    const answeredWith = 'answeredWith' in request ? request.answeredWith : undefined;
    const begun = { ...recognized, origin: 'delivery', startedAt, received, answeredWith } as const;
    const run = recognized.failure ?? callbackFor(recognized, authorized.index, listener);
    const act = (ready: CallbackRun) => {
      const comparison = comparisonOf(notification, kinds, decoded);
      return runOnce(keeping({ ...ready, comparison }, begun, listener), listener);
    };
    const result = !('code' in run)
      ? await act(run)
      : run.code === 'unhandled'
        ? await withDetails(recognized, run, listener)
        : run;

    // Conclude.
    const ended = { ...begun, result };
    const status = await conclude(ended, listener);
    reportDamaged(ended, decoded, answeredWith?.() ?? status, listener);
    const { kind, key } = notification;
    return { status, kind, key };
  } catch (error) {
    if (error instanceof BodyProblem) return refuse(report, error.code, error);
    if (!(error instanceof InvalidNotificationError)) throw error;
    const { issues, body } = error;
    return refuse(report, 'invalid_body', { status: 400, issues, received: body, fate: formOf(body, head) });
  }
}

const ONE_PATH = 'Mount it by `app.post(path, handler)`.';
const NO_METHOD = 'It has no `method`: pass `{ method, url, headers, body }`.';

/** The first byte of what gzip has compressed. */
const GZIP = 0x1f;

/** What a body is that holds no JSON object, where that says what to change. */
function formOf(body: unknown, { headers }: RequestHead): string | undefined {
  if (body === undefined || body === null || body === '') {
    return 'It is empty: pass what arrived as `body`, in a parser’s form or as text.';
  }
  const [encoding] = /^(?:gzip|deflate|br|zstd)$/i.exec(headers.get('content-encoding') ?? '') ?? [];
  const first =
    typeof body === 'string' ? body.charCodeAt(0) : isBytes(body) ? new Uint8Array(body)[0] : undefined;
  if (encoding !== undefined || first === GZIP) {
    return (
      `It is compressed (\`content-encoding: ${encoding ?? 'gzip'}\`): switch off the compression of requests in the proxy or ` +
      'gateway before the listener, or mount a parser that decompresses, such as `express.json()`, before the handler.'
    );
  }
  if (typeof body !== 'string') return undefined;
  if (body === '[object Object]') {
    return 'It is the text of an object that was turned into text: pass the object itself, or `JSON.stringify` of it.';
  }
  if (/^\s*"/.test(body)) return 'It is a JSON text within a JSON text: something has encoded it twice.';
  if (/^eyJ[\w+/]*={0,2}$/.test(body)) return 'It is Base64: pass `isBase64Encoded: true` beside it.';
  return undefined;
}

/** A notification as it is acted on: with `createOrders`, a body of no known kind may mean a payment. */
export function meant(
  recognized: Recognized<ReceivedNotification & { readonly kind: string }>,
  { orders }: Pick<ResolvedHandlerOptions, 'orders'>,
): typeof recognized & { readonly failure?: Failure } {
  const { notification, issues } = recognized;
  if (orders === undefined || notification.kind !== 'unrecognized' || issues !== undefined) return recognized;
  const { raw } = notification;
  try {
    const payload = orders.asPayment(raw);
    if (payload === undefined) return recognized;
    const identity = identify('payment', payload.saleToken, [payload.newStatus]);
    return {
      identity,
      notification: { kind: 'payment', payload, raw, key: identity.key } as typeof notification,
    };
  } catch (error) {
    return { ...recognized, failure: { code: 'callback_failed', status: 500, error } };
  }
}

/** With `createOrders`, what is left undone is kept before its subject is given back, or in its transaction. */
export function keeping(run: CallbackRun, begun: Omit<Ended, 'result'>, listener: Listener): CallbackRun {
  if (listener.orders === undefined) return run;
  return { ...run, keep: (records, failure) => keepLetterIn(records, begun, failure, listener) };
}

/** Reports, and returns the verdict. */
export function refuse(report: Reporter, code: WebhookReportCode, details: WebhookReportDetails): Verdict {
  report(code, details);
  return { status: details.status };
}

/** A notification, and what became of it. */
export interface Ended {
  readonly notification: {
    readonly kind: string;
    readonly issues?: readonly ValidationIssue[] | undefined;
  };
  readonly identity: Identity;
  readonly result: RunResult;
  readonly origin: WebhookDone['origin'];
  /** When it arrived, by `performance.now()`. */
  readonly startedAt: number;
  /** What a dead letter of a delivery holds; without it, nothing is kept. */
  readonly received?: Pick<Undelivered, 'body' | 'url' | 'credential'>;
  /** The code that its dead letter keeps, whatever comes of it: a person's decision that fails changes no reason. */
  readonly keptCode?: string | undefined;
  /** The status that something else has answered a delivery with. */
  readonly answeredWith?: (() => number | undefined) | undefined;
}

/** Keeps or forgets the dead letter, and tells of it. Returns the status to answer with. */
export async function conclude(ended: Ended, listener: Listener): Promise<number> {
  const { result } = ended;
  let status = 200;
  if ('isRepeat' in result) {
    await concludeDone(ended, result.isRepeat, listener);
  }
  if ('status' in result) status = await concludeFailure(ended, result, listener);
  reportLeftOut(ended, ended.answeredWith?.() ?? status, listener);
  return status;
}

async function concludeDone(ended: Ended, isRepeat: boolean, listener: Listener): Promise<void> {
  const { notification, identity, origin, startedAt } = ended;
  const { kind } = notification;
  const { key } = identity;
  listener.failures.delete(key);
  if (listener.lettersMs !== undefined) {
    // An equal body without an identity may come on purpose, months later: its letter is another event's.
    const withinMs = kind === 'unrecognized' && origin === 'delivery' ? HOUR_MS : undefined;
    const isIts = ({ lastFailedAt }: DeadLetter, now: number) =>
      withinMs === undefined || now - lastFailedAt <= withinMs;
    await stepOnLetters({ status: 200, kind, key }, listener, async (store) => {
      const letter = await store.readLetter(key);
      if (letter === undefined || letter.code === 'transaction_ended') return;
      // The mark in its order goes first: nothing else would find it.
      const { about: details } = letter;
      if (details?.order !== undefined) await listener.orders?.dismiss(store, { id: key, details }, false);
      await store.forgetLetter(key, isIts);
    });
  }
  // Returns that came before their sale was booked: `maintain` runs them if this does not.
  const { followUps = [] } = ended.result as { readonly followUps?: readonly string[] };
  for (const letter of followUps) await listener.runLetter(letter).catch(() => undefined);
  if (listener.onDone === undefined) return;
  notify(listener.onDone, { kind, key, isRepeat, durationMs: performance.now() - startedAt, origin });
}

async function concludeFailure(ended: Ended, failure: Failure, listener: Listener): Promise<number> {
  const { notification, identity, origin } = ended;
  const { kind } = notification;
  const { key } = identity;
  const {
    late,
    bodyHash: _bodyHash,
    letter: _letter,
    details: _details,
    note: _note,
    kept: _kept,
    ...details
  } = failure;
  const delivery = origin === 'delivery' ? countFailure(key, listener) : undefined;
  const kept = await keep(ended, failure, listener);
  // An acknowledged notification does not come again, so that one which is not kept must not be acknowledged.
  const status = failure.status === 200 && kept === 'failed' ? 503 : failure.status;
  // Not awaited: the answer goes out now. The entry was kept before, so that it is the last step that counts.
  late?.then((isRecorded) => (isRecorded ? concludeDone(ended, false, listener) : undefined));
  if (kept === 'known') return status;
  // Whatever this handler answers, the service sees what was sent first.
  const answered = ended.answeredWith?.();
  const told = { ...details, status: answered ?? status, kind, key, delivery };
  const { orders } = listener;
  const fate =
    origin === 'delivery'
      ? fateOfDelivery(failure.code, told, { answered, kept, orders })
      : (orders?.fateOf(failure.code, origin) ?? FATES[origin]);
  listener.report(failure.code, { ...told, fate, received: notification });
  // Its sale may have been booked before the mark was there, or before this subject was given back.
  if (failure.code === 'early_return' && origin === 'delivery')
    await listener.runLetter(key).catch(() => undefined);
  return status;
}

/**
 * What became of the dead letter of a failure: `'failed'` to keep it, `'known'` if it is there and a replay has failed as
 * before, or if a person has decided about it, how many had no place if this one had none, and `undefined` if there is to be none.
 */
type Kept = 'kept' | 'failed' | 'known' | { readonly unkept: number } | undefined;

async function keep(ended: Ended, failure: Failure, listener: Listener): Promise<Kept> {
  const { notification, identity } = ended;
  const { orders, report } = listener;
  const { kind } = notification;
  const { key } = identity;
  const status = failure.status === 200 ? 503 : failure.status;
  if (failure.kept !== undefined) {
    if ('letter' in failure.kept) return failure.kept.letter as Kept;
    report('dead_letters_failed', { status, kind, key, error: failure.kept.error });
    return 'failed';
  }
  let kept: Kept;
  const isDone = await stepOnLetters({ status, kind, key }, listener, async (store) => {
    const place =
      failure.bodyHash === undefined ? undefined : await repeatPlace(store, ended, failure, listener);
    if (place !== undefined && 'unkept' in place) {
      kept = place;
      return;
    }
    if (place !== undefined && 'isDone' in place) {
      kept = 'known';
      return;
    }
    kept = await keepLetterIn(store, ended, failure, listener, place);
    const { code: reason, details, letter = place ?? identity } = failure;
    const isRunning = failure.late !== undefined;
    if (orders === undefined || details === undefined || ended.keptCode !== undefined) return;
    const entry = { id: letter.key, reason, details };
    await orders.mark(store, entry, isRunning);
    if (ended.origin === 'delivery' && kept !== undefined) await followLetter(store, entry, orders);
  });
  return isDone ? kept : 'failed';
}

/** A mark says what its letter says, which another process may have changed, or forgotten, before the mark was there. */
async function followLetter(store: StoreSteps, entry: CaseEntry, orders: OrderLink): Promise<void> {
  const letter = await store.readLetter(entry.id);
  if (letter === undefined) await orders.dismiss(store, entry, false);
  else if (letter.code !== entry.reason && letter.about !== undefined)
    await orders.mark(store, { id: entry.id, reason: letter.code, details: letter.about }, false);
}

/**
 * Where the letter of an unexpected repeat is kept; `unkept` if there is no place, `isDone` if a person has decided about it
 * today.
 */
async function repeatPlace(
  store: StoreSteps,
  { identity }: Ended,
  { bodyHash = '' }: Failure,
  { lettersMs = 0 }: Listener,
): Promise<Identity | { readonly unkept: number } | { readonly isDone: true }> {
  const { ending, unkept, isDone } = await store.placeRepeat(identity.subject, bodyHash, lettersMs);
  if (isDone) return { isDone };
  return ending === undefined ? { unkept } : repeatIdentity(identity, ending);
}

/** Keeps the letter of a failure in the given records, which may be those of a transaction. */
async function keepLetterIn(
  records: SingleRecords,
  { notification: { kind }, identity, origin, received, keptCode }: Omit<Ended, 'result'>,
  failure: Failure,
  { lettersMs, store, orders }: Listener,
  own = failure.letter ?? identity,
): Promise<Kept> {
  if (lettersMs === undefined || !isKept(failure, orders)) return undefined;
  if (origin !== 'delivery') {
    const failed = keptCode === undefined ? letterFailure(failure) : { code: keptCode };
    const isWithin = records !== store;
    const codeBefore = await (isWithin
      ? failLetter(records, own.key, failed)
      : store.failLetter(own.key, failed));
    if (codeBefore !== undefined) return codeBefore === failure.code ? 'known' : 'kept';
  }
  if (received === undefined) return origin === 'replay' ? 'kept' : undefined;
  const letter = deadLetter({ identity: own, kind, ...received }, failure);
  // Outside a transaction, the store's own step tries again where the database has failed.
  await (records === store ? store.keepLetter(letter, lettersMs) : keepLetter(records, letter, lettersMs));
  return 'kept';
}

/** Does one step of the store on a dead letter, within its time, and reports a failure. Never rejects. */
async function stepOnLetters(
  details: Pick<WebhookReportDetails, 'kind' | 'key' | 'status'>,
  { store, storeTimeoutMs, report }: Listener,
  step: (store: StoreSteps) => Promise<unknown>,
): Promise<boolean> {
  try {
    await inTime(step(store as StoreSteps), storeTimeoutMs);
    return true;
  } catch (error) {
    report('dead_letters_failed', { ...details, error });
    return false;
  }
}

const MAX_COUNTED = 1_000;

/** Counts the deliveries of one notification that failed: no single report shows that it is always the same one. */
function countFailure(key: string, { failures }: Listener): number {
  const count = (failures.get(key) ?? 0) + 1;
  failures.delete(key);
  failures.set(key, count);
  const [oldest] = failures.keys();
  if (failures.size > MAX_COUNTED && oldest !== undefined) failures.delete(oldest);
  return count;
}

const FATES = {
  replay: 'It was replayed, and stays a dead letter.',
  settle: 'It was to be settled: do so again.',
} as const;

/** What became of a delivery that failed. */
function fateOfDelivery(
  code: WebhookReportCode,
  { status, delivery }: Pick<WebhookReportDetails, 'status' | 'delivery'>,
  {
    answered,
    kept,
    orders,
  }: {
    readonly answered: number | undefined;
    readonly kept: Exclude<Kept, 'known'>;
    readonly orders: OrderLink | undefined;
  },
): string {
  const by = answered === undefined ? 'It was acknowledged' : 'Something else has answered 200';
  const next =
    status === 200
      ? `${by}, so the service does not send it again.`
      : `The service sends it again after about 60 s, six times in all (this process has seen ${delivery} of its ` +
        'deliveries fail).';
  if (kept === undefined) return next;
  if (typeof kept === 'object') {
    return `${next} It is not kept: its subject has ${MAX_REPEATS} such letters. So far, ${kept.unkept} were not.`;
  }
  if (kept === 'failed') return `${next} It could not be kept as a ${orders ? 'case' : 'dead letter'}.`;
  if (orders !== undefined) return `${next} ${orders.fateOf(code, 'delivery')}`;
  if (code === 'unexpected_repeat') {
    return `${next} It is kept as a dead letter: \`handler.replay\` runs it once it has an identity that is not done.`;
  }
  if (code === 'transaction_ended') {
    return `${next} It is kept as a dead letter until you forget it: \`handler.replay\` does not run it again.`;
  }
  return `${next} It is kept as a dead letter: \`handler.replay\` runs it again.`;
}

/** Reports known fields of another type than documented, once per kind and field. */
function reportLeftOut(
  { notification: { kind, issues }, identity: { key } }: Ended,
  status: number,
  { leftOut, report }: Listener,
): void {
  if (issues === undefined || kind === 'unrecognized') return;
  const fresh = issues.filter(({ path }) => {
    const field = `${kind} ${path.join('.')}`;
    if (leftOut.has(field)) return false;
    leftOut.add(field);
    return true;
  });
  if (fresh.length > 0) report('field_left_out', { status, kind, key, issues: fresh });
}

/** Reports text that lost characters on the way. A notification whose identity did so is refused before. */
function reportDamaged(
  { notification, identity: { key }, issues, result }: Ended & Recognized<{ readonly raw: object }>,
  decoded: unknown,
  status: number,
  { report }: Listener,
): void {
  if (
    typeof decoded !== 'string' ||
    isUndamaged(decoded) ||
    issues !== undefined ||
    result.code === 'ignored'
  )
    return;
  report('damaged_text', { status, kind: notification.kind, key, issues: damagedFields(notification.raw) });
}

/** As deep as the documented fields are, and a level more. */
const MAX_DEPTH = 4;

/** The texts with U+FFFD. Not recursive: a body may be nested deeper than the stack is. */
function damagedFields(raw: object): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const pending: { readonly path: readonly string[]; readonly value: unknown }[] = [{ path: [], value: raw }];
  for (const { path, value } of pending) {
    if (typeof value === 'string' && !isUndamaged(value)) issues.push({ path, message: 'has U+FFFD in it' });
    if (typeof value !== 'object' || value === null || path.length === MAX_DEPTH) continue;
    for (const [name, inner] of Object.entries(value)) pending.push({ path: [...path, name], value: inner });
  }
  return issues;
}

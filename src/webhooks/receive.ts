import { InvalidNotificationError, type ValidationIssue } from '../errors';
import { notify } from '../shared/notify';
import { HOUR_MS, inTime } from '../shared/time';
import type { StoreSteps } from '../stores/steps';
import { answer, type PlainResponse } from './answer';
import { checkAgainst, isSwapped } from './authorization';
import { deadLetter, isKept } from './dead-letters';
import type { Identity } from './key';
import type { ResolvedHandlerOptions } from './options';
import { readJsonObject, recognize } from './recognize';
import type { Reporter, WebhookDone, WebhookReportCode, WebhookReportDetails } from './report';
import { BodyProblem, headOf, type PlainRequest, receiveBody } from './request';
import { callbackFor, type Failure, type RunResult, runOnce } from './run-once';
import { comparisonOf } from './unexpected-repeat';

/** Only the report says so: an answer would tell a sender that it is nearly right. */
const SWAPPED = 'It has the token before the key: are `apiKey` and `apiToken` swapped in your credentials?';

/** One handler: its options, and what it remembers for its reports. */
export interface Listener extends ResolvedHandlerOptions {
  readonly report: Reporter;
  /** How many deliveries of a key have failed, for the latest keys. */
  readonly failures: Map<string, number>;
  /** The fields of each kind that were reported as left out. */
  readonly leftOut: Set<string>;
  /** The kinds of which it was reported that their callback has awaited nothing. */
  readonly awaitedNothing: Set<string>;
}

/** Takes a request to its answer, independent of any runtime. */
export async function receive(request: Request | PlainRequest, listener: Listener): Promise<PlainResponse> {
  const startedAt = performance.now();
  const { expectedAuthorizations, getAuthorization, kinds, report } = listener;
  const head = headOf(request);

  // Authorize, before the body is read.
  if (head.method !== 'POST') return refuse(report, 'method_not_allowed', { status: 405 });
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
    const recognized = recognize(readJsonObject(body), head, kinds);

    // Act.
    const run = callbackFor(recognized, authorized.index, listener);
    const result =
      'code' in run
        ? run
        : await runOnce({ ...run, comparison: comparisonOf(recognized.notification, kinds) }, listener);

    // Conclude.
    const received = { body, url: head.url };
    const ended = { ...recognized, result, origin: 'delivery', startedAt, received } as const;
    return answer(await conclude(ended, listener));
  } catch (error) {
    if (error instanceof BodyProblem) return refuse(report, error.code, error);
    if (!(error instanceof InvalidNotificationError)) throw error;
    const { issues, body } = error;
    return refuse(report, 'invalid_body', { status: 400, issues, received: body });
  }
}

/** Reports, and returns an answer that reveals nothing of the report. */
export function refuse(
  report: Reporter,
  code: WebhookReportCode,
  details: WebhookReportDetails,
): PlainResponse {
  report(code, details);
  return answer(details.status);
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
  /** What a dead letter of it holds; without it, nothing is kept. */
  readonly received?: { readonly body: unknown; readonly url: string };
}

/** Keeps or forgets the dead letter, and tells of it. Returns the status to answer with. */
export async function conclude(ended: Ended, listener: Listener): Promise<number> {
  const { result } = ended;
  let status = 200;
  if ('isRepeat' in result) {
    await concludeDone(ended, result.isRepeat, listener);
    if (result.awaitedNothing) reportNothingAwaited(ended, listener);
  }
  if ('status' in result) status = await concludeFailure(ended, result, listener);
  reportLeftOut(ended, status, listener);
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
    await stepOnLetters({ status: 200, kind, key }, listener, (store) => store.forgetLetter(key, withinMs));
  }
  if (listener.onDone === undefined) return;
  notify(listener.onDone, { kind, key, isRepeat, durationMs: performance.now() - startedAt, origin });
}

async function concludeFailure(ended: Ended, failure: Failure, listener: Listener): Promise<number> {
  const { notification, identity, origin } = ended;
  const { kind } = notification;
  const { key } = identity;
  const { late, letter = identity, ...details } = failure;
  const delivery = origin === 'delivery' ? countFailure(key, listener) : undefined;
  const kept = await keepLetter({ ...ended, identity: letter }, failure, listener);
  // An acknowledged notification does not come again, so that one which is not kept must not be acknowledged.
  const status = failure.status === 200 && kept === false ? 503 : failure.status;
  // Not awaited: the answer goes out now. The entry was kept before, so that it is the last step that counts.
  late?.then((isRecorded) => (isRecorded ? concludeDone(ended, false, listener) : undefined));
  const fate = origin === 'delivery' ? fateOfDelivery(failure.code, status, delivery, kept) : FATES[origin];
  listener.report(failure.code, { ...details, status, kind, key, delivery, fate, received: notification });
  return status;
}

/** Returns whether the dead letter was kept; `undefined` if none is to be. */
async function keepLetter(
  { notification: { kind }, identity, received }: Ended,
  failure: Failure,
  listener: Listener,
): Promise<boolean | undefined> {
  const { lettersMs } = listener;
  if (lettersMs === undefined || received === undefined || !isKept(failure)) return undefined;
  const { key } = identity;
  const statusIfLost = failure.status === 200 ? 503 : failure.status;
  return stepOnLetters({ status: statusIfLost, kind, key }, listener, (store) =>
    store.keepLetter(deadLetter({ identity, kind, ...received }, failure), lettersMs),
  );
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
  status: number,
  delivery: number | undefined,
  kept: boolean | undefined,
): string {
  const next =
    status === 200
      ? 'It was acknowledged, so the service does not send it again.'
      : `The service sends it again after about 60 s, six times in all (this process has seen ${delivery} of its ` +
        'deliveries fail).';
  if (kept === undefined) return next;
  if (!kept) return `${next} It could not be kept as a dead letter.`;
  if (code === 'unexpected_repeat') {
    return `${next} It is kept as a dead letter: \`handler.replay\` runs it once it has an identity that is not done.`;
  }
  return `${next} It is kept as a dead letter: \`handler.replay\` runs it again.`;
}

/** Kinds whose callback moves money, so that one which has written nothing is probably wrong. */
const MONEY_KINDS: ReadonlySet<string> = new Set(['payment', 'refund', 'reversal']);

/** Reports once per kind that its callback has waited for nothing. `if (!isOurs) return` is right, so it is done. */
function reportNothingAwaited(
  { notification: { kind }, identity: { key } }: Ended,
  { awaitedNothing, report }: Listener,
): void {
  if (!MONEY_KINDS.has(kind) || awaitedNothing.has(kind)) return;
  awaitedNothing.add(kind);
  report('nothing_awaited', { status: 200, kind, key });
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

import {
  checkReconcileOptions,
  RECONCILE_OPTIONS,
  type ReconcileOptions,
  type ReconcileResult,
  reconcile,
} from '../client/reconcile';
import { AbortedError, ApiError } from '../errors/call-errors';
import type { Transaction } from '../service/operations/get-transaction';
import { notify } from '../shared/notify';
import { DAY_MS, HOUR_MS, LONGEST_TIMER_MS, onAbort } from '../shared/time';
import { UnreadableRecordError } from '../stores/record';
import type { SingleRecords, StoreSteps } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import { checkDuration, type OptionNames, readNamedOptions } from '../values/option-checks';
import { reportUnreadable } from '../webhooks/replay';
import {
  attemptWith,
  isAskable,
  isAskedAbout,
  isBooked,
  moved,
  type Order,
  type Return,
  undecided,
} from './attempt';
import { type Cursor, type MaintainContext, saveProgress } from './maintain-record';
import { answered, withUnknown } from './marks';
import { isImmediate } from './money';
import { changeOrder, forgetOpen, type OpenOrder, openOrders, readOrder } from './order-records';
import { isNotFound } from './proof';
import { settle, settledAs } from './settle';

/** Options of `orders.reconcile` and `orders.maintain`. */
export interface ReconcileOrdersOptions extends Omit<ReconcileOptions, 'onProgress'> {
  /**
   * Maximum duration of one query, in milliseconds, including its retries.
   *
   * @defaultValue 10_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Ends the run after that many failed queries in a row: the service is down, or refuses the client's credentials. A 404
   * is no failure.
   *
   * @defaultValue 20
   */
  readonly stopAfterFailures?: number | undefined;
  /**
   * How long after its last change an attempt is asked about, in milliseconds. Never longer than 40 days.
   *
   * @defaultValue 40 days
   */
  readonly maxAgeMs?: number | undefined;
  /** Called after each query. If it throws, nothing changes. */
  readonly onProgress?: ((progress: { readonly done: number }) => void) | undefined;
}

/** Options of `orders.maintain`. */
export interface MaintainOptions extends ReconcileOrdersOptions {
  /**
   * How long a run may take, in milliseconds, all its parts together; asking the service takes half of it at most. What is
   * left waits for the next run, which goes on where this one stopped. Deleting what has expired is not cut short.
   *
   * @defaultValue 10 minutes
   */
  readonly withinMs?: number | undefined;
}

const NAMES: OptionNames<ReconcileOrdersOptions> = { ...RECONCILE_OPTIONS, maxAgeMs: true };
const MAINTAIN_NAMES: OptionNames<MaintainOptions> = { ...NAMES, withinMs: true };

/** The options of a run, checked, with their defaults. */
export interface RunOptions extends ReconcileOrdersOptions {
  readonly timeoutMs: number;
  readonly stopAfterFailures: number;
}

/**
 * The options of a run, before anything is asked.
 *
 * @throws `ConfigurationError` for the first option that cannot work
 */
export function readReconcileOptions(options: ReconcileOrdersOptions): RunOptions {
  return checked(readNamedOptions('reconcile', options, NAMES));
}

/** @throws `ConfigurationError` for the first option that cannot work */
export function readMaintainOptions(
  options: MaintainOptions,
): RunOptions & Pick<MaintainOptions, 'withinMs'> {
  const { withinMs, ...own } = readNamedOptions('maintain', options, MAINTAIN_NAMES);
  if (withinMs !== undefined) checkDuration('withinMs', withinMs);
  return { ...checked(own), withinMs };
}

function checked({
  timeoutMs = 10_000,
  stopAfterFailures = 20,
  ...others
}: ReconcileOrdersOptions): RunOptions {
  const own = { ...others, timeoutMs, stopAfterFailures };
  checkReconcileOptions(own);
  if (own.maxAgeMs !== undefined) checkDuration('maxAgeMs', own.maxAgeMs);
  return own;
}

/** What a run of `orders.reconcile` found. */
export interface ReconcileCounts {
  /** Attempts that the service was asked about. */
  readonly asked: number;
  /** Attempts that are paid, and booked, in this run or before. */
  readonly paid: number;
  /** Attempts that the service says are cancelled. */
  readonly closed: number;
  /** Attempts that the service says are paid, and that are a case for a person. */
  readonly review: number;
  /** Attempts that the service does not know (404). They are asked about again a day later. */
  readonly unknown: number;
  /** Queries and callbacks that failed: the next run tries again. */
  readonly failed: number;
  /**
   * Whether the run came round; not if its time was over, or a rate limit, `stopAfterFailures`, the credentials or the
   * signal ended it. The next run goes on where this one ended.
   */
  readonly isComplete: boolean;
}

/** What a run came to. */
export interface Reconciled {
  readonly counts: ReconcileCounts;
  /** What ended it before it came round, save its time or a rate limit. */
  readonly error?: unknown;
  /** Returns that the service told of beside their payment, and whose own notification has not come for an hour. */
  readonly untold: readonly { readonly key: string; readonly returned: Return }[];
}

/** After how many answers the cursor is saved. */
const SAVED_EVERY = 20;
/** Longer than any write of an order may be on its way: until then, the order of a pointer may still be unwritten. */
const SETTLED_MS = 10 * 60 * 1000;

/**
 * Asks the service about every attempt that may have been paid without a notification.
 *
 * @param start - where the last run ended
 * @param leftMs - how long the run may take still, in milliseconds
 */
export async function reconcileOrders(
  context: MaintainContext,
  { maxAgeMs = Number.POSITIVE_INFINITY, onProgress, signal, ...options }: RunOptions,
  start: Cursor | undefined,
  leftMs?: number | undefined,
): Promise<Reconciled> {
  const { client, records, parts } = context;
  const counts = { asked: 0, paid: 0, closed: 0, review: 0, unknown: 0, failed: 0 };
  const run = new Run(records, reportUnreadable(parts.listener.report), start);
  const ending = endOf(signal, leftMs);
  const limits = { ...options, signal: ending.signal };
  let saved = start;
  const save = async (cursor: Cursor | undefined) => {
    if (cursor?.place === saved?.place) return;
    await saveProgress(records, { cursor });
    saved = cursor;
  };
  const end = async (isComplete: boolean, error?: unknown): Promise<Reconciled> => {
    // What ended the run is told, and not that the same database has no room for the cursor.
    await save(isComplete ? undefined : run.cursor()).catch((failure: unknown) => {
      if (error === undefined) throw failure;
    });
    if (!isComplete) parts.listener.report('reconcile_ended', { status: 200 });
    const thrown = isRateLimit(error) ? undefined : error;
    return { counts: { ...counts, isComplete }, error: thrown, untold: run.untold };
  };
  try {
    const uuids = run.uuidsToAsk(maxAgeMs);
    for await (const result of reconcile(knowing(client), uuids, limits)) {
      const { uuid, error } = result;
      counts.asked += 1;
      if (isLongRateLimit(error)) {
        counts.failed += 1;
        return await end(false, error);
      }
      // Behind it from now on, whatever comes of it: what has failed is asked again in the next round.
      const asked = run.answer(uuid);
      const became = asked === undefined ? undefined : await apply(context, asked, result);
      if (became !== undefined) counts[became] += 1;
      if (counts.asked % SAVED_EVERY === 0) await save(run.cursor());
      notify(onProgress, { done: counts.asked });
    }
    return await end(true);
  } catch (error) {
    // The client may have aborted by itself, which is a failure like any other.
    const isTimeOver = ending.signal.aborted && !signal?.aborted && error instanceof AbortedError;
    return end(false, isTimeOver ? undefined : error);
  } finally {
    ending.stop();
  }
}

/** A signal that fires with that of the caller, or once the time of a run is over, and what frees its timer. */
function endOf(signal: AbortSignal | null | undefined, leftMs: number = Number.POSITIVE_INFINITY) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const stopListening = onAbort(signal ?? undefined, abort);
  if (signal?.aborted) abort();
  const timer = leftMs < LONGEST_TIMER_MS ? setTimeout(abort, Math.max(0, leftMs)) : undefined;
  const stop = () => {
    clearTimeout(timer);
    stopListening();
  };
  return { signal: controller.signal, stop };
}

/** In place of a transaction that the service does not know: a 404 is an answer, and no failure. */
class UnknownTransaction {
  constructor(readonly error: unknown) {}
}

function knowing(client: TransactionSource): TransactionSource {
  return {
    getTransaction: (uuid, limits) =>
      client.getTransaction(uuid, limits).catch((error: unknown) => {
        if (isNotFound(error)) return new UnknownTransaction(error) as unknown as Transaction;
        throw error;
      }),
  };
}

/** An order whose transactions are asked about. */
interface AskedOrder {
  readonly at: Cursor;
  /** How many of its queries have no answer yet. */
  unanswered: number;
  /** Sales of its own money that no case tells of: whatever the service says of them becomes one. */
  readonly untold: readonly string[];
}

/** What one run has asked, in the order of the list. */
class Run {
  readonly untold: { key: string; returned: Return }[] = [];
  readonly #records: StoreSteps;
  readonly #onUnreadable: (count: number) => void;
  readonly #start: Cursor | undefined;
  #cursor: Cursor | undefined;
  readonly #orders: AskedOrder[] = [];
  readonly #byUuid = new Map<string, AskedOrder>();

  constructor(records: StoreSteps, onUnreadable: (count: number) => void, start: Cursor | undefined) {
    this.#records = records;
    this.#onUnreadable = onUnreadable;
    this.#start = start;
    this.#cursor = start;
  }

  /** The last order that is behind the run, with all before it, answered or not. */
  cursor(): Cursor | undefined {
    while (this.#orders[0]?.unanswered === 0) this.#cursor = this.#orders.shift()?.at;
    return this.#cursor;
  }

  /** The uuids of all attempts to ask about, beginning after the cursor, and going round. */
  async *uuidsToAsk(maxAgeMs: number): AsyncGenerator<string, void, undefined> {
    for await (const open of this.#fromStart()) {
      try {
        yield* this.#uuidsOf(open, maxAgeMs);
      } catch (error) {
        // One that can never be read must not keep the others from being asked about, in this run or the next.
        this.#orders.push({ at: placeOf(open), unanswered: 0, untold: [] });
        if (!(error instanceof UnreadableRecordError)) throw error;
        this.#onUnreadable(1);
      }
    }
  }

  async *#fromStart(): AsyncGenerator<OpenOrder, void, undefined> {
    const start = this.#start;
    yield* openOrders(this.#records, start?.key, this.#onUnreadable);
    if (start === undefined) return;
    for await (const open of openOrders(this.#records, undefined, this.#onUnreadable)) {
      if (open.place > start.place) return;
      yield open;
    }
  }

  async *#uuidsOf(open: OpenOrder, maxAgeMs: number) {
    const records = this.#records;
    const { order, now } = await readOrder(records, open.key);
    const returns = order.returns.filter((each) => each.isUntold);
    for (const returned of returns) {
      if (now - returned.at > HOUR_MS) this.untold.push({ key: open.key, returned });
    }
    const attempts = order.attempts.filter((each) => isAskable(order, each, now));
    const untold = await salesWithoutLetter(records, order, now);
    const isSilent = untold.length === 0 && !isAskedAbout(order, now);
    if (isSilent && now - open.at > SETTLED_MS) await forgetOpen(records, open);
    const asking = attempts.filter(
      ({ changedAt, unknownAt = Number.NEGATIVE_INFINITY }) =>
        changedAt >= now - maxAgeMs && now - unknownAt >= DAY_MS,
    );
    const uuids = new Set([...asking.map(({ uuid }) => uuid as string), ...untold]);
    const asked = { at: placeOf(open), unanswered: uuids.size, untold };
    this.#orders.push(asked);
    for (const uuid of uuids) this.#byUuid.set(uuid, asked);
    yield* uuids;
  }

  /** Counts an answer, or a failure, of the order that it gives. */
  answer(uuid: string): AskedOrder | undefined {
    const asked = this.#byUuid.get(uuid);
    if (asked === undefined) return undefined;
    this.#byUuid.delete(uuid);
    asked.unanswered -= 1;
    return asked;
  }
}

/** What is saved of the place where a run is. */
function placeOf({ key, place }: OpenOrder): Cursor {
  return { key, place };
}

/** Shorter than a letter is kept: one that is over is not made again. */
const LETTERS_MS = 29 * DAY_MS;

/**
 * The sales of own money whose case was not written, as after a crash between the order and the letter, or in the first
 * `paid`. The service is asked about them, and its answer goes the way of a notification, which writes the letter.
 */
async function salesWithoutLetter(
  records: SingleRecords,
  order: Order,
  now: number,
): Promise<readonly string[]> {
  const sales: string[] = [];
  for (const { id, sale, at } of undecided(order)) {
    // What has begun is asked about until it ends.
    const isLetterOver = id !== order.begun?.key && now - at >= LETTERS_MS;
    if (!isLetterOver && (await records.readLetter(id)) === undefined) sales.push(sale);
  }
  return sales;
}

/** Does what the service's answer asks for, and says what became of the attempt. */
async function apply(
  { records, parts }: MaintainContext,
  { at: { key }, untold }: AskedOrder,
  { uuid, transaction }: ReconcileResult,
): Promise<'paid' | 'closed' | 'review' | 'unknown' | 'failed' | undefined> {
  if (transaction === undefined) return 'failed';
  const isUntold = untold.includes(uuid);
  if (transaction instanceof UnknownTransaction) {
    await changeOrder(records, key, (order, now) => withUnknown(order, uuid, now));
    if (isUntold) await settle({ uuid, error: transaction.error }, parts);
    return 'unknown';
  }
  const { situation } = transaction;
  if (situation === 'CANCELLED') await changeOrder(records, key, (order, now) => cancelled(order, uuid, now));
  if (situation !== 'PAID') {
    if (isUntold) await settle({ uuid, transaction }, parts);
    return situation === 'CANCELLED' ? 'closed' : undefined;
  }
  const settled = settledAs(await settle({ uuid, transaction }, parts));
  if (settled === 'failed') return 'failed';
  if (settled === 'busy') return undefined;
  // Booked, dismissed or a case by now: whatever it is, there is nothing more to ask.
  if (settled === 'booked') await changeOrder(records, key, (order) => withoutQuestion(order, uuid));
  return settled === 'case' ? 'review' : 'paid';
}

/**
 * The order once its journey is cancelled at the service. Not paid is not unused: a payer may have approved its recurrence,
 * or may still be told to have done so where nothing is paid at once.
 */
function cancelled(order: Order, uuid: string, now: number): Order {
  const attempt = attemptWith(order, uuid);
  if (attempt === undefined || attempt.state === 'paid' || attempt.state === 'authorized') {
    return answered(order, uuid);
  }
  const isLater = !isImmediate(order, attempt) && attempt.state !== 'closed';
  return moved(order, { ...attempt, isAnswered: true }, isLater ? 'expired' : 'closed', now);
}

/** What a person has dismissed is done, and no payment of the order. */
function withoutQuestion(order: Order, uuid: string): Order {
  return isBooked(order, uuid) ? order : answered(order, uuid);
}

function isRateLimit(error: unknown): error is ApiError {
  return error instanceof ApiError && error.httpStatus === 429;
}

/** The service asks for a longer pause than a query may take. */
function isLongRateLimit(error: unknown): boolean {
  return isRateLimit(error) && error.retryAfterMs !== undefined;
}

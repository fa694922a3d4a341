import {
  checkReconcileOptions,
  RECONCILE_OPTIONS,
  type ReconcileOptions,
  reconcile,
} from '../client/reconcile';
import { AbortedError, ApiError } from '../errors';
import type { Transaction } from '../service/operations/get-transaction';
import { notify } from '../shared/notify';
import { DAY_MS, HOUR_MS } from '../shared/time';
import { UnreadableRecordError } from '../stores/record';
import type { SingleRecords, StoreSteps } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import { checkDuration, type OptionNames, readNamedOptions } from '../values/option-checks';
import { isAskable, moved, type Order, type Return } from './attempt';
import { answered } from './booking';
import { changeOrder, forgetOpen, type Pointer, readOrder } from './order-records';

/** Options of `orders.reconcile` and `orders.maintain`. */
export interface ReconcileOrdersOptions extends Omit<ReconcileOptions, 'onProgress'> {
  /**
   * Maximum duration of one query, in milliseconds, including its retries.
   *
   * @defaultValue 10_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Ends the run after that many failed queries in a row: the service is down, or refuses the client's credentials.
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

const NAMES: OptionNames<ReconcileOrdersOptions> = { ...RECONCILE_OPTIONS, maxAgeMs: true };

/**
 * The options of a run, before anything is asked.
 *
 * @throws `ConfigurationError` for the first option that cannot work
 */
export function readReconcileOptions(
  call: 'reconcile' | 'maintain',
  options: ReconcileOrdersOptions,
): ReconcileOrdersOptions {
  const own = readNamedOptions(call, options, NAMES);
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
  /** Queries and callbacks that failed: the next run tries again. */
  readonly failed: number;
  /**
   * Whether the run came round; not if a rate limit, `stopAfterFailures` or the signal ended it. The next run goes on
   * where this one ended.
   */
  readonly isComplete: boolean;
}

/** What became of a transaction that the service says is paid. */
export type Settled = 'booked' | 'case' | 'failed';

/** What a run works with. */
export interface ReconcileContext {
  readonly client: TransactionSource;
  readonly records: SingleRecords & Pick<StoreSteps, 'listRecords'>;
  /** Books it if it is expected. */
  readonly settle: (uuid: string, transaction: Transaction) => Promise<Settled>;
  /** Told how many records could not be read; the others are asked about. */
  readonly onUnreadable: (count: number) => void;
  /** Where the last run ended. */
  readonly cursor: Cursor | undefined;
  /** Remembers where this one is. */
  readonly saveCursor: (cursor: Cursor | undefined) => Promise<void>;
}

/** Where a run is: the last order that is behind it. */
export interface Cursor {
  readonly key: string;
  /** Where in the order of the list that is. */
  readonly place: string;
}

/** What a run came to. */
export interface Reconciled {
  readonly counts: ReconcileCounts;
  /** What ended it before it came round. */
  readonly error?: unknown;
  /** Returns that the service told of beside their payment, and whose own notification has not come for an hour. */
  readonly untold: readonly { readonly key: string; readonly returned: Return }[];
}

const PAGE = 100;
/** After how many answers the cursor is saved. */
const SAVED_EVERY = 20;
/** Longer than any write of an order may be on its way: until then, the order of a pointer may still be unwritten. */
const SETTLED_MS = 10 * 60 * 1000;

/** Asks the service about every attempt that may have been paid without a notification. */
export async function reconcileOrders(
  context: ReconcileContext,
  { maxAgeMs = Number.POSITIVE_INFINITY, onProgress, ...options }: ReconcileOrdersOptions,
): Promise<Reconciled> {
  const counts = { asked: 0, paid: 0, closed: 0, review: 0, failed: 0 };
  const run = new Run(context.cursor);
  const limits = { timeoutMs: 10_000, stopAfterFailures: 20, ...options };
  let saved = context.cursor;
  const save = async (cursor: Cursor | undefined) => {
    if (cursor?.place === saved?.place) return;
    await context.saveCursor(cursor);
    saved = cursor;
  };
  const end = async (error?: unknown): Promise<Reconciled> => {
    const isComplete = error === undefined;
    // What has failed since the service answered last is asked again first, unless the caller has ended the run.
    const cursor = error instanceof AbortedError ? run.cursor : run.cursorAtSuccess;
    await save(isComplete ? undefined : cursor);
    return { counts: { ...counts, isComplete }, error, untold: run.untold };
  };
  try {
    const uuids = run.uuidsToAsk(context, maxAgeMs);
    for await (const { uuid, transaction, error } of reconcile(context.client, uuids, limits)) {
      counts.asked += 1;
      const key = run.keyOf(uuid);
      if (error !== undefined) {
        counts.failed += 1;
        if (isLongRateLimit(error)) return await end(error);
      } else if (key !== undefined) {
        const became = await apply(context, key, uuid, transaction);
        if (became !== undefined) counts[became] += 1;
      }
      run.answer(uuid, error === undefined);
      if (counts.asked % SAVED_EVERY === 0) await save(run.cursor);
      notify(onProgress, { done: counts.asked });
    }
  } catch (error) {
    return end(error);
  }
  return end();
}

/** An order whose attempts are asked about. */
interface AskedOrder {
  readonly at: Cursor;
  /** How many of its queries have no answer yet. */
  unanswered: number;
}

/** What one run has asked, in the order of the list. */
class Run {
  /** The last order that is behind the run, with all before it. */
  cursor: Cursor | undefined;
  /** The same, when the service answered last. */
  cursorAtSuccess: Cursor | undefined;
  readonly untold: { key: string; returned: Return }[] = [];
  readonly #start: Cursor | undefined;
  readonly #orders: AskedOrder[] = [];
  readonly #byUuid = new Map<string, AskedOrder>();

  constructor(start: Cursor | undefined) {
    this.#start = start;
    this.cursor = start;
    this.cursorAtSuccess = start;
  }

  /** The uuids of all attempts to ask about, beginning after the cursor, and going round. */
  async *uuidsToAsk(
    { records, onUnreadable }: ReconcileContext,
    maxAgeMs: number,
  ): AsyncGenerator<string, void, undefined> {
    let hasWrapped = this.#start === undefined;
    let last = this.#start;
    for (;;) {
      const page = await records.listRecords<Pointer>('open:', {
        after: last?.key,
        limit: PAGE,
        onUnreadable,
      });
      for (const { place, value } of page) {
        if (hasWrapped && this.#start !== undefined && place > this.#start.place) return;
        const { key } = value;
        if (key === undefined) continue;
        try {
          yield* this.#uuidsOf(records, { key, place }, value, maxAgeMs);
        } catch (error) {
          if (!(error instanceof UnreadableRecordError)) throw error;
          onUnreadable(1);
        }
      }
      const end = page.length === PAGE ? page.at(-1) : undefined;
      last = end && { key: String(end.value.key), place: end.place };
      if (last !== undefined) continue;
      if (hasWrapped) return;
      hasWrapped = true;
    }
  }

  async *#uuidsOf(records: ReconcileContext['records'], at: Cursor, pointer: Pointer, maxAgeMs: number) {
    const { order, now } = await readOrder(records, at.key);
    const untold = order.returns.filter((each) => each.isUntold);
    for (const returned of untold) {
      if (now - returned.at > HOUR_MS) this.untold.push({ key: at.key, returned });
    }
    const attempts = order.attempts.filter((each) => isAskable(order, each, now));
    const untoldCases = await salesWithoutLetter(records, order, now);
    const isSilent = attempts.length === 0 && untold.length === 0 && untoldCases.length === 0;
    if (isSilent && now - pointer.at > SETTLED_MS) await forgetOpen(records, pointer);
    const asking = attempts.filter(({ changedAt }) => changedAt >= now - maxAgeMs);
    const uuids = [...asking.map(({ uuid }) => uuid as string), ...untoldCases];
    const asked = { at, unanswered: uuids.length };
    this.#orders.push(asked);
    for (const uuid of uuids) this.#byUuid.set(uuid, asked);
    yield* uuids;
  }

  keyOf(uuid: string): string | undefined {
    return this.#byUuid.get(uuid)?.at.key;
  }

  answer(uuid: string, isSuccess: boolean): void {
    const asked = this.#byUuid.get(uuid);
    if (asked === undefined) return;
    this.#byUuid.delete(uuid);
    asked.unanswered -= 1;
    while (this.#orders[0]?.unanswered === 0) this.cursor = this.#orders.shift()?.at;
    if (isSuccess) this.cursorAtSuccess = this.cursor;
  }
}

/** Shorter than a letter is kept: one that is over is not made again. */
const LETTERS_MS = 29 * DAY_MS;

/**
 * The sales of cases about own money whose letter was not written, as after a crash between the order and the letter. The
 * service is asked about them, and its answer goes the way of a notification, which writes the letter.
 */
async function salesWithoutLetter(
  records: SingleRecords,
  { attempts }: Order,
  now: number,
): Promise<readonly string[]> {
  const sales: string[] = [];
  for (const { id, sale, at } of attempts.flatMap(({ review = [] }) => review)) {
    if (now - at < LETTERS_MS && (await records.readLetter(id)) === undefined) sales.push(sale);
  }
  return sales;
}

/** Does what the service's answer asks for, and says what became of the attempt. */
async function apply(
  { records, settle }: ReconcileContext,
  key: string,
  uuid: string,
  transaction: Transaction,
): Promise<'paid' | 'closed' | 'review' | 'failed' | undefined> {
  const { situation } = transaction;
  if (situation === 'CANCELLED') {
    await changeOrder(records, key, (order, now) => cancelled(order, uuid, now));
    return 'closed';
  }
  if (situation !== 'PAID') return undefined;
  const settled = await settle(uuid, transaction);
  if (settled === 'failed') return 'failed';
  // Booked, dismissed or a case by now: whatever it is, there is nothing more to ask.
  if (settled === 'booked') await changeOrder(records, key, (order) => withoutQuestion(order, uuid));
  return settled === 'case' ? 'review' : 'paid';
}

/** The order once its journey is cancelled at the service. */
function cancelled(order: Order, uuid: string, now: number): Order {
  const attempt = order.attempts.find((each) => each.uuid === uuid);
  if (attempt === undefined || attempt.state === 'paid') return answered(order, uuid);
  return moved(order, { ...attempt, isAnswered: true }, 'closed', now);
}

/** What a person has dismissed is done, and no payment of the order. */
function withoutQuestion(order: Order, uuid: string): Order {
  return order.payments.some(({ sale }) => sale === uuid) ? order : answered(order, uuid);
}

/** The service asks for a longer pause than a query may take. */
function isLongRateLimit(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus === 429 && error.retryAfterMs !== undefined;
}

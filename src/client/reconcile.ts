import { AbortedError, ApiError, ConfigurationError, PaymentsError } from '../errors';
import type { Transaction } from '../service/operations/get-transaction';
import { ownOptions } from '../shared/objects';
import { LONGEST_TIMER_MS, onAbort, sleep } from '../shared/time';
import type { TransactionSource } from '../values/confirm-payment';
import { checkCount, checkFunction, checkPositive } from '../values/option-checks';
import { notify, resolveSignal } from './options';

/** A transaction as the service has it, or the error of its query. */
export type Reconciled =
  | {
      /** The transaction's UUID, as you gave it. */
      readonly uuid: string;
      /** The transaction as the service has it now. */
      readonly transaction: Transaction;
      /** Missing: the query succeeded. */
      readonly error?: undefined;
    }
  | {
      /** The transaction's UUID, as you gave it. */
      readonly uuid: string;
      /** Why the query failed. */
      readonly error: PaymentsError;
      /** Missing: the query failed. */
      readonly transaction?: undefined;
    };

/** Options of a reconciliation. */
export interface ReconcileOptions {
  /**
   * How many queries may run at the same time. A whole number, 1 or more.
   *
   * @defaultValue 4
   */
  readonly concurrency?: number | undefined;
  /**
   * How many queries may start within a second, evenly spaced; 0.5 is one every two seconds. The client's own retries of
   * a query are not counted.
   *
   * @defaultValue no limit
   */
  readonly perSecond?: number | undefined;
  /**
   * Maximum duration of one query, in milliseconds, including its retries.
   *
   * @defaultValue the client's own limits
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Ends the iteration after that many failed queries in a row, in the order in which they end: the last error is
   * thrown, the ones before it are results. Set it where the service may be down, so that the run does not go through
   * all your orders for nothing.
   *
   * @defaultValue no limit
   */
  readonly stopAfterFailures?: number | undefined;
  /**
   * Called before each result is handed out, with the number of results so far, errors included, and how many there will
   * be, if the UUIDs are in an array or a set. If it throws, nothing changes.
   */
  readonly onProgress?:
    | ((progress: { readonly done: number; readonly total?: number | undefined }) => void)
    | undefined;
  /** Aborts all running queries, and makes the iteration throw an `AbortedError`. `null` means no signal. */
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * Queries many transactions, such as all that are open in your books. Notifications alone are not enough: an outage of
 * five minutes uses up all six delivery attempts of a notification (document section 6.1).
 *
 * Results come as they are ready, in no particular order. UUIDs are read from the input only as fast as you take
 * results, so a generator may yield millions. A failed query becomes a result with an `error`, and the others continue;
 * 403 too, because it may be about that one transaction.
 *
 * After a 429 that the client's own retries could not overcome, no query starts for as long as the service asks (a
 * second, if it does not say), and that UUID is asked again, twice at most.
 *
 * 401 ends the iteration: it means that the credentials are refused, so every further query would fail too. An error of
 * your input, or `stopAfterFailures`, ends it as well. Running queries are then aborted, and results that are ready are
 * still handed out before the error is thrown. Leaving the loop early aborts the running queries.
 *
 * @example
 * ```ts
 * for await (const { uuid, transaction, error } of reconcile(client, openOrders())) { ... }
 * ```
 *
 * @param transactionUUIDs - an array, a set, a generator or another iterable, synchronous or not
 * @param options - how many queries run at the same time and per second, when to stop, progress, and a signal
 * @throws `ApiError` when the service answers a query with 401
 * @throws the last error, after `stopAfterFailures`, and whatever your input throws
 * @throws `AbortedError` when the signal fires
 * @throws `ConfigurationError` for an option that cannot work, or `transactionUUIDs` that are a string or not iterable
 */
export async function* reconcile(
  client: TransactionSource,
  transactionUUIDs: (Iterable<string> | AsyncIterable<string>) & object,
  options: ReconcileOptions = {},
): AsyncGenerator<Reconciled, void, undefined> {
  const {
    concurrency = 4,
    perSecond,
    timeoutMs,
    stopAfterFailures,
    onProgress,
    signal: givenSignal,
  } = ownOptions(options);
  checkCount('concurrency', concurrency);
  if (perSecond !== undefined) checkPositive('perSecond', perSecond);
  if (timeoutMs !== undefined) checkPositive('timeoutMs', timeoutMs);
  if (stopAfterFailures !== undefined) checkCount('stopAfterFailures', stopAfterFailures);
  if (onProgress !== undefined) checkFunction('onProgress', onProgress, '({ done, total }) => void');
  const signal = resolveSignal(givenSignal);
  if (!isIterableObject(transactionUUIDs)) {
    throw new ConfigurationError(
      'Expected `transactionUUIDs` to be an array or another iterable of UUIDs. For a single one, use `getTransaction`.',
    );
  }
  const total = sizeOf(transactionUUIDs);
  const source = iterate(transactionUUIDs);
  const controller = new AbortController();
  const pace = paceOf(perSecond, controller.signal);
  const limits = { timeoutMs, totalTimeoutMs: timeoutMs, signal: controller.signal };
  const ready: Reconciled[] = [];
  let started = 0;
  let underWay = 0;
  let done = 0;
  let failuresInARow = 0;
  let reading = false;
  let exhausted = false;
  let failure: { readonly thrown: unknown } | undefined;
  // Wakes the loop. Racing against one promise for the signal would use more memory with each transaction.
  let wake: () => void = () => undefined;
  const fail = (thrown: unknown) => {
    failure ??= { thrown };
    controller.abort();
  };
  const doInBackground = (task: () => Promise<void>) => {
    task()
      .catch(fail)
      .finally(() => wake());
  };
  const ask = async (uuid: string) => {
    underWay += 1;
    const query = () => {
      controller.signal.throwIfAborted();
      started += 1;
      return client.getTransaction(uuid, limits);
    };
    const result = await askWithSharedWait(uuid, query, pace);
    underWay -= 1;
    // What the end of the run aborted has no result. What succeeded all the same does.
    if (controller.signal.aborted && result.error !== undefined) return;
    failuresInARow = result.error === undefined ? 0 : failuresInARow + 1;
    if (failuresInARow === stopAfterFailures) throw result.error;
    ready.push(result);
  };
  const read = async () => {
    reading = true;
    const next = await source.next();
    reading = false;
    if (next.done) exhausted = true;
    else if (!controller.signal.aborted) doInBackground(() => ask(next.value));
  };
  const stop = () => {
    controller.abort(signal?.reason);
    wake();
  };
  const stopListening = onAbort(signal, stop);
  try {
    for (;;) {
      if (signal?.aborted) throw aborted(signal, started);
      const isRoom = underWay + ready.length < concurrency;
      if (failure === undefined && !exhausted && !reading && isRoom) doInBackground(read);
      const result = ready.shift();
      if (result !== undefined) {
        done += 1;
        notify(onProgress, { done, ...(total !== undefined && { total }) });
        yield result;
      } else if (failure !== undefined) throw failure.thrown;
      else if (exhausted && underWay === 0) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stopListening();
    controller.abort();
    const closed = source.return();
    // While the source is reading, it closes only after the read, which may never end.
    if (reading) closed.catch(() => undefined);
    else await closed;
  }
}

/** When the next query may start: for all queries of a run together, first come, first served. */
interface Pace {
  /** Resolves when it is the caller's turn, or as soon as the run ends. */
  turn(): Promise<void>;
  /** Lets every query that has not started yet wait. */
  pause(ms: number): void;
}

function paceOf(perSecond: number | undefined, signal: AbortSignal): Pace {
  const gapMs = perSecond === undefined ? 0 : 1_000 / perSecond;
  // By `performance.now()`.
  let nextStart = 0;
  let lastTurn = Promise.resolve();
  const untilNextStart = async () => {
    // A timer may fire a little early, and a pause may have begun meanwhile.
    while (performance.now() < nextStart && !signal.aborted) {
      await sleep(Math.min(nextStart - performance.now(), LONGEST_TIMER_MS), signal);
    }
    nextStart = Math.max(nextStart, performance.now()) + gapMs;
  };
  return {
    turn() {
      lastTurn = lastTurn.then(untilNextStart);
      return lastTurn;
    },
    pause(ms) {
      nextStart = Math.max(nextStart, performance.now() + ms);
    },
  };
}

const MAX_ASKS = 3;
const PAUSE_MS = 1_000;

/** Repeats a query after a 429, once the wait that the 429 asked of all queries is over. */
async function askWithSharedWait(
  uuid: string,
  query: () => Promise<Transaction>,
  pace: Pace,
): Promise<Reconciled> {
  for (let asks = 1; ; asks += 1) {
    await pace.turn();
    try {
      return { uuid, transaction: await query() };
    } catch (error) {
      const status = error instanceof ApiError ? error.httpStatus : undefined;
      if (status === 429) pace.pause((error as ApiError).retryAfterMs ?? PAUSE_MS);
      if (status === 429 && asks < MAX_ASKS) continue;
      if (error instanceof PaymentsError && status !== 401) return { uuid, error };
      throw error;
    }
  }
}

function sizeOf(uuids: object): number | undefined {
  if (Array.isArray(uuids)) return uuids.length;
  return uuids instanceof Set ? uuids.size : undefined;
}

function aborted(signal: AbortSignal, attempts: number): AbortedError {
  const outcome = attempts === 0 ? 'not-sent' : 'unknown';
  const context = { operation: 'getTransaction', attempts, outcome } as const;
  return new AbortedError('The signal ended the reconciliation.', { ...context, cause: signal.reason });
}

/** A string is iterable too, letter by letter, but was surely meant as a single UUID. */
function isIterableObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
  );
}

async function* iterate(
  values: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  yield* values;
}

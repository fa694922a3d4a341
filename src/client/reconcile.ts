import { AbortedError, ApiError } from '../errors/call-errors';
import { ConfigurationError } from '../errors/configuration-error';
import { PaymentsError } from '../errors/payments-error';
import type { Transaction } from '../service/operations/get-transaction';
import { notify } from '../shared/notify';
import { LONGEST_TIMER_MS, onAbort, sleepOrAborted } from '../shared/time';
import type { TransactionSource } from '../values/confirm-payment';
import {
  checkCount,
  checkFunction,
  checkPositive,
  type OptionNames,
  readNamedOptions,
} from '../values/option-checks';
import { resolveSignal } from './options';
import { refusesPair } from './retry';

/** A transaction as the service has it, or the error of its query. */
export type ReconcileResult =
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
   * How many queries may run at the same time. A whole number, 1 or more. Raise it for thousands of UUIDs, as far as
   * the service's rate limit allows.
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

export const RECONCILE_OPTIONS: OptionNames<ReconcileOptions> = {
  concurrency: true,
  perSecond: true,
  timeoutMs: true,
  stopAfterFailures: true,
  onProgress: true,
  signal: true,
};

/** @throws `ConfigurationError` for the first option that cannot work */
export function checkReconcileOptions({
  concurrency = 1,
  perSecond = 1,
  timeoutMs = 1,
  stopAfterFailures = 1,
  onProgress,
  signal,
}: ReconcileOptions): void {
  checkCount('concurrency', concurrency);
  checkPositive('perSecond', perSecond);
  checkPositive('timeoutMs', timeoutMs);
  checkCount('stopAfterFailures', stopAfterFailures);
  if (onProgress !== undefined) checkFunction('onProgress', onProgress, '({ done, total }) => void');
  resolveSignal(signal);
}

/**
 * Queries many transactions, such as all that are open in your books. Notifications alone are not enough: an outage of
 * five minutes uses up all six delivery attempts of a notification (document section 6.1).
 *
 * Results come as they are ready, in no particular order. UUIDs are read from the input only as fast as you take
 * results, so a generator may yield millions. A failed query becomes a result with an `error`, and the others continue.
 *
 * A 429 that the client's own retries could not overcome is an `error` with `retryAfterMs`, like any other: `perSecond`
 * keeps below a rate limit.
 *
 * When the service refuses the credentials, every further query would fail too, so the iteration ends: at the first 401,
 * and at the third 403 without a success between, because a single 403 may be about one transaction. An error of your
 * input, or `stopAfterFailures`, ends it as well. Running queries are then aborted, and results that are ready are
 * still handed out before the error is thrown. Leaving the loop early aborts the running queries.
 *
 * @example
 * ```ts
 * for await (const { uuid, transaction, error } of reconcile(client, openOrders())) { ... }
 * ```
 *
 * @param transactionUUIDs - an array, a set, a generator or another iterable, synchronous or not
 * @param options - how many queries run at the same time and per second, when to stop, progress, and a signal
 * @throws `ApiError` when the service answers a query with 401, or a third one with 403 and none with a success
 * @throws the last error, after `stopAfterFailures`, and whatever your input throws
 * @throws `AbortedError` when the signal fires
 * @throws `ConfigurationError` for an option that cannot work, or `transactionUUIDs` that are a string or not iterable
 */
export async function* reconcile(
  client: TransactionSource,
  transactionUUIDs: (Iterable<string> | AsyncIterable<string>) & object,
  options: ReconcileOptions = {},
): AsyncGenerator<ReconcileResult, void, undefined> {
  const own = readNamedOptions('reconcile', options, RECONCILE_OPTIONS);
  checkReconcileOptions(own);
  const { concurrency = 4, perSecond, timeoutMs, stopAfterFailures, onProgress } = own;
  const signal = own.signal ?? undefined;
  if (!isIterableObject(transactionUUIDs)) {
    throw new ConfigurationError(
      'Expected `transactionUUIDs` to be an array or another iterable of UUIDs. For a single one, use `getTransaction`.',
    );
  }
  const total = sizeOf(transactionUUIDs);
  const source = iterate(transactionUUIDs);
  const controller = new AbortController();
  const turn = paceOf(perSecond, controller.signal);
  const limits = { timeoutMs, totalTimeoutMs: timeoutMs, signal: controller.signal };
  const ready: ReconcileResult[] = [];
  let started = 0;
  let underWay = 0;
  let done = 0;
  let failuresInARow = 0;
  // Since the last success. A 401 leaves no doubt, and a 403 may be about one transaction.
  let refusals = 0;
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
    await turn();
    controller.signal.throwIfAborted();
    started += 1;
    const result: ReconcileResult = await client.getTransaction(uuid, limits).then(
      (transaction) => ({ uuid, transaction }),
      (error) => {
        if (error instanceof PaymentsError) return { uuid, error };
        throw error;
      },
    );
    underWay -= 1;
    const { error } = result;
    // What the end of the run aborted has no result. What succeeded all the same does.
    if (controller.signal.aborted && error !== undefined) return;
    failuresInARow = error === undefined ? 0 : failuresInARow + 1;
    const status = error instanceof ApiError ? error.httpStatus : undefined;
    if (error === undefined) refusals = 0;
    else if (refusesPair(status)) refusals += status === 401 ? REFUSALS_THAT_END_IT : 1;
    if (failuresInARow === stopAfterFailures || refusals >= REFUSALS_THAT_END_IT) throw error;
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

/** Returns what waits for the next query's turn, first come, first served, or for the end of the run. */
function paceOf(perSecond: number | undefined, signal: AbortSignal): () => Promise<void> {
  const gapMs = perSecond === undefined ? 0 : 1_000 / perSecond;
  // By `performance.now()`.
  let nextStart = 0;
  let lastTurn = Promise.resolve();
  const untilNextStart = async () => {
    // A timer may fire a little early.
    while (performance.now() < nextStart && !signal.aborted) {
      await sleepOrAborted(Math.min(nextStart - performance.now(), LONGEST_TIMER_MS), signal);
    }
    nextStart = Math.max(nextStart, performance.now()) + gapMs;
  };
  return () => {
    lastTurn = lastTurn.then(untilNextStart);
    return lastTurn;
  };
}

const REFUSALS_THAT_END_IT = 3;

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

import { AbortedError, ApiError, ConfigurationError, PaymentsError } from '../errors';
import type { Transaction } from '../service/answers/transaction';
import { ownOptions } from '../shared/objects';
import { onAbort } from '../shared/on-abort';
import type { TransactionSource } from './confirm-payment';
import { resolveSignal } from './options';

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
  /** Aborts all running queries, and makes the iteration throw an `AbortedError`. `null` means no signal. */
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * Queries many transactions, such as all that are open in your books. Notifications alone are not enough: an outage of
 * five minutes uses up all six delivery attempts of a notification (document section 6.1).
 *
 * Results come as they are ready, in no particular order. UUIDs are read from the input only as fast as you take
 * results, so a generator may yield millions. A failed query becomes a result with an `error`, and the others continue.
 * Only 401 and 403 end the iteration: they mean that the credentials are refused, so every further query would fail
 * too. Leaving the loop early aborts the running queries.
 *
 * @example
 * ```ts
 * for await (const { uuid, transaction, error } of reconcile(client, openOrders())) { ... }
 * ```
 *
 * @param transactionUUIDs - an array, a set, a generator or another iterable, synchronous or not
 * @param options - how many queries run at the same time, and a signal
 * @throws `ApiError` when the service answers a query with 401 or 403
 * @throws `AbortedError` when the signal fires
 * @throws `ConfigurationError` for a `concurrency` that is not a whole number of 1 or more, a `signal` that is not an
 *   `AbortSignal`, or `transactionUUIDs` that are a string or not iterable
 */
export async function* reconcile(
  client: TransactionSource,
  transactionUUIDs: (Iterable<string> | AsyncIterable<string>) & object,
  options: ReconcileOptions = {},
): AsyncGenerator<Reconciled, void, undefined> {
  const { concurrency = 4, signal: given } = ownOptions(options);
  const signal = resolveSignal(given);
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new ConfigurationError('Expected `concurrency` to be a whole number, 1 or more.');
  }
  if (!isIterableObject(transactionUUIDs)) {
    throw new ConfigurationError(
      'Expected `transactionUUIDs` to be an array or another iterable of UUIDs. For a single one, use `getTransaction`.',
    );
  }
  const controller = new AbortController();
  const source = iterate(transactionUUIDs);
  const ready: Reconciled[] = [];
  let started = 0;
  let underWay = 0;
  let reading = false;
  let exhausted = false;
  let failure: { readonly thrown: unknown } | undefined;
  // Wakes the loop. Racing against one promise for the signal would use more memory with each transaction.
  let wake: () => void = () => undefined;
  const doInBackground = (task: () => Promise<void>) => {
    const fail = (thrown: unknown) => {
      failure ??= { thrown };
    };
    task()
      .catch(fail)
      .finally(() => wake());
  };
  const ask = async (uuid: string) => {
    started += 1;
    underWay += 1;
    ready.push(await query(client, uuid, controller.signal));
    underWay -= 1;
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
  if (signal?.aborted) stop();
  const stopListening = onAbort(signal, stop);
  try {
    for (;;) {
      if (controller.signal.aborted) throw aborted(signal, started);
      if (failure !== undefined) throw failure.thrown;
      if (!exhausted && !reading && underWay + ready.length < concurrency) doInBackground(read);
      const result = ready.shift();
      if (result !== undefined) yield result;
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

async function query(client: TransactionSource, uuid: string, signal: AbortSignal): Promise<Reconciled> {
  try {
    return { uuid, transaction: await client.getTransaction(uuid, { signal }) };
  } catch (error) {
    const isRefusedForAll =
      error instanceof ApiError && (error.httpStatus === 401 || error.httpStatus === 403);
    if (error instanceof PaymentsError && !isRefusedForAll) return { uuid, error };
    throw error;
  }
}

function aborted(signal: AbortSignal | undefined, attempts: number): AbortedError {
  const outcome = attempts === 0 ? 'not-sent' : 'unknown';
  const context = { operation: 'getTransaction', attempts, outcome } as const;
  return new AbortedError('The signal ended the reconciliation.', { ...context, cause: signal?.reason });
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

import { AbortedError, ConfigurationError, PaymentsError } from '../errors';
import type { Transaction } from '../schemas/transaction';
import type { TransactionSource } from './confirm-payment';
import { onAbort } from './on-abort';

/** What the service has of one transaction, or why it could not be asked. */
export type Reconciled =
  | {
      /** The transaction's UUID, as you gave it. */
      readonly uuid: string;
      /** What the service has of it now. */
      readonly transaction: Transaction;
      /** Missing: the query succeeded. */
      readonly error?: undefined;
    }
  | {
      /** The transaction's UUID, as you gave it. */
      readonly uuid: string;
      /** Why the service could not be asked about it. */
      readonly error: PaymentsError;
      /** Missing: the query failed. */
      readonly transaction?: undefined;
    };

/** How to go through the transactions. */
export interface ReconcileOptions {
  /**
   * How many queries may be under way at once.
   *
   * @defaultValue 4
   */
  readonly concurrency?: number | undefined;
  /** Ends everything: the queries under way are aborted, and the iteration throws an `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks the service about many transactions, such as all that are open in your books. Notifications alone are not
 * enough: an outage of five minutes exhausts all six attempts of one (document section 6.1).
 *
 * Results come as they are ready, in no particular order. UUIDs are taken from the input only as fast as results are
 * taken from the output, so that a generator may have millions. A failure concerns its own transaction only. Leaving
 * the loop early aborts what is under way.
 *
 * @example
 * ```ts
 * for await (const { uuid, transaction, error } of reconcile(client, openOrders())) { ... }
 * ```
 *
 * @throws `AbortedError` when the signal fires, `ConfigurationError` for a `concurrency` below 1
 */
export async function* reconcile(
  client: TransactionSource,
  transactionUUIDs: Iterable<string> | AsyncIterable<string>,
  { concurrency = 4, signal }: ReconcileOptions = {},
): AsyncGenerator<Reconciled, void, undefined> {
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new ConfigurationError('Expected `concurrency` to be a whole number, 1 or more.');
  }
  const controller = new AbortController();
  const source = iterate(transactionUUIDs);
  const ready: Reconciled[] = [];
  let started = 0;
  let underWay = 0;
  let reading = false;
  let exhausted = false;
  let failure: { readonly thrown: unknown } | undefined;
  // Awakes the loop. Not a race with a promise for the signal, which would collect something for each transaction.
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
    // A source in the middle of a read closes after it, and that may be never.
    if (reading) closed.catch(() => undefined);
    else await closed;
  }
}

async function query(client: TransactionSource, uuid: string, signal: AbortSignal): Promise<Reconciled> {
  try {
    return { uuid, transaction: await client.getTransaction(uuid, { signal }) };
  } catch (error) {
    if (error instanceof PaymentsError) return { uuid, error };
    throw error;
  }
}

function aborted(signal: AbortSignal | undefined, attempts: number): AbortedError {
  const outcome = attempts === 0 ? 'not-sent' : 'unknown';
  const context = { operation: 'getTransaction', attempts, outcome } as const;
  return new AbortedError('The signal ended the reconciliation.', { ...context, cause: signal?.reason });
}

async function* iterate(
  values: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  yield* values;
}

import { AbortedError, ConfigurationError, PaymentsError } from '../errors';
import type { Transaction } from '../schemas/transaction';
import type { TransactionSource } from './confirm-payment';

/** What the service has of one transaction, or why it could not be asked. */
export type Reconciled =
  | { readonly uuid: string; readonly transaction: Transaction; readonly error?: undefined }
  | { readonly uuid: string; readonly error: PaymentsError; readonly transaction?: undefined };

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
 * @throws {@link AbortedError} when the signal fires, {@link ConfigurationError} for a `concurrency` below 1
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
  const stop = () => controller.abort(signal?.reason);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  const underWay = new Map<number, Promise<[number, Reconciled]>>();
  const source = iterate(transactionUUIDs);
  let started = 0;
  let exhausted = false;
  try {
    for (;;) {
      while (!exhausted && !controller.signal.aborted && underWay.size < concurrency) {
        const next = await source.next();
        if (next.done) {
          exhausted = true;
        } else {
          const id = started++;
          underWay.set(
            id,
            query(client, next.value, controller.signal).then((result) => [id, result]),
          );
        }
      }
      if (controller.signal.aborted) throw aborted(signal, started);
      if (underWay.size === 0) return;
      const [id, result] = await Promise.race(underWay.values());
      underWay.delete(id);
      if (signal?.aborted) throw aborted(signal, started);
      yield result;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    controller.abort();
    await source.return?.();
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
  const context = { operation: 'getTransaction', attempts, outcome: 'unknown' } as const;
  return new AbortedError('The signal ended the reconciliation.', { ...context, cause: signal?.reason });
}

async function* iterate(
  values: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  yield* values;
}

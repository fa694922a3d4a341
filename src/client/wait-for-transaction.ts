import { AbortedError, ApiError, ConfigurationError, TimeoutError } from '../errors';
import type { Transaction } from '../service/operations/get-transaction';
import { ownOptions } from '../shared/objects';
import { sleep, TIMED_OUT, within } from '../shared/time';
import { checkPositive } from '../values/option-checks';
import { isTransient } from './retry';

/** What to wait for, and how long. */
export interface WaitOptions {
  /**
   * Decides whether the transaction is in the state that you are waiting for. A promise is awaited, and counts towards
   * `timeoutMs`. If it throws, the wait ends at once with that error.
   *
   * @defaultValue its `situation` is `PAID` or `CANCELLED`
   */
  readonly until?: ((transaction: Transaction) => boolean | PromiseLike<boolean>) | undefined;
  /**
   * The pause between two queries, in milliseconds. Longer when the service asks for it with `Retry-After`.
   *
   * @defaultValue 2_000
   */
  readonly intervalMs?: number | undefined;
  /**
   * Maximum duration of the wait, in milliseconds, including all queries and pauses.
   *
   * @defaultValue 300_000
   */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait at once with an `AbortedError`. `null` means no signal. */
  readonly signal?: AbortSignal | null | undefined;
}

/** Queries a transaction until it is in the wanted state. `query` gets the remaining milliseconds and the signal. */
export async function waitForTransaction(
  query: (remainingMs: number, signal: AbortSignal | undefined) => Promise<Transaction>,
  options: WaitOptions,
): Promise<Transaction> {
  const { until = isSettled, intervalMs = 2_000, timeoutMs = 300_000, signal: given } = ownOptions(options);
  const signal = given ?? undefined;
  checkPositive('intervalMs', intervalMs);
  checkPositive('timeoutMs', timeoutMs);
  if (typeof until !== 'function') {
    throw new ConfigurationError(
      'Expected `until` to be a function that takes the transaction and returns true or false.',
    );
  }
  const deadline = performance.now() + timeoutMs;
  const remainingMs = () => deadline - performance.now();
  let lastSeen: Transaction | undefined;
  for (let attempts = 1; ; attempts += 1) {
    let pauseMs = intervalMs;
    const transaction = await query(Math.max(1, remainingMs()), signal).catch((error: unknown) => {
      if (!isTransient(error)) throw error;
      if (error instanceof ApiError) pauseMs = Math.max(pauseMs, error.retryAfterMs ?? 0);
      return undefined;
    });
    if (transaction !== undefined) {
      lastSeen = transaction;
      const isWanted = await within(remainingMs(), Promise.resolve(until(transaction)), signal);
      if (isWanted !== TIMED_OUT && isWanted) return transaction;
    }
    await sleep(Math.min(pauseMs, remainingMs()), signal);
    const context = { operation: 'getTransaction', attempts, outcome: 'unknown' } as const;
    if (signal?.aborted) {
      throw new AbortedError('The signal ended the wait for the transaction.', {
        ...context,
        cause: signal.reason,
      });
    }
    if (remainingMs() <= 0) {
      const message =
        `The transaction did not get into the wanted state within \`timeoutMs\` (${timeoutMs} ms). It still may. ` +
        'Its last known state is in `transaction`, if a query succeeded.';
      throw new TimeoutError(message, { ...context, transaction: lastSeen });
    }
  }
}

function isSettled({ situation }: Transaction): boolean {
  return situation === 'PAID' || situation === 'CANCELLED';
}

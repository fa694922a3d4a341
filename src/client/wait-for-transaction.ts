import { AbortedError, ApiError, TimeoutError } from '../errors';
import type { Transaction } from '../schemas/transaction';
import { onAbort } from './on-abort';
import { assertPositive } from './options';
import { isTransient } from './transport/retry-policy';

/** What to wait for, and how long. */
export interface WaitOptions {
  /**
   * Says whether the transaction is as you want it.
   *
   * @defaultValue its `situation` is `PAID` or `CANCELLED`
   */
  readonly until?: ((transaction: Transaction) => boolean) | undefined;
  /**
   * The pause between two queries, in milliseconds. Longer when the service asks for it with `Retry-After`.
   *
   * @defaultValue 2_000
   */
  readonly intervalMs?: number | undefined;
  /**
   * How long to wait at most, in milliseconds, over all queries and pauses.
   *
   * @defaultValue 300_000
   */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait at once with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

export async function waitForTransaction(
  query: (remainingMs: number) => Promise<Transaction>,
  { until = isSettled, intervalMs = 2_000, timeoutMs = 300_000, signal }: WaitOptions,
): Promise<Transaction> {
  assertPositive('intervalMs', intervalMs);
  assertPositive('timeoutMs', timeoutMs);
  const deadline = performance.now() + timeoutMs;
  for (let attempts = 1; ; attempts += 1) {
    let pauseMs = intervalMs;
    try {
      const transaction = await query(Math.max(1, deadline - performance.now()));
      if (until(transaction)) return transaction;
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (error instanceof ApiError) pauseMs = Math.max(pauseMs, error.retryAfterMs ?? 0);
    }
    const context = { operation: 'getTransaction', attempts, outcome: 'unknown' } as const;
    await sleep(Math.min(pauseMs, deadline - performance.now()), signal);
    if (signal?.aborted) {
      throw new AbortedError('The signal ended the wait for the transaction.', {
        ...context,
        cause: signal.reason,
      });
    }
    if (performance.now() >= deadline) {
      const message = `The transaction was not as wanted within \`timeoutMs\` (${timeoutMs} ms). It still may become so.`;
      throw new TimeoutError(message, context);
    }
  }
}

function isSettled({ situation }: Transaction): boolean {
  return situation === 'PAID' || situation === 'CANCELLED';
}

/** Resolves after the time, or when the signal fires. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = () => {
      clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = setTimeout(wake, Math.max(0, ms));
    const stopListening = onAbort(signal, wake);
  });
}

import type { Claim, Transact } from '../idempotency-store';
import { DeadlineExceeded, within } from './deadline';
import type { ResolvedHandlerOptions } from './options';
import { BUSY, callbackFailure, DONE, type Ending, runCallback, type Task } from './task';

/** Claim, callback and completion in one transaction of the store. */
export async function actInTransaction(
  task: Task,
  transact: Transact<unknown>,
  options: ResolvedHandlerOptions,
): Promise<Ending> {
  const { storeTimeoutMs, callbackTimeoutMs } = options;
  const { subject, state } = task.identity;
  const started = new Signal();
  const ended = new Signal();
  let abandoned = false;
  let failure: Ending | undefined;
  const work = async (transaction: unknown, claim: Claim) => {
    // The answer is 503 already, and a callback that nobody waits for must not run.
    if (abandoned) throw new DeadlineExceeded('the transaction began too late');
    started.fire();
    try {
      await runCallback(task, claim, transaction, options);
    } catch (error) {
      failure = callbackFailure(error);
      throw error;
    } finally {
      ended.fire();
    }
  };
  const timeoutMs = callbackTimeoutMs + BACKSTOP_MS;
  const request = { subject, state, retentionMs: task.retentionMs, timeoutMs };
  try {
    const transacted = transact(request, work);
    await within(storeTimeoutMs, Promise.race([started.fired, transacted]));
    await Promise.race([ended.fired, transacted]);
    const { status } = await within(storeTimeoutMs, transacted);
    return failure ?? (status === 'busy' ? BUSY : DONE);
  } catch (error) {
    abandoned = true;
    // Once the callback has run, a failure leaves open whether it was committed; the next attempt will see.
    return failure ?? { code: 'store_failed', status: started.hasFired ? 500 : 503, error };
  }
}

/** By how much the store's limit on the callback is above the handler's, which is the one to be reported. */
const BACKSTOP_MS = 1_000;

/** Something that happens once. */
class Signal {
  hasFired = false;
  fire: () => void = () => undefined;
  readonly fired = new Promise<void>((resolve) => {
    this.fire = () => {
      this.hasFired = true;
      resolve();
    };
  });
}

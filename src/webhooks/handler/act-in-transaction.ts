import type { Claim, Transact } from '../../stores/idempotency-store';
import { DeadlineExceeded, inTime } from './deadline';
import type { ResolvedHandlerOptions } from './resolve-options';
import { BUSY, callbackFailure, DONE, type Ending, type Running, startCallback, type Task } from './task';

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
    let running: Running | undefined;
    try {
      running = startCallback(task, claim, transaction, options);
      await running.inTime;
      ended.fire();
    } catch (error) {
      failure = callbackFailure(error);
      ended.fire();
      // The answer goes out now. The store holds the subject until this ends: a callback that has outlived its time is
      // still at work, and another one must not run beside it. Whatever it still gives, the transaction is rolled back.
      await running?.ended;
      throw error;
    }
  };
  const timeoutMs = callbackTimeoutMs + BACKSTOP_MS;
  const request = { subject, state, retentionMs: task.retentionMs, timeoutMs };
  try {
    const transacted = transact(request, work);
    await inTime(storeTimeoutMs, Promise.race([started.fired, transacted]));
    await Promise.race([ended.fired, transacted]);
    if (failure?.code === 'callback_timeout') return failure;
    const { status } = await inTime(storeTimeoutMs, transacted);
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

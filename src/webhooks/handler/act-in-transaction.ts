import type { Claim, Transact } from '../../stores/idempotency-store';
import { DeadlineExceeded, inTime } from './deadline';
import type { ResolvedHandlerOptions } from './resolve-options';
import { BUSY, callbackFailure, DONE, type Ending, type Running, startCallback, type Task } from './task';

/** Runs claim, callback and completion in one transaction of the store. */
export async function actInTransaction(
  task: Task,
  transact: Transact<unknown>,
  options: ResolvedHandlerOptions,
): Promise<Ending> {
  const { storeTimeoutMs, callbackTimeoutMs } = options;
  const { subject, state } = task.identity;
  const started = new OneTimeEvent();
  const ended = new OneTimeEvent();
  let abandoned = false;
  let failure: Ending | undefined;
  const work = async (transaction: unknown, claim: Claim) => {
    // The service was already answered 503, so the callback must not run.
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
      // The answer goes out now. The store holds the subject until this function ends, so that no other callback runs
      // beside one that has outlived its time. However that one ends, the transaction is rolled back.
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
    // After the callback has started, a failure leaves open whether it was committed. The next attempt finds out.
    return failure ?? { code: 'store_failed', status: started.hasFired ? 500 : 503, error };
  }
}

/** By how much the store's limit for the callback exceeds the handler's, so that the handler's is the one reported. */
const BACKSTOP_MS = 1_000;

/** An event that happens once. */
class OneTimeEvent {
  hasFired = false;
  fire: () => void = () => undefined;
  readonly fired = new Promise<void>((resolve) => {
    this.fire = () => {
      this.hasFired = true;
      resolve();
    };
  });
}

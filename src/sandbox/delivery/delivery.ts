import type { Credentials } from '../../service/credentials';
import type { SandboxNotification } from '../model/records';

/** One notification on its way to the listener. */
export interface Delivery {
  /** What `redeliver` takes. */
  readonly id: string;
  /** What it tells of; `custom` for one sent with `notify`. */
  readonly kind: SandboxNotification['kind'];
  /** Where it goes, the query flags included; credentials in it are blanked. */
  readonly url: string;
  /** The body; `credentials` of your own in it are blanked. Personal data, where you gave the sandbox any. */
  readonly payload: object;
  /** `'pending'` until an attempt was answered with 200, or the last retry failed. */
  readonly status: 'pending' | 'delivered' | 'given-up';
  /** Every attempt so far, the first one first. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** One attempt to deliver. */
export interface DeliveryAttempt {
  /** 1 for the first; the service makes up to 6. */
  readonly number: number;
  /** Whether `redeliver` made it, rather than the service's own schedule. */
  readonly manual: boolean;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** How long the answer took, or its absence was waited for, in milliseconds. */
  readonly durationMs: number;
  /** What the listener answered, if it did. Only 200 is a success. */
  readonly httpStatus: number | undefined;
  /** Why there was no answer: `ECONNREFUSED`, or `timeout`. */
  readonly error: string | undefined;
}

/** How an attempt ended. */
export type SendResult = Pick<DeliveryAttempt, 'httpStatus' | 'error' | 'durationMs'> & {
  /** The beginning of what the listener wrote, for the sandbox's page alone: it may hold anything. */
  readonly text?: string;
};

/** What carries a notification: HTTP, or a test's handler. It never rejects. */
export type Send = (notification: { url: string; body: string; signal: AbortSignal }) => Promise<SendResult>;

/** What is the same for all notifications. */
export interface SendOptions {
  readonly credentials: Credentials;
  /** Over the whole attempt. */
  readonly timeoutMs: number;
}

/** Sends so many notifications at a time: ten thousand payments in a row must not run out of file descriptors. */
export function atMost(limit: number, send: Send): Send {
  let running = 0;
  const waiting: (() => void)[] = [];

  return async (notification) => {
    if (running === limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await send(notification);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      // The place goes over to the next one as it is.
      else next();
    }
  };
}

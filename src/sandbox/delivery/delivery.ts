import type { Credentials } from '../../service/credentials';
import type { SandboxNotification } from '../model/records';

/** One notification on its way to the listener. */
export interface Delivery {
  /** What `redeliver` takes. */
  readonly id: string;
  /** The kind of notification; `custom` for one sent with `notify`. */
  readonly kind: SandboxNotification['kind'];
  /** The listener's URL with the query flags; credentials in it are blanked. Empty as long as it is not sent. */
  readonly url: string;
  /** The body; your own `credentials` in it are blanked. It holds personal data if you gave the sandbox any. */
  readonly payload: object;
  /**
   * `'pending'` until an attempt is answered with 200 or the last retry fails. `'not-sent'`: there was no listener's URL,
   * and `redeliver` sends it once there is one.
   */
  readonly status: 'not-sent' | 'pending' | 'delivered' | 'given-up';
  /** Every attempt so far, the first one first. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** One attempt to deliver. */
export interface DeliveryAttempt {
  /** 1 for the first. The service makes up to 6; `redeliver` adds more. */
  readonly number: number;
  /** `true` for an attempt by `redeliver`, `false` for one of the service's own schedule. */
  readonly manual: boolean;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** From the request to the end of the answer, or to the failure, in milliseconds. */
  readonly durationMs: number;
  /** The listener's HTTP status, if it answered. Only 200 is a success. */
  readonly httpStatus: number | undefined;
  /** Why there was no answer, such as `ECONNREFUSED` or `timeout`. */
  readonly error: string | undefined;
}

/** How an attempt ended. */
export type SendResult = Pick<DeliveryAttempt, 'httpStatus' | 'error' | 'durationMs'> & {
  /** The beginning of the listener's answer. Only for the sandbox's page, because it may hold anything. */
  readonly text?: string;
};

/** Sends one notification, over HTTP or to a test's handler. Never rejects. */
export type Send = (notification: { url: string; body: string; signal: AbortSignal }) => Promise<SendResult>;

/** The same for all notifications. */
export interface SendOptions {
  readonly credentials: Credentials;
  /** For the whole attempt. */
  readonly timeoutMs: number;
}

/** Sends up to `limit` notifications at a time: ten thousand payments in a row must not exhaust file descriptors. */
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
      // The next one takes over this place, so `running` stays the same.
      else next();
    }
  };
}

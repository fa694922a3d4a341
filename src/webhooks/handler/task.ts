import type { Claim } from '../../stores/idempotency-store';
import type { Identity } from '../notification/notification-key';
import { CallbackContext } from './callback-context';
import { DeadlineExceeded, inTime } from './deadline';
import type { WebhookCallback } from './options';
import type { WebhookReportCode } from './report';
import type { ResolvedHandlerOptions } from './resolve-options';

/** The result of acting on a notification. Anything but `done` is reported. */
export type Ending =
  | { readonly code: 'done' }
  | {
      readonly code: Extract<
        WebhookReportCode,
        'busy' | 'callback_failed' | 'callback_timeout' | 'store_failed' | 'lease_lost'
      >;
      readonly status: 500 | 503;
      readonly error?: unknown;
    };

/** A notification to act on, with its callback. */
export interface Task {
  readonly notification: unknown;
  readonly identity: Identity;
  readonly callback: WebhookCallback<unknown, unknown>;
  readonly credentialIndex: number;
  readonly retentionMs: number;
}

export const DONE: Ending = { code: 'done' };
export const BUSY: Ending = { code: 'busy', status: 503 };

/** A running callback. */
export interface Running {
  /** Settles as the callback does, or rejects with `DeadlineExceeded` when its time is over. */
  readonly inTime: Promise<void>;
  /** Settles as the callback does, however long it takes. */
  readonly ended: Promise<void>;
}

/**
 * Starts the callback, and fires its signal when its time is over.
 *
 * @throws what the callback throws before it returns a promise
 */
export function startCallback(
  { notification, identity, callback, credentialIndex }: Task,
  { fence, handledStates }: Claim,
  transaction: unknown,
  { callbackTimeoutMs }: ResolvedHandlerOptions,
): Running {
  const context = new CallbackContext(identity.key, handledStates, credentialIndex, fence, transaction);
  const ended = Promise.resolve(callback(notification, context));
  return { ended, inTime: inTime(callbackTimeoutMs, ended, (error) => context.expire(error)) };
}

export function callbackFailure(
  error: unknown,
): Ending & { readonly code: 'callback_failed' | 'callback_timeout' } {
  return error instanceof DeadlineExceeded
    ? { code: 'callback_timeout', status: 500 }
    : { code: 'callback_failed', status: 500, error };
}

import type { ValidationIssue } from '../shared/validation-issue';
import { confirmPayment, type PaymentConfirmation } from '../values/confirm-payment';
import type { Cause, Task } from './cause';
import type { Listener } from './listener';
import type { WebhookCallback } from './options';
import { ORDER_KINDS } from './order-link';
import type { Failure, Ignored } from './outcome';
import type { Comparison } from './unexpected-repeat';

/** A notification with the callback to run for it. */
export interface Run extends Task {
  readonly callback: WebhookCallback<unknown, unknown, unknown>;
  /** Asks the service whether the notification is true. Missing without the handler's option `confirm`. */
  readonly confirm?: ((signal?: AbortSignal) => Promise<PaymentConfirmation>) | undefined;
  readonly retentionMs: number;
  /** Whether its order decides what runs, in place of `callback`. */
  readonly isOfOrder: boolean;
  /** What a repeat is recognized by; missing for a body without an identity. */
  readonly comparison?: Comparison | undefined;
}

/** Finds the callback for a notification, or says what becomes of one without a callback. */
export function callbackFor(
  task: Task,
  issues: readonly ValidationIssue[] | undefined,
  listener: Listener,
): Run | Ignored | Failure {
  const { notification, cause } = task;
  const { callbacks, orders, unrecognizedRetentionMs, retentionMs } = listener;
  const { kind } = notification;
  const isOfOrder = orders !== undefined && ORDER_KINDS.has(kind);
  const callback = isOfOrder ? decidedByItsOrder : callbacks[kind];
  if (callback === undefined || callback === 'ignore') {
    // Even if `unrecognized` is ignored: this body seems to be of a known kind, and may be a payment.
    if (issues !== undefined) return { code: 'invalid_notification', status: 400, issues };
    return callback === 'ignore' ? { code: 'ignored' } : { code: 'unhandled', status: 200 };
  }
  const run = { ...task, callback, isOfOrder };
  if (kind === 'unrecognized') return { ...run, retentionMs: unrecognizedRetentionMs };
  const source = kind === 'payment' ? sourceFor(cause, listener) : undefined;
  if (source?.client === undefined) return { ...run, retentionMs };
  const { client, acceptRefunded } = source;
  const payment = asConfirmed(task);
  return {
    ...run,
    retentionMs,
    confirm: (signal) => confirmPayment(client, payment, { acceptRefunded, signal }),
  };
}

/** Who confirms a payment; nobody without the handler's option `confirm`. */
function sourceFor(cause: Cause, { confirm, orders }: Listener) {
  if (cause.origin === 'settlement') return { client: cause.said, acceptRefunded: true };
  // A person's decision is confirmed even where nothing else is.
  return cause.origin === 'decision' ? { client: orders?.client, acceptRefunded: true } : confirm;
}

type ConfirmedPayment = Parameters<typeof confirmPayment>[1];

/** What of a payment the service is to confirm. */
function asConfirmed({ notification, cause, isMeant }: Task): ConfirmedPayment {
  const payment = notification as ConfirmedPayment;
  const decision = cause.origin === 'decision' ? cause : undefined;
  // The service knows the amount of the first payment of a sale only.
  const isAgain = decision?.isAgain && { amount: undefined };
  // Its reference has found the order, or a person has named that: it proves nothing.
  const isRouted = (isMeant || decision?.booking.order !== undefined) && { referenceCode: undefined };
  const payload = { ...payment.payload, ...isAgain, ...isRouted };
  return isAgain ? { kind: 'payment', payload } : { ...payment, payload };
}

/** Stands for a callback where the order of the notification decides what runs. */
const decidedByItsOrder = () => undefined;

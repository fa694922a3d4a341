import { documentedKinds } from '../service/notifications';
import type { OrderReference } from '../service/notifications/notification';
import type { SingleRecords } from '../stores/steps';
import type { AnyDefinition } from './kinds';
import type { WebhookReportCode } from './report';

/**
 * What became of an attempt to give an order its journey.
 *
 * - `'sending'`: the intent is recorded, and the call is on its way
 * - `'created'`: the order's journey, whose QR code may be shown
 * - `'closed'`: it can no longer be paid
 * - `'refused'`: the service did not act, so there is no journey
 * - `'lost'`: there may be a journey, or there is one, and nobody has seen its QR code
 * - `'paid'`: its payment was acted on
 * - `'review'`: the service says that it is paid, and does not confirm the payment: a person has to look
 */
export type AttemptState = 'sending' | 'created' | 'closed' | 'refused' | 'lost' | 'paid' | 'review';

/** The order of a notification, as it was before: found by the transaction's uuid, else by its reference. */
export interface NotifiedOrder {
  /** Your key of the order. */
  readonly key: string;
  /** Which attempt of the order it is about; 1 for the first. */
  readonly attempt: number;
  /**
   * The attempt's state, as it was before. `'created'`: the payer paid what you showed. `'paid'`, with `paidBy` equal to
   * `attempt`: a later charge of the same journey. Any other is one for a person to look at.
   */
  readonly state: AttemptState;
  /** The attempt that paid the order before; `undefined` if none has. */
  readonly paidBy?: number | undefined;
}

/** Which order a notification is about. */
export interface OrderQuestion {
  readonly reference: OrderReference;
  /** The uuid of the transaction, if the notification is a payment: once it is acted on, the order is paid. */
  readonly paidUuid: string | undefined;
}

/** Asks whose order a notification of one of these kinds is about. */
export function orderQuestion(
  { kind, payload }: { readonly kind: string; readonly payload?: unknown },
  kinds: readonly AnyDefinition[],
): OrderQuestion {
  const isIt = (each: { readonly kind: string }) => each.kind === kind;
  const { order } = documentedKinds.find(isIt) ?? kinds.find(isIt) ?? {};
  const reference = (order as ((payload: unknown) => OrderReference) | undefined)?.(payload) ?? {};
  return { reference, paidUuid: kind === 'payment' ? (reference.uuid ?? undefined) : undefined };
}

/** What `createOrders` adds to a listener. */
export interface OrderLink {
  /** The key of the order that the reference leads to. */
  find(records: SingleRecords, reference: OrderReference): Promise<string | undefined>;
  /** The order, as it is now. In a transaction, it is locked until its end. */
  read(records: SingleRecords, key: string, reference: OrderReference): Promise<ReadOrder | undefined>;
}

/** An order that was read. */
export interface ReadOrder {
  readonly order: NotifiedOrder;
  /**
   * Records that the attempt's payment is acted on, in the same records: before the callback in a transaction, else
   * after it. Changes nothing if that is recorded.
   */
  readonly markPaid: (uuid: string) => Promise<void>;
  /**
   * Set where no callback may run, because a person has to decide: writes what that person gets, in the same records,
   * and resolves with what is reported. The state is left undone, so that the decision can still run it.
   */
  readonly leaveUndone?: (() => Promise<LeftUndone>) | undefined;
}

/** A notification that was left undone on purpose. */
export interface LeftUndone {
  readonly code: WebhookReportCode;
  /** What it is answered with. */
  readonly status: number;
}

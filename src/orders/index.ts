/**
 * The parts joined: one order, one journey, one booking.
 *
 * @module pix-automatic-sdk/orders
 */

export type { Booking } from '../webhooks/cause';
export type { MeantPayment, NotifiedOrder } from '../webhooks/order-link';
export type { AttemptState, BookedPayment, FoundCase, ReturnedMoney } from './attempt';
export type { CancelledRecurrences, CancelRecurrenceOptions } from './cancel-recurrence';
export type { Case, CaseCounts } from './cases';
export {
  type CaseQuery,
  createOrders,
  type OrderQuery,
  // The class is not exported: `createOrders` makes it.
  type Orders,
  type StartOptions,
} from './create-orders';
export type { Decided, DecideResult } from './decide';
export { OrderBusyError, OrderConflictError } from './errors';
export type { Person } from './forget-person';
export type { ClosedOrder, FoundAttempt, FoundOrder } from './found-order';
export type { LostEventCounts } from './lost-events';
export type { DoneMaintain, MaintainResult } from './maintain';
export type { SkippedMaintain } from './maintain-record';
export type { OpenedOrder, OpenOptions, OrderRequest } from './open';
export type {
  ForeignNotification,
  NeedsPerson,
  OrderCallbacksOf,
  OrderContext,
  OrdersOptions,
  PaidOrder,
  RecurrenceOfOrder,
  ReturnedOrder,
} from './options';
export type { MaintainOptions, ReconcileCounts, ReconcileOrdersOptions } from './reconcile';
export type { RecurrenceEvent } from './recurrence-events';
export type { FoundRecurrence, RecurrenceCharge } from './recurrences';

/**
 * The parts joined: one order, one journey, one booking.
 *
 * @module pix-automatic-sdk/orders
 */

export type { Booking } from '../webhooks/cause';
export type { MeantPayment, NotifiedOrder } from '../webhooks/order-link';
export type { AttemptState, BookedPayment, FoundCase, ReturnedMoney } from './attempt';
export type { Case, CaseCounts, DecideResult } from './cases';
export {
  createOrders,
  type ForeignNotification,
  type FoundAttempt,
  type FoundOrder,
  type NeedsPerson,
  type OrderCallbacksOf,
  type OrderContext,
  // The class is not exported: `createOrders` makes it.
  type Orders,
  type OrdersOptions,
  type PageQuery,
  type PaidOrder,
  type ReturnedOrder,
  type StartOptions,
} from './create-orders';
export { OrderBusyError, OrderConflictError } from './errors';
export type { Person } from './forget-person';
export type { DoneMaintain, MaintainResult, SkippedMaintain } from './maintain';
export type { OpenedOrder, OpenOptions, OrderRequest } from './open';
export type { ReconcileCounts, ReconcileOrdersOptions } from './reconcile';

/**
 * The parts joined: one order, one journey, one booking.
 *
 * @module pix-automatic-sdk/orders
 */

export type { AttemptState, NotifiedOrder } from '../webhooks/order-link';
export {
  createOrders,
  type FoundOrder,
  type ListedOrder,
  // The class is not exported: `createOrders` makes it.
  type Orders,
  type OrdersOptions,
} from './create-orders';
export { OrderBusyError, OrderConflictError } from './errors';
export type { MaintainResult } from './maintain';
export type { OpenedOrder, OrderRequest } from './open';
export type { ReconcileCounts, ReconcileOrdersOptions } from './reconcile';

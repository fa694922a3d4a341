import type { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders, type OpenedOrder, type OrderRequest, type Orders } from 'pix-automatic-sdk/orders';
import { type Credentials, MemoryStore } from 'pix-automatic-sdk/webhooks';

/** The shop's database. */
export interface Database {
  markAsPaid(orderKey: string): Promise<void>;
  addRefund(saleToken: string, amount: number): Promise<void>;
  /** Somebody must look at a payment whose QR code the shop has shown to nobody. */
  askAPerson(saleToken: string): Promise<void>;
}

/** Starts a subscription, with the QR code to show to the customer: always the same one. */
export function subscribe<Transaction>(
  orders: Orders<Transaction>,
  orderKey: string,
  request: OrderRequest,
): Promise<OpenedOrder> {
  return orders.open(orderKey, request);
}

/** Opens journeys and receives the notifications. The client confirms each payment with the service. */
export function openShop(credentials: Credentials, client: PaymentsClient, database: Database) {
  return createOrders({
    client,
    credentials,
    store: new MemoryStore(),
    on: {
      payment: ({ payload: { saleToken } }, { order }) =>
        order?.state === 'created' && order.paidBy === undefined
          ? database.markAsPaid(order.key)
          : database.askAPerson(saleToken),
      refund: ({ payload }) => database.addRefund(payload.saleToken, payload.refund.amount ?? 0),
      reversal: 'ignore',
      payout: 'ignore',
    },
    onReport: () => {},
  });
}

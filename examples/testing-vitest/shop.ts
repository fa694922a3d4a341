import {
  createOrders,
  type OpenedOrder,
  type OrderRequest,
  type Orders,
  type OrdersOptions,
} from 'pix-automatic-sdk/orders';

/** The shop's database. */
export interface Database {
  /** May run twice for one order, after a crash. */
  markAsPaid(orderKey: string): Promise<void>;
  addRefund(saleToken: string, amount: number): Promise<void>;
}

/** Starts a subscription, with the QR code to show to the customer: always the same one. */
export function subscribe(orders: Orders, orderKey: string, request: OrderRequest): Promise<OpenedOrder> {
  return orders.open(orderKey, request);
}

/** Opens journeys and receives the notifications. The client confirms each payment with the service. */
export function openShop(
  parts: Pick<OrdersOptions, 'client' | 'credentials' | 'store'>,
  database: Database,
): Orders<undefined> {
  return createOrders({
    ...parts,
    on: {
      paid: ({ order }) => database.markAsPaid(order),
      returned: ({ sale, amount }) => database.addRefund(sale, amount),
      payout: 'ignore',
    },
    onReport: () => {},
  });
}

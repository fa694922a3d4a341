import {
  createOrders,
  type NotifiedOrder,
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
  /** Somebody must look at a payment whose QR code the shop has shown to nobody. */
  askAPerson(saleToken: string): Promise<void>;
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
      payment: ({ payload: { saleToken } }, { order }) =>
        order !== undefined && isExpected(order)
          ? database.markAsPaid(order.key)
          : database.askAPerson(saleToken),
      refund: ({ payload }) => database.addRefund(payload.saleToken, payload.refund.amount ?? 0),
      reversal: 'ignore',
      payout: 'ignore',
    },
    onReport: () => {},
  });
}

/** The QR code was shown, and nothing else has paid the order. After a crash, this attempt itself has. */
function isExpected({ state, attempt, paidBy }: NotifiedOrder): boolean {
  return (state === 'created' && paidBy === undefined) || (state === 'paid' && paidBy === attempt);
}

import { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders, type OrderRequest, type Orders } from 'pix-automatic-sdk/orders';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';

// Next.js may load a module once for pages and once for route handlers, so a variable of the module would not be shared
// between them. With a store in your database, which several processes need, it may be one.
const shared = globalThis as { orders?: Orders };

/** `next build` loads this file without credentials, so the first request creates the orders. */
export function orders(): Orders {
  shared.orders ??= createOrders({
    client: PaymentsClient.fromEnv(), // it confirms each payment before the callback runs
    store: new MemoryStore(), // for one process
    on: {
      // If a callback throws, the handler answers 500, and the notification comes again in about a minute.
      async paid({ order }) {
        console.log(`${order}: paid`);
      },
      returned: 'ignore',
    },
    onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
  });
  return shared.orders;
}

/** What every order asks for. */
export const request: OrderRequest = {
  currency: 'BRL',
  amount: 59.7,
  shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
  recurrence: {
    immediatePayment: true,
    amount: { recurrenceAmount: 29.9 },
    calendar: { periodicity: 'MONTHLY' },
  },
};

import { PaymentsClient } from 'pix-automatic-sdk';
import { createWebhookHandler, MemoryStore, type WebhookHandler } from 'pix-automatic-sdk/webhooks';
import { orders } from '../../lib/orders';

let handler: WebhookHandler | undefined;

// `next build` loads this file without credentials, so the first request creates the handler.
// On SIGTERM Next.js itself accepts no more requests and finishes the running ones, so there is nothing to drain.
export function POST(request: Request): Promise<Response> {
  handler ??= createHandler();
  return handler(request);
}

function createHandler(): WebhookHandler {
  const { PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '' } = process.env;
  const client = PaymentsClient.fromEnv();

  return createWebhookHandler({
    credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
    confirm: client, // the service confirms each payment before its callback runs
    store: new MemoryStore(), // for one process; several processes need a store of pix-automatic-sdk/stores
    on: {
      async payment(notification) {
        const order = orders.get(notification.payload.saleToken);
        // If a callback throws, the handler answers 500, and the notification comes again in about a minute.
        if (!order) throw new Error('No order has this transaction');
        console.log(`${order.reference}: notified of its payment`);
        order.paid = true;
        console.log(`${order.reference}: paid`);
      },
    },
    onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
  });
}

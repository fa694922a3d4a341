import { confirmPayment, PaymentsClient } from 'pix-automatic-sdk';
import { createWebhookHandler, MemoryStore, type WebhookHandler } from 'pix-automatic-sdk/webhooks';
import { orders } from '../../lib/orders';

let handler: WebhookHandler | undefined;

// `next build` loads this file, and has no credentials then: the handler is made when the first request comes.
// On SIGTERM Next.js itself takes no more requests and finishes those that run, so there is nothing to drain.
export function POST(request: Request): Promise<Response> {
  handler ??= createHandler();
  return handler(request);
}

function createHandler(): WebhookHandler {
  const { PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '' } = process.env;
  const client = PaymentsClient.fromEnv();

  return createWebhookHandler({
    credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
    store: new MemoryStore(), // for one process; several need a store of pix-automatic-sdk/stores
    on: {
      async payment(notification) {
        const order = orders.get(notification.payload.saleToken);
        // A callback that throws is answered 500, and the notification comes again in about a minute.
        if (!order) throw new Error('No order has this transaction');
        console.log(`${order.reference}: notified of its payment`);
        const { confirmed } = await confirmPayment(client, notification);
        if (!confirmed) throw new Error('The service does not confirm it');
        order.paid = true;
        console.log(`${order.reference}: paid`);
      },
    },
    onReport: ({ code, reason, error }) =>
      console.error(code, reason ?? (error as Error | undefined)?.message),
  });
}

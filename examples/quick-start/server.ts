// A subscription, from its QR code to its first payment.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaymentsClient } from 'pix-automatic-sdk';
import { createWebhookHandler, toNodeListener } from 'pix-automatic-sdk/webhooks';

const { PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '', PORT = '3000' } = process.env;
const client = PaymentsClient.fromEnv(); // PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_API_TOKEN
const orders = new Map<string, { reference: string; paid: boolean }>(); // stands for your database

const handler = createWebhookHandler({
  credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
  confirm: client, // the service confirms each payment before its callback runs
  on: {
    async payment(notification) {
      const { saleToken, currency, amount } = notification.payload;
      const order = orders.get(saleToken);
      // If a callback throws, the handler answers 500, and the notification comes again in about a minute.
      if (!order) throw new Error(`No order has the transaction ${saleToken}`);

      order.paid = true;
      console.log(`${order.reference} is paid: ${currency} ${amount}`);
    },
  },
  // Gets everything that was not processed.
  onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
});

async function subscribe(): Promise<void> {
  const reference = `order-${1001 + orders.size}`;
  const { response } = await client.createRecurringCheckout({
    currency: 'BRL',
    referenceCode: reference,
    amount: 59.7,
    shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
    recurrence: {
      immediatePayment: true,
      amount: { recurrenceAmount: 29.9 },
      calendar: { periodicity: 'MONTHLY' },
    },
  });
  // Store the uuid first: notifications and queries identify the transaction by it.
  orders.set(response.uuid, { reference, paid: false });
  console.log(`Transaction ${response.uuid}`);
  console.log(`The payer scans or pastes ${response.instructions.qrCode.plain}`);
}

const listener = toNodeListener(handler);
const server = createServer((request, response) => {
  if (request.url !== '/subscriptions') return listener(request, response);
  subscribe().then(
    () => response.end(),
    () => response.writeHead(502).end(),
  );
});
server.listen(Number(PORT), async () => {
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
  await subscribe();
});

process.once('SIGTERM', async () => {
  // Running callbacks finish. A notification that comes now is answered 503, and comes again.
  await handler.drain();
  server.close();
  console.log('Drained');
});

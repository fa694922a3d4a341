// A subscription, from its QR code to its first payment.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';

const { PORT = '3000' } = process.env;

const orders = createOrders({
  client: PaymentsClient.fromEnv(), // PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_API_TOKEN
  store: new MemoryStore(), // stands for your database
  on: {
    // Runs once for each payment that is expected, after the service has confirmed it. If it throws, it runs again.
    async paid({ order, currency, amount }) {
      console.log(`${order} is paid: ${currency} ${amount}`);
    },
    async returned({ order, amount, left }) {
      console.log(`${order}: ${amount} went back, ${left} is left`);
    },
  },
  // Gets everything that was not processed.
  onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
});

let count = 0;

async function subscribe(): Promise<void> {
  count += 1;
  const order = await orders.open(`order-${1000 + count}`, {
    currency: 'BRL',
    amount: 59.7,
    shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
    recurrence: {
      immediatePayment: true,
      amount: { recurrenceAmount: 29.9 },
      calendar: { periodicity: 'MONTHLY' },
    },
  });
  if (order.state !== 'open') return;
  console.log(`Transaction ${order.uuid}`);
  console.log(`The payer scans or pastes ${order.qrCode.plain}`);
}

const server = createServer((request, response) => {
  if (request.url !== '/subscriptions') return orders.webhook(request, response);
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
  await orders.stop();
  server.close();
  console.log('Drained');
});

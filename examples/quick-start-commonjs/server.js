// A subscription, from its QR code to its first payment.
const { createServer } = require('node:http');
const { PaymentsClient } = require('pix-automatic-sdk');
const { createWebhookHandler, toNodeListener } = require('pix-automatic-sdk/webhooks');

const client = PaymentsClient.fromEnv(); // PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_API_TOKEN
const orders = new Map(); // in place of your database

const handler = createWebhookHandler({
  credentials: { apiKey: process.env.PAYMENTS_API_KEY, apiToken: process.env.PAYMENTS_API_TOKEN },
  on: {
    payment({ payload }) {
      const order = orders.get(payload.saleToken);
      // A callback that throws is answered 500, and the notification comes again in about a minute.
      if (!order) throw new Error(`No order has the transaction ${payload.saleToken}`);
      order.paid = true;
      console.log(`${order.reference} is paid: ${payload.currency} ${payload.amount}`);
    },
  },
  // Told of everything that was not acted on.
  onReport: ({ code, message }) => console.error(`${code}: ${message}`),
});

const server = createServer(toNodeListener(handler));
server.listen(process.env.PORT ?? 3000, async () => {
  console.log(`Listening on http://localhost:${server.address().port}`);

  const { response } = await client.createRecurringCheckout({
    currency: 'BRL',
    referenceCode: 'order-1001',
    amount: 59.7,
    shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
    recurrence: {
      immediatePayment: true,
      amount: { recurrenceAmount: 29.9 },
      calendar: { periodicity: 'MONTHLY' },
    },
  });
  // Store the uuid first: it is how notifications and queries name the transaction.
  orders.set(response.uuid, { reference: response.referenceCode, paid: false });
  console.log(`Transaction ${response.uuid}`);
  console.log(`The payer scans or pastes ${response.instructions.qrCode.plain}`);
});

process.once('SIGTERM', async () => {
  // What runs is finished; a notification that comes now is answered 503, and comes again.
  await handler.drain();
  server.close();
  console.log('Drained');
});

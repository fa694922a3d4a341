// A page that shows the QR code, and a listener for the payment and its refunds, in Express.
import type { AddressInfo } from 'node:net';
import express from 'express';
import { decodeQrCode, PaymentsClient } from 'pix-automatic-sdk';
import { createWebhookHandler, toNodeListener } from 'pix-automatic-sdk/webhooks';

const { PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '', PORT = '3000' } = process.env;
const client = PaymentsClient.fromEnv();
const references = new Map<string, string>(); // stands for your database: the order of each transaction

const handler = createWebhookHandler({
  credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
  confirm: client, // the service confirms each payment before its callback runs
  on: {
    async payment(notification) {
      const reference = references.get(notification.payload.saleToken);
      console.log(`${reference}: notified of its payment`);
      console.log(`${reference}: paid`);
    },
    refund({ payload }) {
      console.log(`${references.get(payload.saleToken)}: ${payload.refund.amount} refunded`);
    },
    payout: 'ignore',
  },
  onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
});

const app = express();
app.use(express.json({ limit: '1mb' })); // may come before or after the listener, which also takes a parsed body
app.all('/webhooks', toNodeListener(handler));

app.post('/subscriptions', async (_request, response) => {
  const referenceCode = `order-${1001 + references.size}`;
  const { response: journey } = await client.createRecurringCheckout({
    currency: 'BRL',
    referenceCode,
    amount: 59.7,
    shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
    recurrence: {
      immediatePayment: true,
      amount: { recurrenceAmount: 29.9 },
      calendar: { periodicity: 'MONTHLY' },
    },
  });
  references.set(journey.uuid, referenceCode);
  // A journey may have no picture. Its text is enough to pay.
  const image = decodeQrCode(journey.instructions.qrCode);
  const picture = image ? `<img src="${image.dataUrl}" alt="QR code">` : '';
  response.send(`${picture}<p>${journey.instructions.qrCode.plain}</p>`);
});

const server = app.listen(Number(PORT), () => {
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', async () => {
  await handler.drain();
  server.close();
  console.log('Drained');
});

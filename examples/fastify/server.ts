// A route for subscriptions that tells the caller what a failed call means, and a listener for payments and reversals.
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { PaymentsClient, PaymentsError } from 'pix-automatic-sdk';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';

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
    // The service returns money to the payer: PENDING, then PAID or CANCELLED. Each state is processed once.
    reversal({ payload }) {
      console.log(`${references.get(payload.sale?.uuid ?? '')}: reversal ${payload.status}`);
    },
  },
  onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
});

const app = fastify();

app.all('/webhooks', async (request, reply) => {
  const { status, headers, body } = await handler.handle(request);
  return reply.code(status).headers(headers).send(body);
});

app.post<{ Body: { referenceCode: string } }>('/subscriptions', async ({ body }, reply) => {
  const { referenceCode } = body;
  try {
    const { response } = await client.createRecurringCheckout({
      currency: 'BRL',
      referenceCode,
      amount: 59.7, // the first payment, made right away
      shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
      recurrence: {
        immediatePayment: true,
        amount: { recurrenceAmount: 29.9 },
        calendar: { initialDate: '2026-12-21', periodicity: 'MONTHLY' },
      },
    });
    references.set(response.uuid, referenceCode);
    return { uuid: response.uuid, qrCode: response.instructions.qrCode.plain };
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error;
    // `unknown`: the journey may exist. Never create it again under the same reference.
    console.error(`${referenceCode}: ${error.code}, outcome ${error.outcome}`);
    return reply.code(error.outcome === 'unknown' ? 502 : 503).send({ outcome: error.outcome });
  }
});

app.addHook('preClose', () => handler.drain());
process.once('SIGTERM', async () => {
  await app.close();
  console.log('Drained');
});

await app.listen({ host: '0.0.0.0', port: Number(PORT) });
console.log(`Listening on http://localhost:${(app.server.address() as AddressInfo).port}`);

import { Hono } from 'hono';
import { PaymentsClient } from 'pix-automatic-sdk';
import { createWebhookHandler, MemoryStore, type WebhookHandler } from 'pix-automatic-sdk/webhooks';

interface Env {
  PAYMENTS_BASE_URL: string;
  PAYMENTS_API_KEY: string;
  PAYMENTS_API_TOKEN: string;
  DB: Database;
}

/** The part of a D1 binding that is used here; `wrangler types` writes its full type. */
interface Database {
  prepare(sql: string): { bind(...values: unknown[]): { run(): Promise<{ meta: { changes: number } }> } };
}

/** A Worker gets its secrets with the first request. Keep the handler for later ones: it knows what was processed. */
let handler: WebhookHandler | undefined;

function createClient(env: Env): PaymentsClient {
  const { PAYMENTS_BASE_URL: baseUrl, PAYMENTS_API_KEY: apiKey, PAYMENTS_API_TOKEN: apiToken } = env;
  return new PaymentsClient({ baseUrl, apiKey, apiToken });
}

function createHandler(env: Env): WebhookHandler {
  const { PAYMENTS_API_KEY, PAYMENTS_API_TOKEN, DB } = env;
  const client = createClient(env);
  return createWebhookHandler({
    credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
    confirm: client, // the service confirms each payment before its callback runs
    // This store sees only its own isolate, and there are many. The primary key below recognizes duplicates across all.
    store: new MemoryStore(),
    on: {
      payment: async (notification) => {
        const { payload, key } = notification;
        const { meta } = await DB.prepare('INSERT INTO payments VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
          .bind(key, payload.referenceCode ?? null, payload.amount ?? null)
          .run();
        console.log(`${payload.referenceCode} ${meta.changes === 1 ? 'is paid' : 'was paid before'}`);
      },
      reversal: 'ignore',
      refund: 'ignore',
      payout: 'ignore',
    },
  });
}

const app = new Hono<{ Bindings: Env }>();

app.post('/subscriptions', async (c) => {
  const { referenceCode } = await c.req.json<{ referenceCode: string }>();
  const { response } = await createClient(c.env).createRecurringCheckout({
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
  return c.json({ uuid: response.uuid, copyAndPaste: response.instructions.qrCode.plain });
});

app.all('/webhooks', (c) => {
  handler ??= createHandler(c.env);
  return handler(c.req.raw);
});

export default app;

import { Hono } from 'hono';
import { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders, type Orders } from 'pix-automatic-sdk/orders';
import { createStore } from 'pix-automatic-sdk/stores';
import { type D1Database, D1Records } from './d1-records';

interface Env {
  DB: D1Database;
  PAYMENTS_BASE_URL: string;
  PAYMENTS_API_KEY: string;
  PAYMENTS_API_TOKEN: string;
}

/** A Worker gets its secrets with the first request. */
let orders: Orders | undefined;

function ordersOf({ DB, ...env }: Env): Orders {
  orders ??= createOrders({
    client: PaymentsClient.fromEnv(env), // it confirms each payment before the callback runs
    store: createStore(new D1Records(DB)), // shared by all isolates
    on: {
      // It runs at least once. The primary key makes a second run harmless.
      async paid({ order, amount }, { key }) {
        await DB.prepare('INSERT INTO payments VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
          .bind(key, order, amount)
          .run();
        console.log(`${order} is paid`);
      },
      returned: 'ignore',
      payout: 'ignore',
    },
  });
  return orders;
}

const app = new Hono<{ Bindings: Env }>();

app.post('/subscriptions', async (c) => {
  const { referenceCode } = await c.req.json<{ referenceCode: string }>();
  const order = await ordersOf(c.env).open(referenceCode, {
    currency: 'BRL',
    amount: 59.7,
    shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
    recurrence: {
      immediatePayment: true,
      amount: { recurrenceAmount: 29.9 },
      calendar: { periodicity: 'MONTHLY' },
    },
  });
  const copyAndPaste = order.state === 'open' ? order.qrCode.plain : undefined;
  return c.json({ state: order.state, uuid: order.uuid, copyAndPaste });
});

app.post('/webhooks', (c) => ordersOf(c.env).webhook(c.req.raw));

export default {
  fetch: app.fetch,
  /** Each hour, by `triggers = { crons = ["17 * * * *"] }` in your wrangler.toml. */
  scheduled: async (_event: unknown, env: Env) => {
    const result = await ordersOf(env).maintain();
    console.log('Maintained', JSON.stringify(result));
  },
};

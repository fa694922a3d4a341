// npm install pix-automatic-sdk express knex mysql2
const { PaymentsClient } = require('pix-automatic-sdk');
const { createOrders } = require('pix-automatic-sdk/orders');
const { knexStore } = require('pix-automatic-sdk/stores');
const { credentialsFromEnv } = require('pix-automatic-sdk/webhooks');
const express = require('express');
const createKnex = require('knex');

const knex = createKnex({ client: 'mysql2', connection: process.env.MYSQL_URL, pool: { min: 0, max: 10 } });

const orders = createOrders({
  client: PaymentsClient.fromEnv(),
  credentials: credentialsFromEnv(),
  store: knexStore(knex, { maxTransactions: 8 }), // leaves connections to your other queries
  on: {
    async payment({ payload }, { order, transaction }) {
      // Nobody saw this QR code, or the order is already paid: a person decides.
      const needs_person = order?.state !== 'created' || order.paidBy !== undefined;
      const row = { sale: payload.saleToken, order_key: order?.key ?? null, needs_person };
      await transaction('payments').insert(row); // `transaction`, not `knex`, and always `await`
    },
    saleStatus: 'ignore',
    refund: 'ignore',
    reversal: 'ignore',
    payout: 'ignore',
  },
});

const app = express();
app.all('/webhooks', orders.webhook); // before `express.json()`, which refuses large bodies
app.post('/orders/:key', async (request, response) => {
  const order = await orders.open(request.params.key, {
    currency: 'BRL',
    amount: 59.7, // in reais, not in cents
    shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
    recurrence: {
      immediatePayment: true,
      amount: { recurrenceAmount: 29.9 },
      calendar: { periodicity: 'MONTHLY' },
    },
  });
  response.json({ state: order.state, code: order.state === 'open' ? order.qrCode.plain : null });
});

const PAYMENTS = `CREATE TABLE IF NOT EXISTS payments (
  sale VARCHAR(100) PRIMARY KEY, order_key VARCHAR(200), needs_person BOOLEAN NOT NULL)`;

// In production both tables belong in your migrations; `orders.createTableSql()` returns the SQL of the store's.
Promise.all([orders.createTable(), knex.raw(PAYMENTS)]).then(() => app.listen(3000), console.error);
setInterval(() => orders.maintain().catch(console.error), 3_600_000).unref();

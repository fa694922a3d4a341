// npm install pix-automatic-sdk express knex mysql2
const { PaymentsClient } = require('pix-automatic-sdk');
const { createOrders } = require('pix-automatic-sdk/orders');
const { knexStore } = require('pix-automatic-sdk/stores');
const express = require('express');
const createKnex = require('knex');

const knex = createKnex({ client: 'mysql2', connection: process.env.MYSQL_URL, pool: { min: 0, max: 10 } });

const orders = createOrders({
  client: PaymentsClient.fromEnv(),
  store: knexStore(knex, { maxTransactions: 8 }), // leaves connections to your other queries
  on: {
    // `transaction`, not `knex`, and always returned or awaited
    paid: ({ order, sale, amount }, { transaction }) =>
      transaction('payments').insert({ sale, order_key: order, amount }),
    returned: ({ order, sale, amount }, { transaction }) =>
      transaction('returns').insert({ sale, order_key: order, amount }),
  },
});

const app = express();
app.post('/webhooks', orders.webhook); // before `express.json()`
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

async function main() {
  await orders.createTable();
  for (const table of ['payments', 'returns']) {
    await knex.raw(`CREATE TABLE IF NOT EXISTS ${table} (
      id BIGINT AUTO_INCREMENT PRIMARY KEY, sale VARCHAR(100), order_key VARCHAR(200), amount DECIMAL(12, 2))`);
  }
  orders.start();
  app.listen(3000);
}
main();

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import { explainPixCode } from 'pix-automatic-sdk/pix';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';
import { scheduledCharge } from './scheduled-charge.js';

const orders = createOrders({
  client: PaymentsClient.fromEnv(), // it confirms each payment before the callback runs
  store: new MemoryStore(), // one process; in production a database
  kinds: [scheduledCharge],
  on: {
    async paid({ order, amount, isFirst }) {
      console.log(`${order}: ${isFirst ? 'sign-up' : 'later charge'}, ${amount}`);
    },
    returned: 'ignore',
    // The service confirms payments only: compare the amount with what the order says before you book it.
    scheduledCharge({ payload }, { order, handledStates }) {
      const { dueDate, status, attempt, amount, code } = payload;
      const before = handledStates.join(', ') || 'nothing';
      const charge = `${order?.key ?? 'no order'}, ${dueDate}, attempt ${attempt}`;
      console.log(`${charge}: ${status}, ${amount ?? 'no amount'}, after ${before}`);
      if (code === undefined) return;
      // Refused and cancelled charges have different codes. The result is `undefined` for a code that is not listed.
      const context = status === 'CANCELLED' ? 'charge-cancelled' : 'charge';
      const explanation = explainPixCode(code, context, 'en');
      if (explanation) console.log(`  ${code}: ${explanation.meaning}. ${explanation.action}`);
      if (explanation?.endsCharge) console.log('  No retry can help.');
    },
    // This shows you what the service sends. It logs names only, because the values may be personal data.
    unrecognized: ({ raw, issues = [] }) => {
      console.log(`unrecognized: ${Object.keys(raw).join(', ')}`);
      for (const { path, message } of issues) console.log(`  ${path.join('.')} ${message}`);
    },
    payout: 'ignore',
  },
});

const server = createServer(orders.webhook);
server.listen(Number(process.env['PORT'] ?? 3000), async () => {
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
  const order = await orders.open('order-1001', {
    currency: 'BRL',
    amount: 59.7,
    shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
    recurrence: {
      immediatePayment: true,
      amount: { recurrenceAmount: 29.9 },
      calendar: { initialDate: '2027-02-15', periodicity: 'MONTHLY' },
    },
  });
  if (order.state === 'open') console.log(`The payer scans or pastes ${order.qrCode.plain}`);
});

process.once('SIGTERM', async () => {
  await orders.stop();
  server.close();
});

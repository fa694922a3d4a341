import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaymentsClient } from 'pix-automatic-sdk';
import { explainPixCode } from 'pix-automatic-sdk/pix';
import { createWebhookHandler, MemoryStore, toNodeListener } from 'pix-automatic-sdk/webhooks';
import { scheduledCharge } from './scheduled-charge.js';

const { PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '', PORT = '3000' } = process.env;
const client = PaymentsClient.fromEnv();

const handler = createWebhookHandler({
  credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
  confirm: client, // the service confirms each payment before its callback runs
  store: new MemoryStore(), // one process; see the examples redis and postgres for more than one
  kinds: [scheduledCharge],
  on: {
    scheduledCharge: ({ payload }, { handledStates }) => {
      const { instructionId, status, attempt, amount, code } = payload;
      const before = handledStates.join(', ') || 'nothing';
      console.log(
        `${instructionId}, attempt ${attempt}: ${status}, ${amount ?? 'no amount'}, after ${before}`,
      );
      if (code === undefined) return;
      // Refused and cancelled charges have different codes. The result is `undefined` for a code that is not listed.
      const context = status === 'CANCELLED' ? 'charge-cancelled' : 'charge';
      const explanation = explainPixCode(code, context, 'en');
      if (explanation) console.log(`  ${code}: ${explanation.meaning}. ${explanation.action}`);
      if (explanation?.endsCharge) console.log('  No retry can help.');
    },
    payment: async (notification) => {
      console.log(`${notification.payload.referenceCode} is paid`);
    },
    // This shows you what the service sends. It logs names only, because the values may be personal data.
    unrecognized: ({ raw, issues = [] }) => {
      console.log(`unrecognized: ${Object.keys(raw).join(', ')}`);
      for (const { path, message } of issues) console.log(`  ${path.join('.')} ${message}`);
    },
    reversal: 'ignore',
    refund: 'ignore',
    payout: 'ignore',
  },
});

const server = createServer(toNodeListener(handler));
server.listen(Number(PORT), () => {
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', async () => {
  await handler.drain();
  server.close();
});

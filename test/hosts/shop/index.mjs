// The merchant's own code, the same on every host: its handler, and what it does with a payment.
import { appendFileSync } from 'node:fs';
import { createWebhookHandler, credentialsFromEnv } from 'pix-automatic-sdk/webhooks';

/** @type {Set<string>} */
const failed = new Set();

export const handler = createWebhookHandler({
  credentials: credentialsFromEnv(),
  on: {
    payment({ payload, raw }) {
      const { saleToken, referenceCode } = payload;
      // Out of stock once: the next delivery succeeds.
      if (referenceCode === 'fails once' && !failed.has(saleToken)) {
        failed.add(saleToken);
        throw new Error('out of stock: 4111 1111');
      }
      appendFileSync(process.env['ACTED'] ?? '', `${JSON.stringify(raw)}\n`);
    },
    refund({ raw }) {
      appendFileSync(process.env['ACTED'] ?? '', `${JSON.stringify(raw)}\n`);
    },
  },
  onReport: () => undefined,
});

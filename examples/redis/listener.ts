import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { PaymentsClient } from 'pix-automatic-sdk';
import { RedisStore } from 'pix-automatic-sdk/stores';
import { createWebhookHandler, toNodeListener } from 'pix-automatic-sdk/webhooks';

const { PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '', PORT = '3000' } = process.env;
const client = PaymentsClient.fromEnv();

// Without this limit, ioredis keeps commands while Redis is down, and sends a claim after the handler has given up.
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', { maxRetriesPerRequest: 1 });
// ioredis emits an error for each failed connection. Without a listener, it prints each with its stack.
redis.on('error', ({ code }: NodeJS.ErrnoException) => console.error(`Redis: ${code}`));

const handler = createWebhookHandler({
  credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
  confirm: client, // the service confirms each payment before its callback runs
  // Processes that share the namespace share what was processed; another application needs another namespace.
  store: new RedisStore(redis, { namespace: 'example-redis' }),
  on: {
    payment: async (notification) => {
      console.log(`${notification.payload.referenceCode} is paid`);
    },
    // A reversal keeps its uuid from PENDING to PAID. Each of the two states is processed once.
    reversal: ({ payload }) => console.log(`reversal of ${payload.reversedAmount}: ${payload.status}`),
    refund: ({ payload }) => console.log(`refund of ${payload.refund.amount} credited`),
    payout: 'ignore',
  },
  onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
});

const server = createServer(toNodeListener(handler));
server.listen(Number(PORT), () => {
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', async () => {
  await handler.drain();
  server.close();
  redis.disconnect();
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Queue } from 'bullmq';
import { PaymentsClient } from 'pix-automatic-sdk';
import {
  createWebhookHandler,
  type DocumentedNotification,
  MemoryStore,
  toNodeListener,
} from 'pix-automatic-sdk/webhooks';

const { PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '', PORT = '3000' } = process.env;
const client = PaymentsClient.fromEnv();

const queue = new Queue('notifications', {
  // Without the offline queue, `add` fails instead of waiting while Redis is down, and the notification comes again.
  connection: { url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', enableOfflineQueue: false },
  defaultJobOptions: {
    attempts: 5,
    backoff: { type: 'exponential', delay: 1000 },
    // BullMQ ignores a second job with the id of a kept one. A day is enough: the service retries for minutes only.
    removeOnComplete: { age: 24 * 60 * 60 },
  },
});
queue.on('error', ({ code }: NodeJS.ErrnoException) => console.error(`queue: ${code}`));

/**
 * Returns only after the durable write: from then on the notification does not come again. How durable the write is
 * depends on Redis: with `appendonly yes` a restart loses at most a second, with `appendfsync always` nothing.
 */
async function enqueue({ kind, payload, key }: DocumentedNotification): Promise<void> {
  // BullMQ refuses ids with colons, except with exactly two: keys of payments would pass, and keys of payouts fail.
  await queue.add(kind, payload, { jobId: encodeURIComponent(key) });
}

const handler = createWebhookHandler({
  credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
  confirm: client, // the service confirms each payment before its callback runs
  // For one process. The job's id keeps out duplicates that reach another process.
  store: new MemoryStore(),
  on: {
    // A payment that cannot be confirmed now is answered 500, and comes again.
    payment: async (notification) => {
      await enqueue(notification);
    },
    saleStatus: enqueue,
    reversal: enqueue,
    refund: enqueue,
    payout: enqueue,
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
  await queue.close();
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Queue } from 'bullmq';
import { confirmPayment, PaymentsClient } from 'pix-automatic-sdk';
import {
  createWebhookHandler,
  type DocumentedNotification,
  MemoryStore,
  toNodeListener,
} from 'pix-automatic-sdk/webhooks';

const { PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '', PORT = '3000' } = process.env;
const client = PaymentsClient.fromEnv();

const queue = new Queue('notifications', {
  // Without its offline queue, `add` fails while Redis is down, instead of waiting: the notification comes again.
  connection: { url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', enableOfflineQueue: false },
  defaultJobOptions: {
    attempts: 5,
    backoff: { type: 'exponential', delay: 1000 },
    // A job that is there keeps a second one with its id out. The service's own retries end after minutes.
    removeOnComplete: { age: 24 * 60 * 60 },
  },
});
queue.on('error', ({ code }: NodeJS.ErrnoException) => console.error(`queue: ${code}`));

/**
 * Returns after the durable write, and not before: from then on the notification does not come again. How durable it is
 * is Redis's affair: with `appendonly yes` a restart forgets no more than a second, with `appendfsync always` nothing.
 */
async function enqueue({ kind, payload, key }: DocumentedNotification): Promise<void> {
  // BullMQ refuses ids with a colon, save with exactly two: payments would pass, and payouts fail.
  await queue.add(kind, payload, { jobId: encodeURIComponent(key) });
}

const handler = createWebhookHandler({
  credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
  // Duplicates that reach another process are kept out by the job's id.
  store: new MemoryStore(),
  on: {
    // Before it is enqueued: a payment that cannot be confirmed now is answered 500, and comes again.
    payment: async (notification) => {
      const { confirmed } = await confirmPayment(client, notification);
      if (!confirmed) throw new Error('The service does not confirm it');
      await enqueue(notification);
    },
    saleStatus: enqueue,
    reversal: enqueue,
    refund: enqueue,
    payout: enqueue,
  },
  onReport: ({ code, key, status }) => console.error(`${status} ${code} ${key}`),
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

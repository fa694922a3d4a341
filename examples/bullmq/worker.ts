import { type Job, Worker } from 'bullmq';

const connection = {
  url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379',
  maxRetriesPerRequest: null, // BullMQ requires this: a worker waits for Redis as long as it takes
};

/** Does the work, which may take long. If a worker dies half way, the work is done again: make it idempotent. */
async function work({ name, data, id }: Job): Promise<void> {
  console.log(`${name} of ${data.amount}: ${id}`);
}

const worker = new Worker('notifications', work, { connection });
worker.on('failed', (job, error) => console.error(`${job?.id}: ${error.message}`));
worker.on('error', ({ code }: NodeJS.ErrnoException) => console.error(`worker: ${code}`));

// Waits for the current job to finish.
process.once('SIGTERM', () => worker.close());

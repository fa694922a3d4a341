import { type Job, Worker } from 'bullmq';

const connection = {
  url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379',
  maxRetriesPerRequest: null, // a worker waits for Redis as long as it takes; BullMQ asks for this
};

/** The work, which may take as long as it takes. A worker that dies half way does it again: make it idempotent. */
async function work({ name, data, id }: Job): Promise<void> {
  console.log(`${name} of ${data.amount}: ${id}`);
}

const worker = new Worker('notifications', work, { connection });
worker.on('failed', (job, error) => console.error(`${job?.id}: ${error.message}`));
worker.on('error', ({ code }: NodeJS.ErrnoException) => console.error(`worker: ${code}`));

// Resolves once the job in hand is done.
process.once('SIGTERM', () => worker.close());

import { Redis } from 'ioredis';
import { reportMissing } from './servers';

export const redisUrl = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379';

/** Whether a Redis answers. Reports where none does, and fails where one is required. */
export async function findRedis(): Promise<boolean> {
  const client = new Redis(redisUrl, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 2000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } catch {
    reportMissing('Redis', 'REDIS_URL');
    return false;
  } finally {
    client.disconnect();
  }
}

import { Redis } from 'ioredis';
import pg from 'pg';
import { PostgresStore } from 'pix-automatic-sdk/stores';
import type { Credentials } from 'pix-automatic-sdk/webhooks';
import { findPostgres, postgresConfig } from '../../../test/helpers/postgres';
import { findRedis, redisUrl } from '../../../test/helpers/redis';
import { cpuOf } from '../../lib/cpu';

export type StoreKind = 'redis' | 'postgres' | 'postgres-transactional';

/** The input of `programs/fleet-listener.ts`. */
export interface FleetListener {
  readonly store: StoreKind;
  /** The prefix of all Redis keys, or the PostgreSQL schema. */
  readonly namespace: string;
  readonly credentials: readonly Credentials[];
}

/** The server behind a store. */
export interface StoreServer {
  /** CPU time that it has used for the listeners so far, in microseconds; `NaN` if this machine cannot see it. */
  cpu(): Promise<number>;
  /** Removes everything that the measurement wrote, and disconnects. */
  clean(): Promise<void>;
}

/** Returns `undefined` if the server does not answer. */
export async function serverOf(kind: StoreKind, namespace: string): Promise<StoreServer | undefined> {
  if (kind === 'redis') return (await findRedis()) ? redisServer(namespace) : undefined;
  return (await findPostgres()) ? postgresServer(namespace) : undefined;
}

function redisServer(namespace: string): StoreServer {
  const client = new Redis(redisUrl);
  return {
    async cpu() {
      const info = await client.info('cpu');
      const seconds = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1]);
      return (seconds('used_cpu_sys') + seconds('used_cpu_user')) * 1e6;
    },
    async clean() {
      for await (const keys of client.scanStream({ match: `${namespace}:*`, count: 10_000 })) {
        if (keys.length > 0) await client.unlink(keys);
      }
      client.disconnect();
    },
  };
}

async function postgresServer(namespace: string): Promise<StoreServer> {
  const client = new pg.Client(postgresConfig);
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`CREATE SCHEMA ${namespace}`);
  await new PostgresStore(client, { schema: namespace }).createTable();
  return {
    /** Counts the processes of the connections, not those that write the log and the table in the background. */
    async cpu() {
      const { rows } = await client.query('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [
        namespace,
      ]);
      return rows.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
    },
    async clean() {
      await client.query(`DROP SCHEMA ${namespace} CASCADE`);
      await client.end();
    },
  };
}

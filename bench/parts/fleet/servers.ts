import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import pg from 'pg';
import { PostgresStore } from 'pix-automatic-sdk/stores';
import type { Credentials } from 'pix-automatic-sdk/webhooks';
import { findPostgres, postgresConfig } from '../../../test/helpers/postgres';
import { findRedis, redisUrl } from '../../../test/helpers/redis';

export type StoreKind = 'redis' | 'postgres' | 'postgres-transactional';

/** What a listener of the fleet is started with. */
export interface FleetListener {
  readonly store: StoreKind;
  /** The beginning of all keys, or the schema. */
  readonly namespace: string;
  readonly credentials: readonly Credentials[];
}

/** A server behind listeners, seen from outside. */
export interface StoreServer {
  /** CPU time that it has taken for them so far, in microseconds; `NaN` where this machine cannot see it. */
  cpu(): Promise<number>;
  /** Leaves nothing behind. */
  clean(): Promise<void>;
}

/** `undefined` when none answers. */
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
    /** Of the connections' processes; those that write the log and the table in the background are not in it. */
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

function cpuOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  // After the name, which may hold blanks: the 12th and 13th field are user and system time in ticks.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) / ticksASecond()) * 1e6;
}

let ticks: number | undefined;

function ticksASecond(): number {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return ticks;
}

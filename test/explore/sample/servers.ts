import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { findRedis, redisUrl } from '../../helpers/redis';
import type { Library } from '../library';
import { overNetwork } from '../stores/over-network';
import type { SharedStore, World } from '../world/world';
import { postgresInSteps } from './postgres-in-steps';

/** A store on a real server, used by one world after another. */
export interface RealStore {
  readonly name: string;
  /** Each world has its own records. */
  readonly open: (world: World, worldNumber: number) => SharedStore;
  readonly close: () => Promise<void>;
}

/** Scales the handler’s lease of 40 s down to a time that a world can wait for. */
const SCALE = 0.1 / 40;
/** How far the store’s clock may be behind ours when a step is answered. */
const SLACK_MS = 20;

/** Bounds on which both sides of a connection agree: a lease begins between the sending of its claim and the answer. */
export const realTime = {
  clock: () => performance.now(),
  outlast: async (leaseEnd: number) => {
    await sleep(Math.max(0, leaseEnd - performance.now()) + SLACK_MS);
  },
};

/** The stores whose servers answer. Reports missing servers, and fails where one is required. */
export async function realStores(library: Library, name: string): Promise<RealStore[]> {
  const stores: RealStore[] = [];
  if (await findRedis()) stores.push(redis(library, name));
  if (await findPostgres()) stores.push(await postgres(library, name), await postgresInSteps(library, name));
  const sqlite = process.getBuiltinModule('node:sqlite');
  if (sqlite === undefined) {
    console.log('SKIPPED (not run, not passed): SQLite, because node:sqlite needs Node 22');
  } else {
    const database = new sqlite.DatabaseSync(':memory:');
    const store = (world: number) =>
      new library.SqliteStore(database as never, { table: `explore_${world}` });
    stores.push({
      name: 'SQLite',
      open: (world, number) => {
        const inner = store(number);
        database.exec(inner.createTableSql());
        return { store: overNetwork(world, inner, SCALE), ...realTime };
      },
      close: async () => database.close(),
    });
  }
  return stores;
}

function redis(library: Library, name: string): RealStore {
  const client = new Redis(redisUrl);
  return {
    name: 'Redis',
    open: (world, number) => {
      const inner = new library.RedisStore(client, { prefix: `explore:${name}:`, namespace: String(number) });
      return { store: overNetwork(world, inner, SCALE), ...realTime };
    },
    close: async () => {
      const keys = await client.keys(`explore:${name}:*`);
      if (keys.length > 0) await client.del(...keys);
      client.disconnect();
    },
  };
}

async function postgres(library: Library, name: string): Promise<RealStore> {
  const pool = new pg.Pool({ ...postgresConfig, max: 4 });
  const table = `explore_${name}`;
  await new library.PostgresStore(pool, { table }).createTable();
  return {
    name: 'PostgreSQL',
    open: (world, number) => {
      const inner = new library.PostgresStore(pool, { table });
      const own = (subject: string) => `${number} ${subject}`;
      return {
        store: overNetwork(
          world,
          {
            claim: (subject, ...asked) => inner.claim(own(subject), ...asked),
            complete: (claim, retentionMs) => inner.complete(claim, retentionMs),
            release: (claim) => inner.release(claim),
          },
          SCALE,
        ),
        ...realTime,
      };
    },
    close: async () => {
      await pool.query(`DROP TABLE ${table}, ${table}_parked`);
      await pool.end();
    },
  };
}

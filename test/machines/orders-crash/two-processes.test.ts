import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrders } from '../../../src/orders';
import { PostgresStore, RedisStore, type Store } from '../../../src/stores';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { findRedis, redisUrl } from '../../helpers/redis';
import { monthly } from '../../orders/subscription';
import { FakeClient, request } from '../../orders/support';
import { buildProgram } from '../build-program';
import type { TellerConfig } from './teller';

// Two processes of a shop get each event of a recurrence at the same moment, as when a proxy sends it to both.

const timeout = 180_000;
const ORDERS = 12;
/** A tenth of a second apart: within half a minute. */
const MOST_DELIVERIES = 300;
const folder = mkdtempSync(join(tmpdir(), 'pix-automatic-tellers-'));
const bundle = join(folder, 'teller.mjs');

beforeAll(() => buildProgram(join(import.meta.dirname, 'teller.ts'), bundle), timeout);
afterAll(() => rmSync(folder, { recursive: true }));

/** A process of its own, which answers one event after the other. */
async function startTeller(config: TellerConfig) {
  const child: ChildProcess = spawn(process.execPath, ['--no-warnings', bundle, JSON.stringify(config)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('It has no output.');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  expect(await next()).toBe('ready');
  return {
    async tell(event: object): Promise<number> {
      child.stdin?.write(`${JSON.stringify(event)}\n`);
      return Number(await next());
    },
    end: () => child.kill(),
  };
}

interface Place {
  readonly config: TellerConfig;
  readonly store: Store<never>;
  readonly written: () => Promise<readonly string[]>;
  readonly close: () => Promise<unknown>;
}

async function inPostgres(): Promise<Place> {
  const id = randomUUID().slice(0, 8);
  const [place, effects] = [`tellers_${id}`, `tellers_effects_${id}`];
  const pool = new pg.Pool(postgresConfig);
  const store = new PostgresStore(pool, { table: place, transactional: true });
  await store.createTable();
  await pool.query(`CREATE TABLE ${effects} (line text)`);
  const { host, user, database, connectionString } = postgresConfig;
  return {
    config: {
      dialect: 'postgres',
      database: connectionString ?? `postgres://${user}@/${database}?host=${host}`,
      place,
      effects,
    },
    store: store as unknown as Store<never>,
    written: async () => (await pool.query(`SELECT line FROM ${effects}`)).rows.map(({ line }) => line),
    async close() {
      await pool.query(`DROP TABLE ${place}, ${effects}`);
      await pool.end();
    },
  };
}

async function inRedis(): Promise<Place> {
  const [place, effects] = [`tellers-${randomUUID()}`, `tellers-effects-${randomUUID()}`];
  const redis = new Redis(redisUrl);
  return {
    config: { dialect: 'redis', database: redisUrl, place, effects },
    store: new RedisStore(redis, { namespace: place }) as Store<unknown> as Store<never>,
    written: () => redis.lrange(effects, 0, -1),
    async close() {
      await redis.del(effects);
      await redis.quit();
    },
  };
}

it.each<[string, boolean, () => Promise<Place>]>([
  ['PostgreSQL, in transactions', await findPostgres(), inPostgres],
  ['Redis', await findRedis(), inRedis],
])('two processes tell each event once, over %s', { timeout }, async (name, isThere, open) => {
  if (!isThere) return;
  const { config, store, written, close } = await open();
  const tellers = await Promise.all([startTeller(config), startTeller(config)]);
  const opening = createOrders({ client: new FakeClient(), store });
  let together = 0;
  const expected: string[] = [];
  try {
    for (let order = 0; order < ORDERS; order += 1) {
      const key = `order-${randomUUID()}`;
      await opening.open(key, { ...request, ...monthly } as never);
      const month = { saleToken: `${key} 1`, chargeAmount: 29.9, chargeDueDate: '2027-02-15 00:00:00' };
      const failed = { eventDate: '2027-02-15 10:00:00', rejectionCode: 'AM04', retryScheduled: true };
      const events: [string, object][] = [
        ['authorized', {}],
        ['charge_scheduled', month],
        ['charge_failed', { ...month, ...failed }],
        ['charge_paid', month],
        ['cancelled', {}],
      ];
      for (const [event, fields] of events) {
        const eventType = `RECURRENCE_${event.toUpperCase()}`;
        const body = { saleToken: undefined, eventType, idRec: `RR${key}`, externalId: key, ...fields };
        expected.push(`${key} ${event === 'charge_paid' ? `paid ${key} 1` : event}`);
        const answers = await Promise.all(
          tellers.map(async ({ tell }) => {
            for (let deliveries = 1; ; deliveries += 1) {
              const status = await tell(body);
              // The service waits a minute, in which a busy machine ends what it is at.
              if (status === 200 || deliveries === MOST_DELIVERIES) return { status, deliveries };
              await sleep(100);
            }
          }),
        );
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        // One of them found the other at it.
        if (answers.some(({ deliveries }) => deliveries > 1)) together += 1;
      }
    }
    console.log(`${name}: ${expected.length} events, ${together} of them while the other process was at it`);
    expect(together).toBeGreaterThan(0);
    expect((await written()).toSorted()).toEqual(expected.toSorted());
  } finally {
    for (const { end } of tellers) end();
    await close();
  }
});

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readOrder } from '../../../src/orders/order-records';
import { stepsOf } from '../../../src/stores/steps';
import { findMysql, mysqlUrl } from '../../helpers/mysql';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { findRedis, redisUrl } from '../../helpers/redis';
import { buildProgram } from '../build-program';
import { type Deed, type Service, startService } from './service';
import { type ShopConfig, storeOver } from './shop';

const timeout = 180_000;
const folder = mkdtempSync(join(tmpdir(), 'pix-automatic-orders-'));
const bundle = join(folder, 'shop.mjs');
let service: Service;

beforeAll(async () => {
  service = await startService();
  await buildProgram(join(import.meta.dirname, 'shop.ts'), bundle);
}, timeout);
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

type Place = Pick<ShopConfig, 'dialect' | 'database'>;

interface Trouble {
  readonly name: string;
  readonly kill?: ShopConfig['kill'];
  readonly deeds?: readonly Deed[];
  /** How many processes begin at once, with how many calls each, for which amounts. */
  readonly processes?: number;
  readonly calls?: number;
  readonly amounts?: readonly number[];
  /** The first process is still waiting for its answer when its lease is over. */
  readonly outlives?: boolean;
  /** What is recorded, what the service was asked for, and what the payer saw, in the end. */
  readonly attempts: readonly string[];
  readonly posts: number;
}

const troubles: readonly Trouble[] = [
  { name: 'nothing', attempts: ['created'], posts: 1 },
  {
    name: 'killed before the reference',
    kill: { when: 'before', write: 'reference' },
    attempts: ['created'],
    posts: 1,
  },
  {
    name: 'killed after the reference',
    kill: { when: 'after', write: 'reference' },
    attempts: ['created'],
    posts: 1,
  },
  {
    name: 'killed before the intent',
    kill: { when: 'before', write: 'intent' },
    attempts: ['created'],
    posts: 1,
  },
  {
    name: 'killed after the intent',
    kill: { when: 'after', write: 'intent' },
    attempts: ['lost', 'created'],
    posts: 1,
  },
  { name: 'killed in flight', deeds: ['create, then kill'], attempts: ['lost', 'created'], posts: 2 },
  {
    name: 'killed before the pointer for reconcile',
    kill: { when: 'before', write: 'open' },
    attempts: ['lost', 'created'],
    posts: 2,
  },
  {
    name: 'killed after the pointer for reconcile',
    kill: { when: 'after', write: 'open' },
    attempts: ['lost', 'created'],
    posts: 2,
  },
  {
    name: 'killed before the uuid',
    kill: { when: 'before', write: 'uuid' },
    attempts: ['lost', 'created'],
    posts: 2,
  },
  {
    name: 'killed after the uuid',
    kill: { when: 'after', write: 'uuid' },
    attempts: ['lost', 'created'],
    posts: 2,
  },
  {
    name: 'killed before the record',
    kill: { when: 'before', write: 'record' },
    attempts: ['lost', 'created'],
    posts: 2,
  },
  {
    name: 'killed after the record',
    kill: { when: 'after', write: 'record' },
    attempts: ['created'],
    posts: 1,
  },
  { name: '20 calls in 4 processes', processes: 4, calls: 5, attempts: ['created'], posts: 1 },
  { name: '504 after the effect', deeds: ['create, then 504'], attempts: ['lost', 'created'], posts: 2 },
  { name: 'a reset before the read', deeds: ['create, then reset'], attempts: ['lost', 'created'], posts: 2 },
  { name: '422', deeds: ['refuse with 422'], attempts: ['created'], posts: 2 },
  {
    name: 'an owner that outlives its lease',
    deeds: ['create, then wait'],
    outlives: true,
    attempts: ['lost', 'created'],
    posts: 2,
  },
  {
    name: 'two requests over different money',
    processes: 2,
    amounts: [10, 20],
    attempts: ['created'],
    posts: 1,
  },
];

/** Runs a trouble, lets the lease of whoever died run out, and opens the order again until it has its journey. */
async function suffer(place: Place, trouble: Trouble) {
  const { kill, deeds = [], processes = 1, calls = 1, amounts = [10], outlives } = trouble;
  const namespace = `crash-${randomUUID().slice(0, 8)}`;
  const orderKey = `order-${randomUUID()}`;
  const { store, close } = storeOver({ ...place, namespace }, (send) => send());
  await store.createTable();
  const steps = stepsOf(store);
  service.plan(orderKey, deeds);
  const shop = (index: number, more: Partial<ShopConfig> = {}) =>
    run({
      dialect: place.dialect,
      database: place.database,
      namespace,
      baseUrl: service.url,
      orderKey,
      amount: amounts[index % amounts.length] ?? 10,
      calls,
      ...more,
    });
  const passLease = async () => {
    type Order = { attempts: { leaseUntil: number; startedAt: number }[] };
    const { value, ...read } = await steps.readRecord<Order>('order:', orderKey);
    if (value === undefined) return;
    const attempts = value.attempts.map((each) => ({
      ...each,
      leaseUntil: each.leaseUntil - 150_000,
      startedAt: each.startedAt - 150_000,
    }));
    await steps.writeRecord('order:', orderKey, { ...value, attempts }, read, read.now + 1e9);
  };

  const said: string[] = [];
  const first = Array.from({ length: processes }, (_, index) => shop(index, { kill }));
  if (outlives === true) {
    await vi.waitFor(() => expect(service.isHolding()).toBe(true), { timeout: 60_000 });
    await passLease();
    said.push(...(await shop(0)));
    service.letGo();
  }
  said.push(...(await Promise.all(first)).flat());
  for (let tries = 0; !said.some((line) => line.startsWith('shown')) && tries < 3; tries += 1) {
    await passLease();
    said.push(...(await shop(0)));
  }
  // With two amounts, the page that is loaded again is that of the process whose amount won.
  const winner = said.findIndex((line) => line.startsWith('shown'));
  said.push(...(await shop(winner % amounts.length)));

  const { attempts } = (await readOrder(steps, orderKey)).order;
  await close();
  return {
    attempts: attempts.map(({ state }) => state),
    posts: service.postsOf(orderKey).length,
    exist: service.createdOf(orderKey).length,
    shown: new Set(said.filter((line) => line.startsWith('shown'))).size,
    failures: said.filter((line) => line.startsWith('failed')).map((line) => line.slice(7)),
  };
}

async function run(config: ShopConfig): Promise<string[]> {
  const child = spawn(process.execPath, ['--no-warnings', bundle, JSON.stringify(config)]);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (err !== '') throw new Error(err);
  return out.split('\n').filter((line) => line !== '');
}

/** Each trouble over one database in turn, and each night over all of them: each shop is a process. */
const isNightly = process.env['NIGHTLY'] === '1';

function testPlace([name, place]: [string, Place], turn: number, all: number): void {
  describe(`a shop over ${name}`, () => {
    const rows: string[] = [];
    afterAll(() => {
      console.log(
        `${name}\n| what happens | attempts | POSTs | journeys | QR codes shown | errors on the way |\n|---|---|---|---|---|---|\n${rows.join('\n')}`,
      );
    });

    const own = troubles.filter((_, index) => isNightly || index % all === turn);
    it.each(own)('shows one QR code, and has a way on: $name', { timeout }, async (trouble) => {
      const { attempts, posts, exist, shown, failures } = await suffer(place, trouble);
      rows.push(
        `| ${trouble.name} | ${attempts.join(', ')} | ${posts} | ${exist} | ${shown} | ${failures.join(', ') || '–'} |`,
      );
      expect({ attempts, posts, shown }).toEqual({
        attempts: trouble.attempts,
        posts: trouble.posts,
        shown: 1,
      });
    });
  });
}

const places: [string, Place][] = [];
if (await findPostgres()) {
  const { host, user, database, connectionString } = postgresConfig;
  places.push([
    'PostgreSQL',
    {
      dialect: 'postgres',
      database: connectionString ?? `postgres://${user}@/${database}?host=${host}`,
    },
  ]);
}
if (await findMysql()) places.push(['MariaDB or MySQL', { dialect: 'mysql', database: mysqlUrl }]);
if (await findRedis()) places.push(['Redis', { dialect: 'redis', database: redisUrl }]);
for (const [turn, place] of places.entries()) testPlace(place, turn, places.length);

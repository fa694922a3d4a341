import { describe, expect, it } from 'vitest';
import { findMysql } from '../../helpers/mysql';
import { findNodeWithSqlite } from '../../helpers/node-with-sqlite';
import { findPostgres } from '../../helpers/postgres';
import { findRedis } from '../../helpers/redis';
import type { StoreName } from './config';
import type { Verdict } from './judge';
import { randomly, runScenario } from './run';
import { chooseSeed } from './seed';

// `npm run machine -- crash` runs the full size, and also shows that the test finds wrong stores.
const full = process.env['CRASH_SIZE'] === 'full';
const size = full ? { notifications: 400, durationMs: 30_000 } : { notifications: 60, durationMs: 3000 };
const wrongSize = { notifications: 100, durationMs: 4000 };
const timeout = 180_000;

const seed = chooseSeed();
const redisFound = await findRedis();
const postgresFound = await findPostgres();
const mysqlFound = await findMysql();

describe.skipIf(!redisFound)('Killed listeners that share Redis', () => {
  it('act at least once, and never run two callbacks of a subject at a time', { timeout }, async () => {
    expectAtLeastOnce(await runCrashTest({ store: 'redis', seed, ...size }));
  });
});

describe.skipIf(!postgresFound)('Killed listeners that share PostgreSQL', () => {
  it('act at least once, and never run two callbacks of a subject at a time', { timeout }, async () => {
    expectAtLeastOnce(await runCrashTest({ store: 'postgres', seed, ...size }));
  });

  it('act exactly once in transactional mode', { timeout }, async () => {
    expectExactlyOnce(await runCrashTest({ store: 'postgres transactional', seed, ...size }));
  });
});

describe.skipIf(!mysqlFound)('Killed listeners that share MariaDB', () => {
  it('act exactly once in a transaction of the merchant’s own', { timeout }, async () => {
    expectExactlyOnce(await runCrashTest({ store: 'mysql transactional', seed, ...size }));
  });
});

describe('Killed listeners that share SQLite', () => {
  it('act at least once, and never run two callbacks of a subject at a time', { timeout }, async ({
    skip,
  }) => {
    const execPath = await findNodeWithSqlite();
    if (execPath === undefined) return skip('no Node with node:sqlite');
    expectAtLeastOnce(await runCrashTest({ store: 'sqlite', seed, execPath, ...size }));
  });
});

if (full) testWrongStores();

/** Runs the listeners of one store, kills them at random, and judges the evidence. */
async function runCrashTest(run: {
  readonly store: StoreName;
  readonly seed: number;
  readonly notifications: number;
  /** The first deliveries are spread over this time; the retries follow. */
  readonly durationMs: number;
  readonly execPath?: string;
}): Promise<Verdict> {
  const { store, notifications, durationMs, ...options } = run;
  const [row] = await runScenario(
    {
      name: 'listeners killed at random',
      stores: [store],
      through: 'shared servers',
      schedule: randomly(notifications, durationMs),
      kills: true,
    },
    options,
  );
  if (row === undefined) throw new Error('The run has no verdict.');
  return row.verdict;
}

function testWrongStores(): void {
  describe.skipIf(!redisFound || !postgresFound)('The crash test finds a store that', () => {
    it.each<[string, StoreName, RegExp]>([
      ['forgets leases', 'wrong: forgets leases', /had two callbacks at a time/],
      [
        'records before the work is done',
        'wrong: done at claim',
        /was answered 200, and has not taken effect/,
      ],
      ['writes outside its transaction', 'wrong: writes outside the transaction', /has taken effect 2 times/],
    ])('%s', { timeout }, async (_, store, finding) => {
      const { violations } = await runCrashTest({ store, seed, ...wrongSize });
      expect(violations).toContainEqual(expect.stringMatching(finding));
    });
  });
}

function expectAtLeastOnce({ figures, violations }: Verdict): void {
  expect(violations).toEqual([]);
  expect(figures['overlaps']).toBe(0);
  expectHardship(figures);
}

function expectExactlyOnce({ figures, violations }: Verdict): void {
  expect(violations).toEqual([]);
  expectHardship(figures);
  const { notifications = 0, effects = 0, exhausted = 0 } = figures;
  // A notification whose attempts all failed may still have had its effect, in an attempt whose answer was lost.
  expect(effects).toBeLessThanOrEqual(notifications);
  expect(effects).toBeGreaterThanOrEqual(notifications - exhausted);
}

/** A run with few kills, or with few successful deliveries, proves nothing. */
function expectHardship({
  notifications = 0,
  kills = 0,
  callbacksCutOff = 0,
  exhausted = 0,
}: Verdict['figures']) {
  expect(kills).toBeGreaterThan(notifications / 20);
  expect(exhausted).toBeLessThan(notifications / 2);
  if (full) expect(callbacksCutOff).toBeGreaterThan(10);
}

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { deliver } from '../../helpers/deliver';
import { findMysql } from '../../helpers/mysql';
import { findNodeWithSqlite } from '../../helpers/node-with-sqlite';
import { findPgBouncer, startPgBouncer } from '../../helpers/own-servers';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { findRedis } from '../../helpers/redis';
import { buildProgram } from '../build-program';
import { chooseSeed, type Random, randomFrom } from '../random';
import {
  CALLBACK_TIMEOUT_MS,
  CRASH_POINTS,
  INTERVAL_MS,
  isTransactional,
  LEASE_MS,
  type StoreName,
  stores,
  wrongStores,
} from './config';
import { Fleet, type Incarnation } from './fleet';
import { openPlace } from './stores';

const seed = chooseSeed();
console.log(`CRASH_SEED=${seed}`);
const execPath = await findNodeWithSqlite();
const isThere = {
  redis: await findRedis(),
  postgres: await findPostgres(),
  mysql: await findMysql(),
  sqlite: execPath !== undefined,
};
const pgBouncer = findPgBouncer();
/** `CHAOS_SIZE=10` sends ten times as many notifications, in ten times the time. */
const SIZE = Number(process.env['CHAOS_SIZE'] ?? 1);
const timeout = 180_000 * SIZE;
const COUNT = 60 * SIZE;
/** In every fifth notification the listener kills itself, at each of its points in turn. */
const CRASHING = 5;
/** The share of attempts in which some listener is killed from outside. */
const KILLING = 0.06;

const directory = mkdtempSync(join(tmpdir(), 'crash-'));

beforeAll(async () => {
  await buildProgram(join(import.meta.dirname, 'listener.ts'), join(directory, 'listener.mjs'));
  return () => rmSync(directory, { recursive: true });
});

/** What the service knows of a notification at the end. */
interface Sent {
  readonly key: string;
  readonly isAcknowledged: boolean;
}

/**
 * Sends paid and reversed sales by the service's rules (document section 6.1): only 200 is a success, and after a
 * failure there are up to five retries at intervals. A third is sent twice at once. The seed decides which listener
 * gets an attempt, how long the work takes, and who dies when.
 */
async function sendAll(fleet: Fleet, random: Random): Promise<Sent[]> {
  const agent = new Agent({ keepAlive: false });
  const attempt = async (body: object, index: number, ...more: number[]): Promise<number | undefined> => {
    const about = [index, ...more];
    const draw = (purpose: string, below: number) => Math.floor(random(purpose, ...about) * below);
    if (random('kill', ...about) < KILLING)
      setTimeout(() => fleet.kill(draw('victim', 3)), draw('moment', 150));
    const isCrashing = index % CRASHING === 0 && more.every((each) => each === 0);
    while (isCrashing && !fleet.hasSpare) await sleep(20);
    const point = CRASH_POINTS[(index / CRASHING) % CRASH_POINTS.length] ?? '';
    const headers = { 'x-work-ms': String(draw('work', 80)), 'x-crash-at': isCrashing ? point : '' };
    for (;;) {
      const url = await fleet.urlOf(draw('listener', 3));
      try {
        return (await deliver(url, body, { headers, timeoutMs: LEASE_MS + 250, agent })).status;
      } catch (error) {
        // The listener was dead already, and a load balancer would ask the next one.
        if (Reflect.get(Object(error), 'code') !== 'ECONNREFUSED') return undefined;
        await sleep(50);
      }
    }
  };
  const sequence = async (body: object, startMs: number, index: number, copy: number) => {
    await sleep(startMs);
    for (let number = 0; number < 6; number += 1) {
      if (number > 0) await sleep(INTERVAL_MS);
      if ((await attempt(body, index, copy, number)) === 200) return true;
    }
    return false;
  };
  const sale = async (index: number): Promise<Sent> => {
    const saleToken = `sale-${index - (index % 3 === 1 ? 1 : 0)}`;
    // Every third one is a reversal of the sale before it.
    const newStatus = index % 3 === 1 ? 'REVERSAL' : 'PAID';
    const startMs = random('start', index) * 5_000 * SIZE;
    const copies = random('copies', index) < 0.33 ? [0, 1] : [0];
    const ends = await Promise.all(
      copies.map((copy) => sequence({ saleToken, newStatus }, startMs, index, copy)),
    );
    return { key: `payment:${saleToken}:${newStatus}`, isAcknowledged: ends.includes(true) };
  };
  return Promise.all(Array.from({ length: COUNT }, (_, index) => sale(index)));
}

/** One run of a callback: until it returned, or until its process was killed. */
interface Run {
  readonly key: string;
  readonly fence: number;
  readonly claimAsked: number;
  readonly begin: number;
  readonly end: number;
  readonly isFinished: boolean;
  readonly recordedAt: number | undefined;
  readonly killedAt: number;
}

function runsOf({ lines, killedAt }: Incarnation): Run[] {
  return lines.flatMap((line) => {
    if (line.type !== 'begin') return [];
    const atOf = (type: string) =>
      lines.find((other) => other.type === type && 'run' in other && other.run === line.run)?.at;
    const ended = atOf('end');
    const { key, fence, claimAsked, at } = line;
    const end = ended ?? killedAt;
    return [
      {
        key,
        fence,
        claimAsked,
        begin: at,
        end,
        isFinished: ended !== undefined,
        recordedAt: atOf('recorded'),
        killedAt,
      },
    ];
  });
}

/** The promises that were broken, in words. `written`: how often each effect is in the merchant's table. */
function violationsOf(
  sent: readonly Sent[],
  runs: readonly Run[],
  written: ReadonlyMap<string, number> | undefined,
): string[] {
  const holdMs = written === undefined ? LEASE_MS : CALLBACK_TIMEOUT_MS;
  const finished = (key: string) => runs.filter((run) => run.key === key && run.isFinished);
  const perNotification = sent.flatMap(({ key, isAcknowledged }) => {
    const times = written === undefined ? finished(key).length : (written.get(key) ?? 0);
    if (times === 0) return [`${key} was ${isAcknowledged ? 'answered 200 without an effect' : 'lost'}`];
    if (written !== undefined) return times === 1 ? [] : [`${key} took effect ${times} times`];
    // A repeat is excused by a kill, or by the end of the lease, before the record.
    return finished(key)
      .slice(1)
      .flatMap((second, index) => {
        const first = finished(key)[index] as Run;
        const isExcused = first.killedAt <= second.begin || first.end >= first.claimAsked + holdMs;
        const isRecorded = first.recordedAt !== undefined && first.recordedAt <= second.claimAsked;
        return isExcused && !isRecorded ? [] : [`${key} took effect again without a kill in between`];
      });
  });
  const subjectOf = ({ key }: Run) => key.replace(/:[A-Z]+$/, '');
  const perPair = runs.flatMap((first, index) =>
    runs.slice(index + 1).flatMap((second) => {
      if (subjectOf(first) !== subjectOf(second)) return [];
      const isTogether = second.begin < first.end && second.begin < first.claimAsked + holdMs;
      // One that began after its own lease may come late. In a transaction, a rollback leaves no fence.
      const isInTime = written === undefined && second.begin < second.claimAsked + holdMs;
      const hasOldFence = isInTime && second.fence <= first.fence;
      return [
        ...(isTogether ? [`${first.key} and ${second.key}: two callbacks at a time`] : []),
        ...(hasOldFence ? [`${second.key} had the fence ${second.fence} after ${first.fence}`] : []),
      ];
    }),
  );
  return [...perNotification, ...perPair];
}

/** Kills listeners of a store at random while they get notifications, and judges what they did. */
async function killAtRandom(
  store: StoreName,
): Promise<{ readonly violations: string[]; readonly cutOff: number }> {
  const run = randomUUID().slice(0, 8);
  const place = await openPlace(store, run);
  const isPooled = store.includes('PgBouncer') && pgBouncer !== undefined;
  const postgres = isPooled ? await startPgBouncer(pgBouncer) : postgresConfig;
  const fleet = new Fleet({ store, run, postgres }, directory, execPath);
  onTestFinished(async () => {
    await fleet.stop();
    await place.close();
  });
  await fleet.start();
  const sent = await sendAll(fleet, randomFrom(seed));
  // Callbacks whose delivery timed out may still be running.
  await sleep(CALLBACK_TIMEOUT_MS);
  const runs = (await fleet.stop()).flatMap(runsOf).sort((a, b) => a.begin - b.begin);
  const written = isTransactional(store) ? await place.written() : undefined;
  const cutOff = runs.filter(({ isFinished }) => !isFinished).length;
  console.log(`${store}: ${sent.length} notifications, ${runs.length} callbacks, ${cutOff} of them cut off`);
  return { violations: violationsOf(sent, runs, written), cutOff };
}

describe('listeners that are killed at random', () => {
  it.for(stores)(
    'lose nothing, and double nothing without an excuse: %s',
    { timeout },
    async (store, { skip }) => {
      const [server = ''] = store.split(' ');
      if (!isThere[server as keyof typeof isThere]) skip(`no ${server}`);
      if (store.includes('PgBouncer') && pgBouncer === undefined) skip('no PgBouncer');
      const { violations, cutOff } = await killAtRandom(store);
      expect(violations).toEqual([]);
      // A run without its trouble proves nothing.
      expect(cutOff).toBeGreaterThan(0);
    },
  );

  it.skipIf(!isThere.redis || !isThere.postgres).each(wrongStores)(
    'show what is wrong with a store: %s',
    { timeout },
    async (store, finding) => {
      const { violations } = await killAtRandom(store);
      expect(violations).toContainEqual(expect.stringContaining(finding));
    },
  );
});

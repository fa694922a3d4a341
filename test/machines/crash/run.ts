import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, randomFrom } from '../random';
import { isTransactional, type ListenerConfig, SHORT_TIMES, type StoreName, type Timing } from './config';
import { buildListener, Fleet } from './fleet';
import { type Interval, judge, type Verdict } from './judge';
import { now } from './log';
import { paymentsAtOnce, type ScheduledNotification, scheduleNotifications } from './notifications';
import { openPlace } from './place';
import { sendAll } from './sender';
import { type Servers, type StoreServer, startServers, type Through } from './servers';

/** Listeners, their notifications, and the trouble that happens meanwhile. */
export interface Scenario {
  readonly name: string;
  readonly stores: readonly StoreName[];
  readonly through: Through;
  readonly schedule: (random: Random) => readonly ScheduledNotification[];
  readonly timing?: Timing;
  readonly kills?: boolean;
  readonly asksPool?: boolean;
  /**
   * Whether writes may be lost, as when a replica takes over. Then an effect may come again, but none may be missing.
   */
  readonly mayLoseWrites?: boolean;
  /** Runs while the notifications are sent. */
  readonly trouble?: (world: World) => Promise<void>;
}

/** The parts of a run with which a scenario can make trouble. */
export interface World {
  readonly fleets: readonly Fleet[];
  readonly servers: readonly StoreServer[];
  readonly random: Random;
  readonly timing: Timing;
  /** Tells the judge that the store cannot be used while `work` runs. */
  outage(work: () => Promise<unknown>): Promise<void>;
  /** Resolves when `attempts` attempts of at least one notification have failed. */
  failuresOfOne(attempts: number): Promise<void>;
}

export interface Options {
  readonly seed: number;
  /** The Node that runs the listeners: one with `node:sqlite`, where SQLite is a store of the scenario. */
  readonly execPath?: string | undefined;
  readonly postgresPrograms?: string | undefined;
  readonly mysqlProgram?: string | undefined;
}

/** The result of one store in a scenario. */
export interface Row {
  readonly scenario: string;
  readonly store: StoreName;
  readonly verdict: Verdict;
  readonly seconds: number;
}

const FLEET_SIZE = 3;

/** A schedule of `count` random notifications. */
export function randomly(count: number, durationMs: number): Scenario['schedule'] {
  return (random) => scheduleNotifications(random, count, durationMs);
}

/** Runs the scenario over all its stores at the same time, judges each, and prints the figures. */
export async function runScenario(scenario: Scenario, options: Options): Promise<Row[]> {
  const { seed, execPath = process.execPath, postgresPrograms, mysqlProgram } = options;
  const { name, stores, timing = SHORT_TIMES, kills = false, asksPool = false } = scenario;
  const begun = now();
  const directory = mkdtempSync(join(tmpdir(), 'crash-test-'));
  const random = randomFrom(seed);
  const servers = await startServers({
    through: scenario.through,
    redis: stores.some((store) => store.startsWith('redis')),
    postgres: stores.some((store) => store.startsWith('postgres')) ? postgresPrograms : undefined,
    mysql: stores.some((store) => store.startsWith('mysql')) ? mysqlProgram : undefined,
  });
  const bundle = join(directory, 'listener.mjs');
  await buildListener(bundle);
  const lanes = await Promise.all(
    stores.map((store) => openLane(store, { servers, directory, bundle, execPath, timing, asksPool })),
  );
  const outages: Interval[] = [];
  const failed = new FailedAttempts();
  const world: World = {
    fleets: lanes.map(({ fleet }) => fleet),
    servers: servers.own,
    random,
    timing,
    failuresOfOne: (attempts) => failed.reach(attempts),
    async outage(work) {
      const from = now();
      await work();
      outages.push({ from, to: now() });
    },
  };

  try {
    // Opens the listeners’ connections before the trouble begins.
    const warmUp = paymentsAtOnce('warm-up', 8);
    const schedule = scenario.schedule(random);
    await Promise.all(lanes.map(({ fleet }) => sendAll(fleet, warmUp, random, { timing, kills: false })));
    const trouble = scenario.trouble?.(world);
    const sent = await Promise.all(
      lanes.map(({ fleet }) =>
        sendAll(fleet, schedule, random, {
          timing,
          kills,
          onFailure: (attempt) => failed.add(attempt),
        }),
      ),
    );
    await trouble;
    // Callbacks whose delivery timed out may still be running.
    await sleep(timing.callbackTimeoutMs);

    const rows: Row[] = [];
    for (const [index, { store, fleet, place }] of lanes.entries()) {
      const incarnations = await fleet.stop();
      const transactional = isTransactional(store);
      const verdict = judge({
        delivered: sent[index] ?? [],
        incarnations,
        leaseMs: transactional ? timing.callbackTimeoutMs : timing.leaseMs,
        outages,
        mayLoseWrites: scenario.mayLoseWrites ?? false,
        ...(transactional ? { written: await place.written() } : {}),
      });
      console.log(`CRASH_SEED=${seed} ${name}, ${store}: ${JSON.stringify(verdict.figures)}`);
      rows.push({ scenario: name, store, verdict, seconds: (now() - begun) / 1000 });
    }
    return rows;
  } finally {
    for (const { fleet, place } of lanes) {
      await fleet.stop();
      await place.close();
    }
    rmSync(directory, { recursive: true, force: true });
  }
}

interface LaneSettings extends Pick<ListenerConfig, 'timing' | 'asksPool'> {
  readonly servers: Servers;
  readonly directory: string;
  readonly bundle: string;
  readonly execPath: string;
}

/** Listeners of one store, with their own records and files. */
async function openLane(store: StoreName, settings: LaneSettings) {
  const { servers, bundle, execPath, timing, asksPool } = settings;
  const run = randomUUID().slice(0, 8);
  const directory = join(settings.directory, run);
  const sqliteFile = join(settings.directory, `${run}.db`);
  const config = { store, run, ...servers.forListeners, sqliteFile, timing, asksPool };
  const place = await openPlace({ ...config, ...servers.itself });
  const fleet = new Fleet(config, { directory, bundle, execPath });
  // A memory store belongs to one process.
  await fleet.start(store === 'memory' ? 1 : FLEET_SIZE);
  return { store, fleet, place };
}

/** Counts the most failed attempts of any notification, and waits until there are enough. */
class FailedAttempts {
  #most = 0;

  add(attempt: number): void {
    this.#most = Math.max(this.#most, attempt);
  }

  async reach(attempts: number): Promise<void> {
    while (this.#most < attempts) await sleep(20);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { REAL_TIMES, type StoreName, scaled, type Timing, UNHURRIED_TIMES } from './config';
import { paymentsAtOnce } from './notifications';
import { randomly, type Scenario, type World } from './run';

const DATABASES: readonly StoreName[] = [
  'postgres',
  'postgres transactional',
  'mysql',
  'mysql transactional',
];
const SERVERS: readonly StoreName[] = ['redis', 'redis over node-redis', ...DATABASES];
/** `CHAOS_SIZE=13` kills and stops listeners, and cuts connections, during thirteen times as many notifications. */
const SIZE = Number(process.env['CHAOS_SIZE'] ?? 1);
const SCHEDULE = randomly(40, 4000);
const LONG_SCHEDULE = randomly(40 * SIZE, 4000 * SIZE);

export const scenarios: readonly Scenario[] = [
  {
    name: 'listeners killed at random',
    stores: [...SERVERS, 'sqlite'],
    through: 'shared servers',
    schedule: randomly(40 * SIZE, 5000 * SIZE),
    timing: UNHURRIED_TIMES,
    kills: true,
  },
  {
    name: 'listeners stopped for longer than their leases',
    stores: [...SERVERS, 'sqlite', 'memory'],
    through: 'shared servers',
    schedule: LONG_SCHEDULE,
    timing: UNHURRIED_TIMES,
    async trouble({ fleets, random, timing }) {
      for (let round = 0; round < 3 * SIZE; round += 1) {
        await sleep(200 + random('stop', round) * 400);
        await Promise.all(fleets.map((fleet) => fleet.pause(round, timing.leaseMs * 1.3)));
      }
    },
  },
  {
    name: 'store stopped, and going on',
    stores: SERVERS,
    through: 'own servers',
    schedule: SCHEDULE,
    timing: UNHURRIED_TIMES,
    trouble: (world) =>
      twice(world, async ({ servers, timing }) => {
        for (const server of servers) server.freeze();
        await sleep(timing.storeTimeoutMs * 2.5);
        for (const server of servers) server.thaw();
      }),
  },
  {
    name: 'store crashes, and starts again',
    stores: SERVERS,
    through: 'own servers',
    schedule: SCHEDULE,
    timing: UNHURRIED_TIMES,
    trouble: (world) =>
      twice(world, async ({ servers }) => {
        await Promise.all(servers.map((server) => server.stop().then(server.start)));
      }),
  },
  {
    name: 'all connections cut, again and again',
    stores: SERVERS,
    through: 'a proxy',
    schedule: LONG_SCHEDULE,
    timing: UNHURRIED_TIMES,
    trouble: ({ servers, outage }) =>
      outage(async () => {
        for (let round = 0; round < 10 * SIZE; round += 1) {
          await sleep(400);
          for (const { proxy } of servers) proxy?.cut();
          await sleep(20);
          for (const { proxy } of servers) proxy?.restore();
        }
      }),
  },
  {
    name: 'network without replies, then without requests',
    stores: SERVERS,
    through: 'a proxy',
    schedule: SCHEDULE,
    timing: UNHURRIED_TIMES,
    trouble: (world) =>
      twice(world, async ({ servers, timing }, round) => {
        for (const { proxy } of servers) proxy?.stall(round === 0 ? 'replies' : 'requests');
        await sleep(timing.storeTimeoutMs * 2.5);
        for (const { proxy } of servers) proxy?.restore();
      }),
  },
  {
    name: '300 notifications at once',
    stores: ['postgres transactional', 'mysql transactional'],
    through: 'shared servers',
    schedule: () => paymentsAtOnce('burst', 300),
    timing: scaled(1 / 5),
  },
  {
    name: "Redis' replica takes over",
    stores: ['redis'],
    through: 'a replica',
    schedule: SCHEDULE,
    mayLoseWrites: true,
    async trouble({ servers, outage }) {
      await sleep(1500);
      await outage(() => Promise.all(servers.map((server) => server.failOver())));
    },
  },
  {
    name: 'a replica takes over that has every commit',
    stores: DATABASES,
    through: 'a replica',
    schedule: SCHEDULE,
    timing: UNHURRIED_TIMES,
    async trouble({ servers, outage }) {
      await sleep(1500);
      await outage(() => Promise.all(servers.map((server) => server.failOver())));
    },
  },
  {
    name: 'callbacks that ask a pool that is too small',
    stores: ['postgres', 'postgres transactional'],
    through: 'shared servers',
    schedule: randomly(60, 50),
    timing: UNHURRIED_TIMES,
    asksPool: true,
    // While the burst waits for connections, a record may get none before its lease is over. For the judge that is an
    // outage.
    trouble: ({ outage }) => outage(() => sleep(8000)),
  },
  {
    name: 'PgBouncer in transaction mode, listeners killed',
    stores: ['postgres', 'postgres transactional'],
    through: 'PgBouncer',
    schedule: SCHEDULE,
    timing: UNHURRIED_TIMES,
    kills: true,
  },
  lateClaims(scaled(1 / 8)),
];

/** At the service’s real intervals, which takes five and a half minutes. */
export const realTimes: readonly Scenario[] = [lateClaims(REAL_TIMES)];

/** The store is healthy again 25 s of real time before the last delivery, which is less than a lease. */
function lateClaims(timing: Timing): Scenario {
  return {
    name: `claims carried out late, ${Math.round((timing.intervalMs * 25) / 60) / 1000} s before the sixth delivery`,
    stores: SERVERS,
    through: 'own servers',
    schedule: () => paymentsAtOnce('late', 8),
    timing,
    trouble: ({ servers, outage, failuresOfOne }) =>
      outage(async () => {
        for (const server of servers) server.freeze();
        await failuresOfOne(5);
        await sleep((timing.intervalMs * (60 - 25)) / 60);
        for (const server of servers) server.thaw();
      }),
  };
}

async function twice(world: World, work: (world: World, round: number) => Promise<void>): Promise<void> {
  for (const round of [0, 1]) {
    await sleep(500 + world.random('trouble', round) * 500);
    await world.outage(() => work(world, round));
  }
}

/** Stores with mistakes of hand-written listeners, and what the judge must find. */
export const wrongStores: readonly (readonly [StoreName, RegExp])[] = [
  ['wrong: forgets leases', /had two callbacks at a time/],
  ['wrong: done at claim', /was answered 200, and has not taken effect/],
  ['wrong: writes outside the transaction', /has taken effect 2 times/],
];

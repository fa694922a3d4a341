// Puts load on several processes of a listener while they are killed and ended, as the service would: what was not
// answered 200 is sent again. Then it counts in the database what was lost and what was done twice, and prints the
// processor time a notification. Needs PostgreSQL on this machine.
//
//   npx tsx bench/load/run.ts                      8 processes of a small listener, 300 deliveries/s for a minute
//   npx tsx bench/load/run.ts --listener example   of examples/nestjs-production, which asks the service about each payment
//   npx tsx bench/load/run.ts --store plain        the planted fault: written outside the transaction
//   npx tsx bench/load/run.ts --rate 100 --seconds 20 --processes 4 --seed 7

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomFrom } from '../lib/random';
import { quantile } from '../lib/statistics';
import { openDatabase } from './database';
import { Fleet } from './fleet';
import { exampleListener, smallListener } from './listeners';
import { send } from './send';
import { startService } from './service';

const { values } = parseArgs({
  options: {
    listener: { type: 'string', default: 'small' },
    store: { type: 'string', default: 'transactional' },
    rate: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '60' },
    processes: { type: 'string', default: '8' },
    'restart-every': { type: 'string', default: '4' },
    'retry-seconds': { type: 'string', default: '15' },
    'work-ms': { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const { listener, store } = values;
if (listener !== 'small' && listener !== 'example') throw new Error('--listener is small or example.');
if (store !== 'transactional' && store !== 'plain') throw new Error('--store is transactional or plain.');
if (listener === 'example' && store === 'plain') throw new Error('The example has its own store.');
const [rate, seconds, processes, restartEvery, retrySeconds, workMs, seed] = [
  values.rate,
  values.seconds,
  values.processes,
  values['restart-every'],
  values['retry-seconds'],
  values['work-ms'],
  values.seed,
].map(Number) as [number, number, number, number, number, number, number];
const random = randomFrom(seed);
const LAST = { node: 0.9, postgres: 2.56 };

/** The share of deliveries that repeat an earlier one, half of them at the same moment. */
const DUPLICATES = 0.2;
const count = rate * seconds;
const sales = Math.ceil(count * (1 - DUPLICATES));

console.log(
  `${listener} listener, ${store}, ${processes} processes, ${rate}/s for ${seconds} s, a restart every ${restartEvery} s, seed ${seed}`,
);
const service = await startService();
const database = await openDatabase();
let fleet: Fleet | undefined;
try {
  fleet = new Fleet(
    listener === 'small'
      ? await smallListener({ databaseUrl: database.url, store, workMs })
      : await exampleListener({ databaseUrl: database.url, serviceUrl: service.url, sales }),
  );
  if (listener === 'small') await database.createTables();
  await fleet.open(processes);
  console.log('All of them listen.');

  await database.startMeasuring();
  const nodeBefore = fleet.measure();
  let isSending = true;
  const ticker = (async () => {
    for (; isSending; await sleep(200)) {
      fleet?.measure();
      await database.measure();
    }
  })();
  const restarts: Promise<void>[] = [];
  const restarter = setInterval(() => {
    const signal = restarts.length % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
    restarts.push(fleet?.restart(Math.floor(random() * processes), signal) ?? Promise.resolve());
  }, restartEvery * 1_000);

  const sent = await send({
    next: () => fleet?.next(),
    random,
    rate,
    count,
    sales,
    retryMs: retrySeconds * 1_000,
    whenAllSentOnce: () => clearInterval(restarter),
  });
  await Promise.all(restarts);
  isSending = false;
  await ticker;
  await sleep(500); // what was answered has been committed; what was not may still end
  const node = fleet.measure() - nodeBefore;
  const postgres = await database.measure();

  const { lost, doubled, done } = await database.judge(sales);
  const { requests, latencies, outcomes, givenUp } = sent;
  // Of what a listener answered: a request to a process that is away costs it nothing.
  const answered = [...outcomes].reduce(
    (sum, [answer, times]) => sum + (typeof answer === 'number' ? times : 0),
    0,
  );
  const each = (microseconds: number) => `${(microseconds / answered / 1000).toFixed(2)} ms`;
  const answers = [...outcomes].map(([answer, times]) => `${answer}: ${times}`).join(', ');
  console.log(`
| | |
|---|---|
| sales; deliveries, with duplicates; requests, with what was sent again | ${sales}; ${count}; ${requests} |
| rate that was reached | ${sent.perSecond.toFixed(0)}/s |
| restarts by SIGKILL; by SIGTERM | ${fleet.restarts.SIGKILL}; ${fleet.restarts.SIGTERM} |
| answers | ${answers} |
| response time, median; p99 | ${quantile(latencies, 0.5).toFixed(0)} ms; ${quantile(latencies, 0.99).toFixed(0)} ms |
| deliveries given up after six attempts | ${givenUp} |
| processor time an answer, Node | ${each(node)} (last: ${LAST.node.toFixed(2)} ms a notification) |
| processor time an answer, PostgreSQL | ${each(postgres)} (last: ${LAST.postgres.toFixed(2)} ms) |
| processor time of a process until it listens | ${(fleet.startUp / 1e6).toFixed(2)} s |
| done | ${done} |
| **lost** | **${lost}** |
| **doubled** | **${doubled}** |`);
  process.exitCode = lost === 0 && doubled === 0 ? 0 : 1;
} finally {
  await fleet?.close();
  await service.close();
  await database.drop();
}
process.exit();

/**
 * Explores what the handler and a store do with several deliveries of one subject, step by step: every order in which the
 * steps can happen, and in each of them crashes, stops, lost and late answers, callbacks that throw or hang.
 *
 *     npm run explore                          two and three deliveries, the seeded faults, and a sample on real servers
 *     npm run explore -- --deliveries 3        three deliveries only
 *     npm run explore -- --budget 600          for up to so many seconds of the processor (default 90)
 *     npm run explore -- --seed 7              the same sample again
 *     npm run explore -- --source ../other/src another copy of the source
 *     npm run explore -- --part faults         one part: scenarios, faults or sample
 *
 * How it works. The library is bundled from its source, and gets timers and clocks of the explorer's (`world/seat.ts`);
 * nothing inside it is replaced. A world (`world/world.ts`) has processes with a handler each, and one store. Each step
 * of the store waits until the explorer carries it out, and its answer until the explorer delivers it. What can happen
 * next is a list of choices (`world/choices.ts`). The search (`search.ts`) takes all of them, breadth first; of the worlds that
 * are alike, only one is continued. A ledger (`world/ledger.ts`) sees what is granted, recorded and done, and says which
 * of the invariants was broken. Each end is followed by one last delivery, which must succeed (`world/ending.ts`).
 *
 * The seeded faults (`faults/`) check the explorer: each must be found. A violation, a fault that is not
 * found, or one that does not fit the source any more, ends with exit code 1.
 */
import { parseArgs } from 'node:util';
import { hunt } from './faults/fault';
import { handlerFaults } from './faults/handler-faults';
import { storeFaults } from './faults/store-faults';
import { transactionFaults } from './faults/transaction-faults';
import { bundle } from './library';
import { printFinding, printHunt, printScenario } from './report';
import { sample } from './sample/sample';
import { recordStoreScenario, scenarios } from './scenarios';
import { explore } from './search';
import { Seat } from './world/seat';

const { values: args } = parseArgs({
  options: {
    deliveries: { type: 'string' },
    budget: { type: 'string', default: '90' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    source: { type: 'string', default: 'src' },
    part: { type: 'string', default: '' },
  },
});

// Nobody reads the errors of millions of steps, and their stacks would take most of the time.
Error.stackTraceLimit = 0;
const { source } = args;
const seat = new Seat();
const library = (await bundle(source))(seat.runtime);
const budgetMs = Number(args.budget) * 1000;
const SHARES = { scenarios: 0.8, sample: 0.2 };
const MOST_RUNS = 300;
const wants = (part: string) => args.part === '' || args.part === part;
let failures = 0;

process.on('unhandledRejection', (reason) => {
  console.error('A rejection escaped:', reason);
  process.exit(1);
});

if (wants('scenarios')) {
  const all = scenarios(library).filter(
    ({ deliveries }) => args.deliveries === undefined || deliveries.length === Number(args.deliveries),
  );
  let leftMs = budgetMs * SHARES.scenarios;
  let weights = all.reduce((sum, { weight }) => sum + weight, 0);
  for (const scenario of all) {
    // Time that a scenario does not use goes to the later ones.
    const explored = await explore(scenario, seat, { budgetMs: (leftMs * scenario.weight) / weights });
    leftMs -= explored.ms;
    weights -= scenario.weight;
    printScenario(scenario.name, explored);
    if (explored.finding !== undefined) failures += 1;
  }
}

if (wants('faults')) {
  const control = await explore(recordStoreScenario(library), seat, { budgetMs: Number.POSITIVE_INFINITY });
  if (control.finding !== undefined) {
    failures += 1;
    printFinding(control.finding);
  }
  const faults = [...storeFaults, ...handlerFaults, ...transactionFaults];
  let found = 0;
  for (const fault of faults) {
    const hunted = await hunt(fault, { source, library, seat }).catch((error: unknown) =>
      console.log(`${fault.name}: ${error}`),
    );
    if (hunted === undefined) continue;
    printHunt(hunted);
    if (hunted.explored.finding !== undefined) found += 1;
  }
  console.log(`${found} of ${faults.length} seeded faults found`);
  failures += faults.length - found;
}

if (wants('sample')) {
  const seed = Number(args.seed);
  failures += await sample(library, seat, { seed, budgetMs: budgetMs * SHARES.sample, runs: MOST_RUNS });
}

console.log(failures === 0 ? '\nNothing found.' : `\nFAILED: ${failures}`);
process.exitCode = failures === 0 ? 0 : 1;

import type { Library } from '../library';
import { printFinding } from '../report';
import { choicesOf, type Hazards, takeChoice } from '../world/choices';
import { checkLateClaims, checkNothingLost, isOver } from '../world/ending';
import type { Seat } from '../world/seat';
import { World } from '../world/world';
import { type RealStore, realStores } from './servers';

const HAZARDS = { crash: true, stop: true, lose: true, slow: true, throw: true, hang: true };
const MOST_STEPS = 80;
/** The share of steps that go wrong, among those that can. */
const RATE = 0.15;

/**
 * Random interleavings of the same kind on the stores’ real servers, with short leases: each statement of a
 * transaction and each script is a step. The servers’ clocks keep running, so nothing that depends on the exact end
 * of a lease is checked here.
 */
export async function sample(
  library: Library,
  seat: Seat,
  { seed, budgetMs, runs }: { readonly seed: number; readonly budgetMs: number; readonly runs: number },
): Promise<number> {
  const stores = await realStores(library, `${process.pid}_${seed}`);
  let findings = 0;
  for (const store of stores) {
    const random = randomFrom(seed);
    const until = performance.now() + budgetMs / stores.length;
    let worlds = 0;
    let steps = 0;
    while (worlds < runs && performance.now() < until) {
      worlds += 1;
      const world = await walk(store, worlds, library, seat, random);
      steps += world.trace.length;
      const [violation] = world.violations;
      if (violation === undefined) continue;
      findings += 1;
      printFinding({
        scenario: `${store.name}, seed ${seed}, world ${worlds}`,
        violation,
        trace: world.trace,
      });
      break;
    }
    console.log(`${store.name}: ${worlds} worlds, ${steps} steps, seed ${seed}`);
    await store.close();
  }
  return findings;
}

async function walk(
  store: RealStore,
  number: number,
  library: Library,
  seat: Seat,
  random: () => number,
): Promise<World> {
  const count = random() < 0.5 ? 2 : 3;
  const deliveries = Array.from({ length: count }, (_, index) => ({
    state: random() < 0.5 ? 'PENDING' : 'PAID',
    process: index + 1,
  }));
  const world = new World({ library, deliveries, openStore: (opened) => store.open(opened, number) }, seat);
  const hazards: Hazards = { faults: Math.floor(random() * 4), ...HAZARDS };
  for (let steps = 0; steps < MOST_STEPS && !isOver(world); steps += 1) {
    const choices = choicesOf(world, hazards);
    const faults = choices.filter((choice) => choice.faults > 0);
    const others = choices.filter((choice) => choice.faults === 0);
    const among = faults.length > 0 && (others.length === 0 || random() < RATE) ? faults : others;
    const choice = among[Math.floor(random() * among.length)];
    if (choice === undefined) break;
    await takeChoice(world, choice);
  }
  checkLateClaims(world);
  await checkNothingLost(world);
  return world;
}

/** Random numbers from 0 to 1 that depend only on the seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

import type { Library } from './library';
import type { Scenario } from './search';
import { memoryStore } from './stores/memory';
import { recordStore } from './stores/record-store';
import { transactModel } from './stores/transact-model';
import type { Plan } from './world/world';

const LEASED = { crash: true, stop: true, lose: true, slow: true, throw: true, hang: true, cut: true };
const IN_TRANSACTION = { crash: true, stop: true, lose: true, slow: true, throw: true, hang: true };

/** Two deliveries of one notification, or of a subject’s two states. The third repeats the first. */
const DELIVERIES: Readonly<Record<string, Plan['deliveries']>> = {
  'one state': deliveries('PAID', 'PAID', 'PAID'),
  'two states': deliveries('PENDING', 'PAID', 'PENDING'),
};

/**
 * The scenarios, each with its share of the time. The small ones come first, and leave the time that they do not use.
 */
export function scenarios(library: Library): (Scenario & { readonly weight: number })[] {
  const byStates = Object.entries(DELIVERIES).map(([states, planned]) => {
    const leases = (count: number, faults: number, weight: number) => ({
      library,
      name: `leases: ${count} deliveries of ${states}, ${upTo(faults)}`,
      deliveries: planned.slice(0, count),
      openStore: memoryStore(library),
      hazards: { faults, ...LEASED },
      weight,
    });
    const transactions = (count: number, faults: number, weight: number) => ({
      ...leases(count, faults, weight),
      name: `transactions: ${count} deliveries of ${states}, ${upTo(faults)}`,
      openStore: transactModel(),
      hazards: { faults, ...IN_TRANSACTION },
    });
    const oneProcess = {
      ...leases(2, 1, 10),
      name: `one process and its own clock: 2 deliveries of ${states}, ${upTo(1)}`,
      deliveries: planned.slice(0, 2).map(({ state }) => ({ state, process: 1 })),
      openStore: memoryStore(library, { ownClock: true }),
      hazards: { faults: 1, clock: true, slow: true, stop: true, throw: true, hang: true },
    };
    return [
      leases(2, 1, 10),
      oneProcess,
      transactions(2, 0, 10),
      leases(3, 0, 10),
      transactions(2, 1, 30),
      leases(3, 1, 30),
      transactions(3, 0, 10),
      leases(2, 2, 10),
    ];
  });
  const [first = []] = byStates;
  return first.flatMap((_, index) => byStates.flatMap((all) => all[index] ?? []));
}

/** The store into which most seeded faults are put, without any fault. */
export function recordStoreScenario(library: Library): Scenario {
  return {
    library,
    name: 'a store written by hand, without a mistake',
    openStore: memoryStore(library, { change: recordStore() }),
    deliveries: deliveries('PENDING', 'PAID'),
    hazards: { faults: 1, crash: true, stop: true, throw: true, lose: true, hang: true },
  };
}

function upTo(faults: number): string {
  return faults === 1 ? 'up to 1 fault' : faults === 0 ? 'no fault' : `up to ${faults} faults`;
}

function deliveries(...states: string[]): Plan['deliveries'] {
  return states.map((state, index) => ({ state, process: index + 1 }));
}

import type { Library } from './library';
import type { Scenario } from './search';
import { memoryStore } from './stores/memory';
import { recordStore } from './stores/record-store';
import { transactModel } from './stores/transact-model';
import type { Plan } from './world/world';

const LEASED = { crash: true, stop: true, lose: true, slow: true, throw: true, hang: true, cut: true };
const IN_TRANSACTION = { crash: true, stop: true, lose: true, slow: true, throw: true, hang: true };

/** Two deliveries of one notification, or of a subject's two states; the third is one of the first's once more. */
const DELIVERIES: Readonly<Record<string, Plan['deliveries']>> = {
  'one state': deliveries('PAID', 'PAID', 'PAID'),
  'two states': deliveries('PENDING', 'PAID', 'PENDING'),
};

/** What is explored, and which part of the time it may take. */
export function scenarios(library: Library): (Scenario & { readonly weight: number })[] {
  return Object.entries(DELIVERIES).flatMap(([states, planned]) => {
    const two = { library, deliveries: planned.slice(0, 2) };
    const inOneProcess = two.deliveries.map(({ state }) => ({ state, process: 1 }));
    return [
      {
        ...two,
        name: `leases: 2 deliveries of ${states}, 2 faults`,
        openStore: memoryStore(library),
        hazards: { faults: 2, ...LEASED },
        weight: 4,
      },
      {
        ...two,
        name: `transactions: 2 deliveries of ${states}, 1 fault`,
        openStore: transactModel(),
        hazards: { faults: 1, ...IN_TRANSACTION },
        weight: 4,
      },
      {
        ...two,
        name: `one process with its own clock: 2 deliveries of ${states}, 1 fault`,
        deliveries: inOneProcess,
        openStore: memoryStore(library, { ownClock: true }),
        hazards: { faults: 1, clock: true, slow: true, stop: true, throw: true, hang: true },
        weight: 1,
      },
      {
        library,
        deliveries: planned,
        name: `leases: 3 deliveries of ${states}, 1 fault`,
        openStore: memoryStore(library),
        hazards: { faults: 1, ...LEASED },
        weight: 4,
      },
      {
        library,
        deliveries: planned,
        name: `transactions: 3 deliveries of ${states}, no fault`,
        openStore: transactModel(),
        hazards: { faults: 0 },
        weight: 2,
      },
    ];
  });
}

/** The store that most seeded faults are put into, without any. */
export function recordStoreScenario(library: Library): Scenario {
  return {
    library,
    name: 'a store written by hand, without a mistake',
    openStore: memoryStore(library, { change: recordStore() }),
    deliveries: deliveries('PENDING', 'PAID'),
    hazards: { faults: 1, crash: true, stop: true, throw: true, lose: true, hang: true },
  };
}

function deliveries(...states: string[]): Plan['deliveries'] {
  return states.map((state, index) => ({ state, process: index + 1 }));
}

import { bundle, type Library, type Patch } from '../library';
import { type Explored, explore, type Scenario } from '../search';
import { memoryStore } from '../stores/memory';
import { type Mistakes, recordStore } from '../stores/record-store';
import { type Faults, transactModel } from '../stores/transact-model';
import type { Hazards } from '../world/choices';
import type { Seat } from '../world/seat';

/** A plausible mistake, put into a copy of the source, the store or the transaction. */
export interface SeededFault {
  readonly name: string;
  /** Changes of the source. */
  readonly patches?: readonly Patch[];
  /** Mistakes of the store. */
  readonly store?: Mistakes;
  /** Mistakes of the transaction. */
  readonly transaction?: Faults;
  /**
   * Whether a patch is tested under leases or in transactions. Default: leases, or transactions when `transaction` is
   * set.
   */
  readonly mode?: 'leases' | 'transactions';
  /** The hazards of the scenario, under which the mistake must show. */
  readonly hazards: Hazards;
  /** The states of the deliveries. Default: two of one state. */
  readonly states?: readonly string[];
}

export interface Hunted {
  readonly fault: SeededFault;
  readonly explored: Explored;
}

/** Looks for one seeded fault, with its own deliveries and hazards. */
export async function hunt(
  fault: SeededFault,
  { source, library, seat }: { readonly source: string; readonly library: Library; readonly seat: Seat },
): Promise<Hunted> {
  const { patches, transaction, store, states = ['PAID', 'PAID'], hazards } = fault;
  const faulty = patches === undefined ? library : (await bundle(source, patches))(seat.runtime);
  const inTransaction = fault.mode === 'transactions' || transaction !== undefined;
  const scenario: Scenario = {
    name: fault.name,
    library: faulty,
    openStore: inTransaction
      ? transactModel(transaction)
      : memoryStore(faulty, store === undefined ? {} : { change: recordStore(store) }),
    deliveries: states.map((state, index) => ({ state, process: index + 1 })),
    hazards,
  };
  return { fault, explored: await explore(scenario, seat, { budgetMs: HUNT_MS }) };
}

/** Processor time. Each fault is found in a small part of it. */
const HUNT_MS = 20_000;

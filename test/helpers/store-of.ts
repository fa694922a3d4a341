import { STEPS, type Store, type StoreSteps, stepsOf, type Transact } from '../../src/stores/steps';

/** A store with these steps alone, for tests of what calls them. */
export function storeOf<Transaction = undefined>(
  steps: Partial<StoreSteps<Transaction>>,
): Store<Transaction> {
  return {
    createTable: async () => undefined,
    createTableSql: () => '',
    deleteExpired: async () => 0,
    [STEPS]: steps as StoreSteps<Transaction>,
  };
}

/** A store with its steps as methods; `transact` is missing at run time where the store is not transactional. */
export type TestStore<Transaction = undefined> = Store<Transaction> &
  Omit<StoreSteps<Transaction>, 'transact'> & { transact: Transact<Transaction> };

/** The store with its steps as methods too, for tests that call them. */
export function withSteps<Transaction = undefined>(store: Store<Transaction>): TestStore<Transaction> {
  return Object.assign(store, stepsOf(store)) as TestStore<Transaction>;
}

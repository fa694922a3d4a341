import {
  STEPS,
  type Store,
  type StoreSteps,
  stepsOf,
  type Transacted,
  type TransactRequest,
  type TransactWork,
} from '../../src/stores/steps';

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
  Omit<StoreSteps<Transaction>, 'transact'> & {
    transact(request: TransactRequest, work: TransactWork<Transaction>): Promise<Succeeded>;
  };

type Succeeded = Exclude<Transacted, { readonly status: 'failed' | 'late' }>;

/** The store with its steps as methods too, for tests that call them. */
export function withSteps<Transaction = undefined>(store: Store<Transaction>): TestStore<Transaction> {
  const steps = stepsOf(store);
  const { transact } = steps;
  return Object.assign(store, steps, {
    transact: transact && (async (...given: Parameters<typeof transact>) => settle(await transact(...given))),
  }) as TestStore<Transaction>;
}

/** What a transaction came to in the end. Throws why it failed. */
async function settle(result: Transacted): Promise<Succeeded> {
  if (result.status === 'late') return settle(await result.ended);
  if (result.status === 'failed') throw result.error;
  return result;
}

import {
  type Claim,
  type SingleRecords,
  STEPS,
  type Store,
  type StoreSteps,
  stepsOf,
  type Transact,
  type Transacted,
  type TransactRequest,
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

/** A callback as a test writes it, without a work around it. */
export type TestCallback<Transaction> = (
  transaction: Transaction,
  claim: Claim,
  records: SingleRecords,
) => Promise<unknown>;

/** A store with its steps as methods; `transact` is missing at run time where the store is not transactional. */
export type TestStore<Transaction = undefined> = Store<Transaction> &
  Omit<StoreSteps<Transaction>, 'transact'> & {
    transact(request: TransactRequest, callback: TestCallback<Transaction>): Promise<Succeeded>;
  };

type Succeeded = Exclude<Transacted<unknown>, { readonly status: 'failed' | 'late' }>;

/** The store with its steps as methods too, for tests that call them. */
export function withSteps<Transaction = undefined>(store: Store<Transaction>): TestStore<Transaction> {
  const steps = stepsOf(store);
  return Object.assign(store, steps, {
    transact: steps.transact && transactOf(steps.transact),
  }) as TestStore<Transaction>;
}

function transactOf<Tx>(transact: Transact<Tx>): TestStore<Tx>['transact'] {
  return async (request, callback) =>
    settle(
      await transact(request, async ({ transaction, claim, records, act }) => {
        await act(async () => {
          await callback(transaction, claim, records);
          return 'done';
        });
      }),
    );
}

/** What a transaction came to in the end. Throws why it failed. */
async function settle(result: Transacted<unknown>): Promise<Succeeded> {
  if (result.status === 'late') return settle(await result.ended);
  if (result.status === 'failed') throw result.error;
  return result;
}

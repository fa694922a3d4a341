import type { Claim, Done, SingleRecords, Transact, TransactRequest } from '../../src/stores/steps';
import { transactWithin } from '../../src/stores/transact';

type FakeResult =
  | { readonly status: 'completed' }
  | { readonly status: 'busy' | 'full' }
  | ({ readonly status: 'done' } & Done);

/** Transactions of a test's own: it claims, runs `work`, and commits. */
export type FakeTransact<Tx> = (
  request: TransactRequest,
  work: (transaction: Tx, claim: Claim, records: SingleRecords) => Promise<void>,
) => Promise<FakeResult>;

/** A record that is there, and that any transaction may claim and write. */
const FREE = { record: '{"format":2,"token":"free","done":[]}', version: 7, now: 1_000_000 };

/** The stages and limits of the library around transactions of a test's own. */
export function fakeTransact<Tx>(fake: FakeTransact<Tx>): Transact<Tx> {
  return async (request, work) => {
    let came: FakeResult | undefined;
    type Given = readonly [Tx, Claim, SingleRecords];
    const transact = transactWithin<Given>(
      {
        async transaction(run) {
          came = await fake(request, (...given) => run(given));
        },
        query: async () => [],
      },
      {
        read: async () => FREE,
        lock: async () => FREE,
        lockInTurn: async () => FREE,
        liftLimit: async () => undefined,
        write: async () => true,
        savepoint: async () => undefined,
        undo: async () => undefined,
        release: async () => undefined,
        beforeCommit: async () => 'held',
        list: async () => [],
      },
      { stepTimeoutMs: request.storeTimeoutMs },
    );
    const settled = <Result extends { readonly status: string }>(result: Result) =>
      came === undefined || came.status === 'completed' ? result : came;
    const result = await transact(request, ({ transaction: [transaction, claim, records], act }, prepared) =>
      work({ transaction, claim, records, act }, prepared),
    );
    if (result.status !== 'late') return settled(result);
    return { ...result, ended: result.ended.then(settled) };
  };
}

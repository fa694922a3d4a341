import { ConfigurationError } from '../errors';
import { STEPS, type Store, stepsOf } from '../stores/steps';

/**
 * A store that crashes each time your callback has ended and before the transaction commits. Everything in the
 * transaction is rolled back and the answer is 500, as if the process had died there: whatever your callback has
 * written is gone. What is still there, it has written outside the transaction, and a real crash would repeat it.
 *
 * @param store - a store with transactions, such as `new PostgresStore(pool, { transactional: true })`
 *
 * @example
 * const handler = createWebhookHandler({ credentials, store: crashBeforeCommit(store), on });
 * expect((await handler(notificationRequest('payment', {}, credentials))).status).toBe(500);
 * expect(await orders.paid()).toEqual([]);
 *
 * @throws `ConfigurationError` for a store without transactions: its callbacks write outside of one by design
 */
export function crashBeforeCommit<Transaction>(store: Store<Transaction>): Store<Transaction> {
  const steps = stepsOf(store);
  const { transact } = steps;
  if (transact === undefined) {
    throw new ConfigurationError(
      'Expected a store with transactions, such as `new PostgresStore(pool, { transactional: true })` or ' +
        'the store of your ORM. Without them, a crash after the callback always repeats what it did.',
    );
  }
  return {
    createTable: () => store.createTable(),
    createTableSql: () => store.createTableSql(),
    deleteExpired: () => store.deleteExpired(),
    [STEPS]: {
      ...steps,
      transact: (request, work) =>
        transact(request, async (...given) => {
          await work(...given);
          throw new Error('crashBeforeCommit: the process has crashed before the commit.');
        }),
    },
  };
}

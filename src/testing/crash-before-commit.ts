import { ConfigurationError } from '../errors';
import type { IdempotencyStore } from '../stores/idempotency-store';

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
export function crashBeforeCommit<Transaction>(
  store: IdempotencyStore<Transaction>,
): IdempotencyStore<Transaction> {
  if (typeof store?.transact !== 'function') {
    throw new ConfigurationError(
      'Expected a store with transactions, such as `new PostgresStore(pool, { transactional: true })` or ' +
        '`postgresStoreWithin(access)`. Without them, a crash after the callback always repeats what it did.',
    );
  }
  return {
    claim: (...given) => store.claim(...given),
    complete: (...given) => store.complete(...given),
    release: (...given) => store.release(...given),
    transact: async (request, work) => {
      const crash = async (transaction: Transaction, claim: Parameters<typeof work>[1]) => {
        await work(transaction, claim);
        throw new Error('crashBeforeCommit: the process has crashed before the commit.');
      };
      return store.transact?.(request, crash) ?? { status: 'busy' };
    },
  };
}

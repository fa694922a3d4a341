import { ConfigurationError } from '../errors';
import { STEPS, type Store, type StoreSteps, stepsOf } from '../stores/steps';

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
export function crashBeforeCommit<AnyStore extends Store>(store: AnyStore): AnyStore {
  const steps = stepsOf<unknown>(store);
  const { transact } = steps;
  if (transact === undefined) {
    throw new ConfigurationError(
      'Expected a store with transactions, such as `new PostgresStore(pool, { transactional: true })` or ' +
        'the store of your ORM. Without them, a crash after the callback always repeats what it did.',
    );
  }
  return withSteps(store, {
    ...steps,
    transact: (request, work) =>
      transact(request, async (...given) => {
        await work(...given);
        throw crashed('before the commit');
      }),
  });
}

/** The same store with other steps. It keeps its other methods, which may read private fields of the store. */
export function withSteps<AnyStore extends object>(store: AnyStore, steps: StoreSteps<unknown>): AnyStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === STEPS) return steps;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** What stands for the end of the process. */
export function crashed(when: string): Error {
  return Object.assign(new Error(`The process has crashed ${when}, as the test asked for.`), {
    code: 'ECONNRESET',
  });
}

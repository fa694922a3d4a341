/** A part of the source: each file, with the tests that are to notice a fault in it. They are quick, and about it. */
export type Scope = Readonly<Record<string, readonly string[]>>;

const client = (name: string, ...tests: readonly string[]): Scope => ({
  [`src/client/transport/${name}.ts`]: tests.map((test) => `test/client/${test}.test.ts`),
});

const webhooks = (name: string, ...tests: readonly string[]): Scope => ({
  [`src/webhooks/${name}.ts`]: tests.map((test) => `test/webhooks/${test}.test.ts`),
});

const stores = (name: string, ...tests: readonly string[]): Scope => ({
  [`src/stores/${name}.ts`]: tests.map((test) => `test/stores/${test}.test.ts`),
});

/** What `npm run test:mutation -- SCOPE` may name. The files that decide come first. */
export const scopes: Readonly<Record<string, Scope>> = {
  client: {
    ...client('retry-policy', 'transport/retry-policy'),
    ...client('find-uuid', 'transport/find-uuid'),
    ...client('failed-attempt', 'transport/failed-attempt'),
    ...client('connection-failure', 'connection-failure'),
    ...client('read-body', 'transport/read-body'),
    ...client('interpret', 'transport/interpret'),
    ...client('interruption', 'transport/interruption'),
    ...client('exchange', 'transport/exchange'),
    ...client('transport', 'retries', 'abort', 'custom-fetch', 'observers', 'time-limits'),
    ...client('platform-fetch', 'partial-answers', 'requests'),
    ...client('secrets', 'secrets'),
    ...client('observers', 'observers'),
  },
  webhooks: {
    ...webhooks('authorization', 'authorization'),
    ...webhooks('parse-notification', 'parse-notification', 'construct-notification'),
    ...webhooks('recognize', 'parse-notification'),
    ...webhooks('notification-key', 'notification-key', 'duplicates'),
    ...webhooks('payout-failure', 'payout-failure'),
    ...webhooks('aged-map', 'aged-map'),
    ...webhooks('handler/act', 'duplicates', 'handler-store', 'handler-answers'),
    ...webhooks('handler/body', 'handler-body'),
    ...webhooks('handler/act-in-transaction', 'handler-transaction'),
  },
  stores: {
    'src/webhooks/memory-store.ts': ['test/stores/memory-store.test.ts'],
    ...stores('sqlite-store', 'sqlite-store'),
    ...stores('redis-store', 'redis-store'),
    ...stores('postgres-store', 'postgres-store'),
    ...stores('postgres-transact', 'postgres-transactional'),
  },
};

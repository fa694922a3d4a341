/** A part of the source: each file, with the tests that are to notice a fault in it. They are quick, and about it. */
export type Scope = Readonly<Record<string, readonly string[]>>;

const client = (name: string, ...tests: readonly string[]): Scope => ({
  [`src/client/transport/${name}.ts`]: tests.map((test) => `test/client/${test}.test.ts`),
});

/** The rest of `src`, with tests of the client. */
const below = (name: string, ...tests: readonly string[]): Scope => ({
  [`src/${name}.ts`]: tests.map((test) => `test/client/${test}.test.ts`),
});

const values = (name: string, ...tests: readonly string[]): Scope => ({
  [`src/values/${name}.ts`]: [
    `test/values/${name}.test.ts`,
    ...tests.map((test) => `test/client/${test}.test.ts`),
  ],
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
    ...below('service/find-uuid', 'transport/find-uuid'),
    ...client('failed-attempt', 'transport/interpret', 'retries', 'uuid-of-what', 'abort'),
    ...client('connection-failure', 'connection-failure'),
    ...below('shared/read-body', 'transport/read-body'),
    ...client('interpret', 'transport/interpret', 'answers', 'partial-answers', 'uuid-of-what'),
    ...client('interruption', 'transport/interruption'),
    ...client('exchange', 'transport/exchange', 'custom-fetch', 'abort'),
    ...client('transport', 'transport/transport', 'observers', 'abort'),
    ...client('platform-fetch', 'transport/platform-fetch'),
    ...below('service/secrets', 'secrets'),
    ...client('observers', 'observers'),
    ...below('client/confirm-payment', 'confirm-payment'),
    ...below('client/left-out', 'confirm-payment'),
    ...below('client/wait-for-transaction', 'waiting', 'wait-for-transaction'),
    ...below('client/reconcile', 'reconcile'),
    ...below('client/request-body', 'request-body', 'extra-fields'),
    ...below('client/request-path', 'request-path'),
    ...below('client/options', 'resolve-options', 'options'),
    ...below('client/base-url', 'base-url', 'options'),
    ...below(
      'client/payments-client',
      'transport/transport',
      'options',
      'extra-fields',
      'wait-for-transaction',
    ),
    ...below('shared/on-abort', 'on-abort'),
    ...below('shared/objects', 'merge-deep', 'extra-fields', 'resolve-options'),
    ...values('amount-from-minor-units'),
    ...values('parse-date-time'),
    ...values('decode-qr-code'),
    ...values('assert-credentials'),
    ...values('from-environment', 'options'),
    'src/values/invalid-argument.ts': ['test/values/amount-from-minor-units.test.ts'],
  },
  webhooks: {
    ...webhooks('authorization', 'authorization'),
    ...webhooks('notification/parse-notification', 'parse-notification', 'construct-notification'),
    ...webhooks('notification/choose-kind', 'parse-notification'),
    ...webhooks('notification/recognize', 'parse-notification', 'define-notification', 'handler-park'),
    ...webhooks('notification/notification-key', 'notification-key', 'duplicates'),
    ...webhooks('notification/canonical-json', 'notification-key'),
    ...webhooks('notification/payout-failure', 'payout-failure'),
    ...webhooks('handler/act', 'duplicates', 'handler-store', 'handler-answers'),
    ...webhooks('handler/act-in-transaction', 'handler-transaction'),
    ...webhooks('handler/task', 'handler-store', 'handler-transaction'),
    ...webhooks(
      'handler/flow',
      'handler-answers',
      'handler-reports',
      'handler-park',
      'handler-store',
      'drain',
    ),
    ...webhooks('handler/parking', 'handler-park'),
    ...webhooks('handler/body', 'handler-body'),
  },
  stores: {
    'src/stores/memory-store.ts': ['test/stores/memory-store.test.ts'],
    ...stores('sqlite/sqlite-store', 'sqlite-store'),
    ...stores('redis/redis-store', 'redis-store'),
    ...stores('postgres/postgres-store', 'postgres-store'),
    ...stores('postgres/connection', 'postgres-strain', 'postgres-transactional'),
    ...stores('postgres/transact', 'postgres-transactional', 'postgres-strain'),
    ...stores('postgres/abandoned-claims', 'postgres-late-claims'),
  },
};

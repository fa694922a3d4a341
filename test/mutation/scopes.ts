/** A part of the source: each file, with the quick tests that must notice a fault in it. */
export type Scope = Readonly<Record<string, readonly string[]>>;

const client = (name: string, ...tests: readonly string[]): Scope => ({
  [`src/client/transport/${name}.ts`]: tests.map((test) => `test/client/${test}.test.ts`),
});

/** Files outside `src/client`, with tests of the client. */
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

/** The scopes of `npm run test:mutation -- SCOPE`. The files that make decisions come first. */
export const scopes: Readonly<Record<string, Scope>> = {
  client: {
    ...client('retry-policy', 'transport/retry-policy'),
    ...below('service/find-uuid', 'transport/find-uuid'),
    ...client('failed-attempt', 'transport/interpret', 'retries', 'uuid-of-what', 'abort'),
    ...client('connection-failure', 'connection-failure'),
    ...below('shared/read-body', 'transport/read-body'),
    ...client('interpret', 'transport/interpret', 'answers', 'partial-answers', 'uuid-of-what'),
    ...client('interruption', 'transport/interruption', 'connection-failure'),
    ...client('exchange', 'transport/exchange', 'custom-fetch', 'abort'),
    ...client('transport', 'transport/transport', 'observers', 'abort'),
    ...client('platform-fetch', 'transport/platform-fetch'),
    ...below('service/credentials', 'secrets'),
    ...client('observers', 'observers'),
    ...below('client/confirm-payment', 'confirm-payment'),
    ...below('client/left-out', 'confirm-payment'),
    ...below('client/wait-for-transaction', 'waiting', 'wait-for-transaction'),
    ...below('client/reconcile', 'reconcile'),
    ...below('client/request', 'request-body', 'request-path', 'extra-fields'),
    ...below('client/options', 'resolve-options', 'options', 'bad-options'),
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
    ...values('option-checks'),
    'src/values/credentials.ts': [
      'test/values/assert-credentials.test.ts',
      'test/values/from-environment.test.ts',
      'test/client/options.test.ts',
      'test/webhooks/credentials-from-env.test.ts',
    ],
    'src/errors/invalid-request-error.ts': ['test/values/amount-from-minor-units.test.ts'],
  },
  webhooks: {
    ...webhooks('authorization', 'authorization'),
    ...webhooks('notification/parse-notification', 'parse-notification', 'construct-notification'),
    ...webhooks('notification/choose-kind', 'parse-notification'),
    ...webhooks(
      'notification/recognize',
      'parse-notification',
      'notification-key',
      'define-notification',
      'handler-park',
    ),
    ...webhooks('notification/notification-key', 'notification-key', 'duplicates'),
    ...webhooks('notification/canonical-json', 'notification-key'),
    ...webhooks('notification/payout-failure', 'payout-failure'),
    ...webhooks('handler/act', 'duplicates', 'handler-store', 'handler-answers', 'handler-transaction'),
    ...webhooks('handler/act-in-transaction', 'handler-transaction'),
    ...webhooks('handler/task', 'handler-store', 'handler-transaction'),
    ...webhooks(
      'handler/flow',
      'handler-answers',
      'handler-reports',
      'handler-park',
      'handler-store',
      'drain',
      'handler-adapters',
      'handler-body',
      'define-notification',
    ),
    ...webhooks('handler/parking', 'handler-park'),
    ...webhooks('handler/body', 'handler-body', 'handler-adapters'),
    ...webhooks(
      'handler/create-webhook-handler',
      'handler-answers',
      'handler-adapters',
      'handler-body',
      'handler-park',
      'drain',
    ),
    ...webhooks(
      'handler/resolve-options',
      'handler-options',
      'handler-answers',
      'handler-reports',
      'handler-store',
      'handler-park',
      'define-notification',
    ),
    ...webhooks(
      'handler/deadline',
      'handler-body',
      'handler-store',
      'handler-transaction',
      'handler-park',
      'handler-reports',
    ),
    ...webhooks('handler/request', 'handler-body', 'handler-adapters', 'handler-answers'),
    ...webhooks('handler/callback-context', 'handler-store', 'handler-transaction'),
    ...webhooks('handler/answers', 'handler-answers', 'handler-adapters'),
    ...webhooks('notification/query', 'parse-notification', 'define-notification'),
    ...webhooks('notification/define-notification', 'define-notification', 'handler-options'),
    ...webhooks('adapters/node-listener', 'handler-adapters', 'handler-body', 'duplicates'),
    ...webhooks('handler/node-response', 'handler-adapters', 'handler-body'),
    ...webhooks(
      'handler/report',
      'handler-reports',
      'handler-body',
      'handler-store',
      'handler-park',
      'handler-adapters',
    ),
  },
  // `sqlite-store` needs a Node with SQLite, 22 or later. For files of SQL and Lua, see the listed faults
  // (`mutants`).
  stores: {
    ...stores(
      'postgres/transact',
      'postgres-transact',
      'postgres-connection',
      'postgres-strain',
      'postgres-transactional',
    ),
    ...stores('postgres/connection', 'postgres-connection', 'postgres-strain', 'postgres-transactional'),
    ...stores('postgres/abandoned-claims', 'postgres-late-claims'),
    ...stores(
      'postgres/postgres-store',
      'postgres-steps',
      'postgres-connection',
      'postgres-transact',
      'postgres-late-claims',
      'postgres-table',
    ),
    ...stores('postgres/transaction', 'postgres-statements', 'postgres-transact', 'postgres-transactional'),
    ...stores('postgres/transaction-control', 'postgres-statements', 'postgres-transact'),
    ...stores('postgres/slots', 'slots'),
    ...stores('time-limit', 'time-limit'),
    ...stores('memory-store', 'memory-store'),
    ...stores('redis/redis-store', 'redis-replies', 'redis-store'),
    ...stores('redis/client', 'redis-replies', 'redis-store'),
    ...stores('sqlite/sqlite-store', 'sqlite-steps', 'sqlite-store'),
    ...stores('sqlite/database', 'sqlite-database'),
    ...stores('rows', 'rows'),
    ...stores('replies', 'replies'),
    ...stores('names', 'names'),
    ...stores('store-arguments', 'store-arguments'),
    ...stores('postgres/table', 'postgres-table'),
  },
};

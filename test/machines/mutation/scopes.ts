/** A part of the source: each file, with the quick tests that must notice a fault in it. */
export type Scope = Readonly<Record<string, readonly string[]>>;

const client = (name: string, ...tests: readonly string[]): Scope => ({
  [`src/client/${name}.ts`]: tests.map((test) => `test/client/${test}.test.ts`),
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

/** The scopes of `npm run machine -- mutation SCOPE`. The files that make decisions come first. */
export const scopes: Readonly<Record<string, Scope>> = {
  client: {
    ...client('retry', 'retry'),
    'src/service/find-uuid.ts': ['test/service/find-uuid.test.ts'],
    ...client('connection-failure', 'connection-failure'),
    'src/shared/read-body.ts': ['test/shared/read-body.test.ts'],
    ...client(
      'transport',
      'transport',
      'transport-abort',
      'transport-answers',
      'transport-fetch',
      'transport-secrets',
      'connection-failure',
      'request',
    ),
    ...below('service/credentials', 'transport-secrets'),
    ...client('wait-for-transaction', 'wait-for-transaction'),
    ...client('reconcile', 'reconcile'),
    ...client('request', 'request'),
    ...client('options', 'options', 'transport'),
    ...client('base-url', 'base-url'),
    ...client('payments-client', 'payments-client', 'request', 'wait-for-transaction'),
    'src/shared/time.ts': ['test/shared/time.test.ts'],
    'src/shared/objects.ts': ['test/shared/objects.test.ts', 'test/client/request.test.ts'],
    ...values('amounts'),
    ...values('parse-date-time'),
    ...values('decode-qr-code'),
    ...values('confirm-payment'),
    ...values('option-checks'),
    ...values('to-json', 'request'),
    'src/values/credentials.ts': ['test/values/credentials.test.ts', 'test/client/payments-client.test.ts'],
    'src/errors/argument-errors.ts': ['test/errors/argument-errors.test.ts', 'test/values/amounts.test.ts'],
  },
  webhooks: {
    ...webhooks('authorization', 'authorization'),
    ...webhooks('parse', 'parse', 'key', 'kinds', 'dead-letters'),
    ...webhooks('key', 'key', 'handler'),
    ...webhooks('payout-failure', 'payout-failure'),
    ...webhooks('act', 'act', 'act-transaction', 'act-confirm', 'handler', 'dead-letters'),
    ...webhooks(
      'handler',
      'handler',
      'act',
      'act-confirm',
      'dead-letters',
      'http',
      'kinds',
      'node',
      'report',
    ),
    ...webhooks('dead-letters', 'dead-letters', 'act-confirm'),
    ...webhooks('http', 'http', 'node', 'handler'),
    ...webhooks('options', 'options', 'act', 'act-confirm', 'dead-letters', 'handler', 'kinds', 'report'),
    ...webhooks('kinds', 'kinds', 'options'),
    ...webhooks('node', 'node', 'http', 'handler'),
    ...webhooks('lambda', 'lambda', 'node'),
    ...webhooks('report', 'report', 'act', 'dead-letters', 'http', 'node'),
  },
  // `sqlite-store` needs a Node with SQLite, 22 or later.
  stores: {
    ...stores('record', 'record'),
    ...stores('record-store', 'record-store', 'memory-store', 'postgres-store', 'sqlite-store'),
    ...stores('memory-store', 'memory-store'),
    ...stores(
      'sql-records',
      'within',
      'databases',
      'postgres-store',
      'postgres-pool',
      'mysql-store',
      'sqlite-store',
    ),
    ...stores('postgres-store', 'databases', 'within', 'postgres-store', 'postgres-pool'),
    ...stores('postgres-pool', 'postgres-pool-transaction', 'postgres-pool'),
    ...stores('within', 'within', 'postgres-pool', 'mysql-store'),
    ...stores('mysql-store', 'databases', 'within', 'mysql-store'),
    ...stores('redis-store', 'databases', 'redis-store'),
    ...stores('sqlite-store', 'databases', 'sqlite-store'),
    ...stores('dead-letters', 'dead-letters'),
    ...stores('sql-dead-letters', 'databases', 'sql-dead-letters'),
    ...stores('redis-dead-letters', 'databases', 'redis-dead-letters'),
  },
};

import { createOrders } from 'pix-automatic-sdk/orders';
import { knexStore, MysqlStore, PostgresStore } from 'pix-automatic-sdk/stores';
import { createWebhookHandler, MemoryStore } from 'pix-automatic-sdk/webhooks';
import { expect, it } from 'vitest';
import { FakeClient } from '../orders/support';

// That the real ones have these members is tested in test/orms and by the stores' own tests.
const fail = () => {
  throw new Error('A check must not call anything.');
};
const own = (...names: string[]) => Object.fromEntries(names.map((name) => [name, fail]));
const knex = Object.assign(() => fail(), own('raw', 'transaction'), { client: { config: { client: 'pg' } } });
const prisma = own('$transaction', '$queryRawUnsafe');
const kysely = own('selectFrom', 'insertInto', 'transaction');
const drizzle = own('select', 'insert', 'transaction', 'execute');
const sequelize = own('getDialect', 'transaction', 'define', 'query');
const typeorm = { ...own('getRepository', 'transaction', 'query'), manager: {} };
const pgPool = { ...own('query', 'connect'), totalCount: 0 };
const mysqlPool = own('execute', 'query', 'getConnection');

const clients: readonly [what: string, client: unknown, store: string][] = [
  ['a Knex', knex, '`knexStore(knex)`'],
  ['a Prisma client', prisma, "`prismaStore(prisma, { dialect: 'postgres' })`"],
  ['a Kysely', kysely, "`kyselyStore(db, sql, { dialect: 'postgres' })`"],
  ['a Drizzle database', drizzle, "`drizzleStore(db, sql, { dialect: 'postgres' })`"],
  ['a Sequelize', sequelize, '`sequelizeStore(sequelize)`'],
  ['a DataSource of TypeORM', typeorm, '`typeormStore(dataSource)`'],
  ['a pool of pg', pgPool, '`new PostgresStore(pool)`'],
  ['a pool of mysql2', mysqlPool, '`new MysqlStore(pool)`'],
  ['a client of redis', own('eval', 'evalSha'), '`new RedisStore(client)`'],
  ['a client of ioredis', own('eval', 'defineCommand'), '`new RedisStore(client)`'],
  ['a client of Upstash', own('eval', 'createScript'), '`new RedisStore(client)`'],
  ['an SQLite database', own('prepare', 'exec'), '`new SqliteStore(database)`'],
  ['a `RecordStore`', own('read', 'write', 'list'), '`createStore(records)`'],
];

it.each(clients)('%s in place of a store is answered with the store for it', (what, client, store) => {
  const credentials = { apiKey: 'key', apiToken: 'token' };
  const on = { paid: async () => undefined, returned: 'ignore' as const };
  const calls = [
    () => createOrders({ client: new FakeClient() as never, credentials, store: client as never, on }),
    () => createWebhookHandler({ credentials, store: client as never, on: {} }),
  ];
  for (const call of calls) expect(call).toThrow(`\`store\` to be a store, got ${what}: ${store} of`);
});

it.each([
  ['a promise', Promise.resolve(new MemoryStore()), 'got a promise: `await` it first.'],
  ['a class', MemoryStore, 'got a class: is `new` missing?'],
])('%s in place of a store is answered with what is missing', (_, store, says) => {
  const credentials = { apiKey: 'key', apiToken: 'token' };
  expect(() => createWebhookHandler({ credentials, store: store as never, on: {} })).toThrow(says);
});

it.each([
  ['PostgresStore', (client: never) => new PostgresStore(client), [sequelize, mysqlPool, prisma, drizzle]],
  ['MysqlStore', (client: never) => new MysqlStore(client), [knex, drizzle, pgPool, typeorm]],
  ['knexStore', (client: never) => knexStore(client), [prisma, pgPool]],
])('%s names the store for another client', (_, make, others) => {
  for (const other of others) {
    const [, , store] = clients.find(([, client]) => client === other) as (typeof clients)[number];
    expect(() => make(other as never)).toThrow(`${store} is the store for it.`);
  }
});

it('PostgresStore runs over anything with a `query`, a DataSource of TypeORM too', () => {
  expect(new PostgresStore(typeorm as never)).toBeInstanceOf(PostgresStore);
  expect(new PostgresStore(own('query') as never)).toBeInstanceOf(PostgresStore);
});

it.each([
  [{ transactional: 'true' }, 'Expected `transactional` to be true or false.'],
  [{ transactional: true, maxTransactions: 11 }, '`maxTransactions` to be at most 10, the `max` of the pool'],
])('PostgresStore refuses %j over a pool of 10', (options, says) => {
  const pool = { ...pgPool, options: { max: 10 } };
  expect(() => new PostgresStore(pool as never, options as never)).toThrow(says);
  expect(new PostgresStore(pool as never, { transactional: true, maxTransactions: 10 })).toBeDefined();
});

import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors';
import {
  drizzleStore,
  knexStore,
  kyselyStore,
  MysqlStore,
  prismaStore,
  sequelizeStore,
  typeormStore,
} from '../../src/stores';
import { withSteps } from '../helpers/store-of';

// What the stores do over the real ORMs is in test/orms.

const nothing = async () => undefined;
const tag = (() => undefined) as never;
const drizzle = (db: object | undefined, sql = tag) =>
  drizzleStore(db as never, sql, { dialect: 'postgres' });
const typeorm = (type: string) => typeormStore({ options: { type }, manager: {}, transaction: nothing });
const database = { transaction: nothing, execute: nothing };

describe('the store of an ORM', () => {
  it('takes the objects of its ORM', () => {
    expect(() => [drizzle(database), typeorm('postgres'), typeorm('mariadb')]).not.toThrow();
  });

  it.each([
    ['no ORM', () => drizzle(undefined), 'Expected what `drizzle(…)` returned as the first argument: '],
    ['half an ORM', () => drizzle({ execute: nothing }), '`drizzleStore(db, sql, …)`.'],
    [
      'no tag',
      () => drizzle(database, {} as never),
      "Expected the tag of 'drizzle-orm' as the second argument: ",
    ],
    [
      'Prisma over MySQL',
      () =>
        prismaStore({ $transaction: nothing, $queryRawUnsafe: nothing } as never, {
          dialect: 'mysql' as never,
        }),
      'Expected `prismaStore` over PostgreSQL. For MySQL, give `new MysqlStore(pool)` a pool of mysql2 beside Prisma.',
    ],
    ['SQLite', () => typeorm('sqlite'), 'Expected an ORM over PostgreSQL, MySQL or MariaDB: '],
  ])('refuses %s, and says what to pass', (_, create, says) => {
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(says);
  });

  const knex = Object.assign(() => undefined, {
    client: { config: { client: 'pg' } },
    transaction: nothing,
    raw: nothing,
  });
  const sequelize = { getDialect: () => 'mysql', transaction: async () => ({}), query: nothing };

  it.each([
    ['Knex', "without '?'", (name: string) => knexStore(knex, { table: name }), 'a?', 'a$1'],
    ['Knex, in a schema', "without '?'", (name: string) => knexStore(knex, { schema: name }), '?', 'a'],
    ['Sequelize', "without '$'", (name: string) => sequelizeStore(sequelize, { table: name }), 'a$1', 'a?'],
    ['Sequelize', "without '$'", (name: string) => sequelizeStore(sequelize, { table: name }), '$b', 'a$'],
  ])('%s refuses a name in which it looks for values', (_, says, create, refused, taken) => {
    expect(() => create(refused)).toThrow(ConfigurationError);
    expect(() => create(refused)).toThrow(says);
    expect(() => create(taken)).not.toThrow();
  });

  it.each([
    ['Knex', () => knexStore(Object.assign(() => undefined, knex, { isTransaction: true }))],
    ['Kysely', () => kyselyStore({ ...database, isTransaction: true } as never, tag, { dialect: 'mysql' })],
    ['Drizzle', () => drizzle({ ...database, rollback: nothing })],
  ])('refuses a transaction of %s: a rollback would take back what was remembered', (_, create) => {
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow('as the first argument, not a transaction:');
  });

  it('over Knex refuses more transactions than its pool has connections', () => {
    const pooled = Object.assign(() => undefined, knex, { client: { ...knex.client, pool: { max: 2 } } });
    expect(() => knexStore(pooled, { maxTransactions: 3 })).toThrow(
      'Expected `maxTransactions` to be at most 2, the `max` of the pool: ',
    );
    expect(() => [knexStore(pooled, { maxTransactions: 2 }), knexStore(pooled)]).not.toThrow();
  });

  it.each([
    [
      'Unable to acquire a connection',
      'Is the variable set that has its address, such as DATABASE_URL or MYSQL_URL?',
    ],
    ['Received unexpected copyData message from backend.', 'What listens at its address is no PostgreSQL'],
  ])('over Knex says what is wrong where no statement can ever be sent: %s', async (message, says) => {
    const raw = () => Promise.reject(new Error(message));
    const store = withSteps(knexStore(Object.assign(() => undefined, knex, { raw })));
    const failure = await store.readRecord('order:', 'one').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'store_failed', cause: { message } });
    expect(String(failure)).toContain(says);
  });

  it('refuses a table whose name has a dot, and names the option for the schema', () => {
    for (const create of [
      () => knexStore(knex, { table: 'pix.payments' }),
      () => drizzleStore(database as never, tag, { dialect: 'mysql', table: 'pix.payments' }),
    ]) {
      expect(create).toThrow(ConfigurationError);
      expect(create).toThrow(
        "The schema is an option of its own: { schema: 'shop', table: 'notifications' }.",
      );
    }
  });

  it('is named where a Knex is passed to MysqlStore', () => {
    expect(() => new MysqlStore(knex as never)).toThrow('This is a Knex: `knexStore(knex)`');
  });
});

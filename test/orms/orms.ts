import type { Knex } from 'knex';
import type { Sequelize, Transaction } from 'sequelize';
import {
  drizzleStore,
  knexStore,
  kyselyStore,
  prismaStore,
  sequelizeStore,
  typeormStore,
} from '../../src/stores';
import { DRIVERS } from './drivers';
import { type Orm, type RunIn, replacing, retrying } from './orm';

// Each loads its own packages: a test's process would take seconds to load them all.

export type Dialect = 'postgres' | 'mysql';

async function openPrisma() {
  const { prisma, store } = await import('./blocks/postgres/prisma');
  type Tx = Parameters<Parameters<typeof prisma.$transaction>[0]>[0];
  return orm<Tx>({
    name: 'Prisma',
    store,
    open: (options, $transaction) =>
      prismaStore(replacing(prisma, { $transaction }), { ...options, dialect: 'postgres' }),
    transaction: (work, { timeoutMs }) => prisma.$transaction(work, { timeout: timeoutMs }),
    serializable: (work, { timeoutMs }) =>
      retrying(() => prisma.$transaction(work, { timeout: timeoutMs, isolationLevel: 'Serializable' })),
    query: (tx, text) => tx.$queryRawUnsafe(text),
    insert: (tx, reference) => tx.order.create({ data: { reference } }),
    close: () => prisma.$disconnect(),
  });
}

async function openDrizzle() {
  const { sql } = await import('drizzle-orm');
  const { pgOrders } = await import('./drizzle-schema');
  const { db, pool, store } = await import('./blocks/postgres/drizzle');
  return orm<Parameters<Parameters<typeof db.transaction>[0]>[0]>({
    name: 'Drizzle',
    store,
    open: (options, transaction) =>
      drizzleStore(replacing(db, { transaction }), sql, { ...options, dialect: 'postgres' }),
    transaction: (work) => db.transaction(work),
    serializable: (work) => retrying(() => db.transaction(work, { isolationLevel: 'serializable' })),
    query: (tx, text) => tx.execute(sql.raw(text)),
    insert: (tx, reference) => tx.insert(pgOrders).values({ reference }),
    nested: (tx, work) => tx.transaction(work),
    close: () => pool.end(),
  });
}

async function openDrizzleMysql() {
  const { sql } = await import('drizzle-orm');
  const { bigint, mysqlTable, varchar } = await import('drizzle-orm/mysql-core');
  const mysqlOrders = mysqlTable('orm_orders', {
    id: bigint({ mode: 'number' }).autoincrement().primaryKey(),
    reference: varchar({ length: 200 }).notNull(),
  });
  const { db, pool, store } = await import('./blocks/mysql/drizzle');
  return orm<Parameters<Parameters<typeof db.transaction>[0]>[0]>({
    name: 'Drizzle',
    store,
    open: (options, transaction) =>
      drizzleStore(replacing(db, { transaction }), sql, { ...options, dialect: 'mysql' }),
    transaction: (work) => db.transaction(work),
    query: (tx, text) => tx.execute(sql.raw(text)),
    insert: (tx, reference) => tx.insert(mysqlOrders).values({ reference }),
    nested: (tx, work) => tx.transaction(work),
    close: () => pool.end(),
  });
}

const openTypeorm = (dialect: Dialect) => async () => {
  const { Order } = await import('./typeorm');
  const { dataSource, store } =
    dialect === 'postgres'
      ? await import('./blocks/postgres/typeorm')
      : await import('./blocks/mysql/typeorm');
  return orm<typeof dataSource.manager>({
    name: 'TypeORM',
    store,
    open: (options, transaction) =>
      typeormStore(replacing(dataSource, { transaction: afterOptions(transaction) }), options),
    transaction: (work) => dataSource.transaction(work),
    serializable: (work) => retrying(() => dataSource.transaction('SERIALIZABLE', work)),
    query: (tx, text) => tx.query(text),
    insert: (tx, reference) => tx.insert(Order, { reference }),
    nested: (tx, work) => tx.transaction(work),
    close: () => dataSource.destroy(),
  });
};

const openKnex = (dialect: Dialect) => async () => {
  const { knex, store } =
    dialect === 'postgres' ? await import('./blocks/postgres/knex') : await import('./blocks/mysql/knex');
  return orm<Knex.Transaction>({
    name: 'Knex',
    store,
    open: (options, transaction) => knexStore(replacing(knex, { transaction }), options),
    transaction: (work) => knex.transaction(work),
    serializable: (work) => retrying(() => knex.transaction(work, { isolationLevel: 'serializable' })),
    query: (tx, text) => tx.raw(text),
    insert: (tx, reference) => tx('orm_orders').insert({ reference }),
    nested: (tx, work) => tx.transaction(work),
    close: () => knex.destroy(),
  });
};

const openKysely = (dialect: Dialect) => async () => {
  const { CompiledQuery, sql } = await import('kysely');
  const { db, store } =
    dialect === 'postgres' ? await import('./blocks/postgres/kysely') : await import('./blocks/mysql/kysely');
  const within = (transaction: unknown) => () => ({
    execute: transaction,
    setIsolationLevel: () => ({ execute: transaction }),
  });
  return orm<Parameters<Parameters<ReturnType<typeof db.transaction>['execute']>[0]>[0]>({
    name: 'Kysely',
    store,
    open: (options, transaction) =>
      kyselyStore(replacing(db, { transaction: transaction && within(transaction) }), sql, {
        ...options,
        dialect,
      }),
    transaction: (work) => db.transaction().execute(work),
    serializable: (work) => retrying(() => db.transaction().setIsolationLevel('serializable').execute(work)),
    query: (tx, text) => tx.executeQuery(CompiledQuery.raw(text)),
    insert: (tx, reference) => tx.insertInto('orm_orders').values({ reference }).execute(),
    close: () => db.destroy(),
  });
};

const openSequelize = (dialect: Dialect) => async () => {
  const { DataTypes, Transaction: Transactions } = await import('sequelize');
  const { sequelize, store } =
    dialect === 'postgres'
      ? await import('./blocks/postgres/sequelize')
      : await import('./blocks/mysql/sequelize');
  const Orders = (sequelize as Sequelize).define(
    'Order',
    { reference: DataTypes.TEXT },
    { tableName: 'orm_orders', timestamps: false },
  );
  return orm<Transaction>({
    name: 'Sequelize',
    store,
    open: (options, transaction) =>
      sequelizeStore(replacing(sequelize, { transaction: afterOptions(transaction) }), options),
    transaction: (work) => sequelize.transaction(work),
    serializable: (work) =>
      retrying(() =>
        sequelize.transaction({ isolationLevel: Transactions.ISOLATION_LEVELS.SERIALIZABLE }, work),
      ),
    query: (transaction, text) => sequelize.query(text, { transaction }),
    insert: (transaction, reference) => Orders.create({ reference }, { transaction }),
    nested: (transaction, work) => sequelize.transaction({ transaction }, work),
    close: () => sequelize.close(),
  });
};

/** The work is the last argument, after the level in PostgreSQL. */
const afterOptions = <Tx>(transaction?: RunIn<Tx>) =>
  transaction && ((...given: unknown[]) => transaction(given.at(-1) as never, {} as never));

function orm<Tx>(given: Orm<Tx>): Orm<Tx> {
  return given;
}

// biome-ignore lint/suspicious/noExplicitAny: each ORM has a transaction of its own type
type Open = () => Promise<Orm<any>>;

/** A new ORM is added here, with a file of its own in `blocks`, and a row in `docs/database.md`. */
const ORMS_OF: Readonly<Record<Dialect, Readonly<Record<string, Open>>>> = {
  postgres: {
    Prisma: openPrisma,
    Drizzle: openDrizzle,
    TypeORM: openTypeorm('postgres'),
    Knex: openKnex('postgres'),
    Kysely: openKysely('postgres'),
    Sequelize: openSequelize('postgres'),
  },
  mysql: {
    Drizzle: openDrizzleMysql,
    TypeORM: openTypeorm('mysql'),
    Knex: openKnex('mysql'),
    Kysely: openKysely('mysql'),
    Sequelize: openSequelize('mysql'),
  },
};

export const NAMES = { postgres: Object.keys(ORMS_OF.postgres), mysql: Object.keys(ORMS_OF.mysql) };

/** Runs the block of this ORM over a database. Once a process: the block is a module. */
export async function openOrm(dialect: Dialect, name: string, url: string): Promise<Orm<object>> {
  const open = ORMS_OF[dialect][name];
  if (open === undefined) throw new Error(`unknown ORM ${name}`);
  process.env['DATABASE_URL'] = url;
  return open();
}

/** The ORM, or the driver, of this name. */
export async function openAccess(
  dialect: Dialect,
  name: string,
  url: string,
): Promise<Pick<Orm<object>, 'store' | 'insert' | 'close'>> {
  return DRIVERS[dialect][name]?.(url) ?? openOrm(dialect, name, url);
}

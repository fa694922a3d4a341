import { randomUUID } from 'node:crypto';
import mysql, { type PoolConnection } from 'mysql2/promise';
import pg from 'pg';
import type { TestContext } from 'vitest';
import { MysqlStore, PostgresStore, type Store, type TransactionAccess } from '../../../src/stores';
import { runMysql } from '../../../src/stores/mysql-store';
import { type PostgresPool, poolAccess } from '../../../src/stores/postgres-pool';
import type { RecordStore } from '../../../src/stores/record-store';
import { SqlRecords, type TableOptions } from '../../../src/stores/sql-records';
import { type KeyPrefix, stepsOf } from '../../../src/stores/steps';
import { mysqlUrl } from '../../helpers/mysql';
import { postgresConfig } from '../../helpers/postgres';
import { storeOf } from '../../helpers/store-of';
import { type Ground, type Opened, type Outside, plainly, stepwise, within } from './two-years';

/** All processes share the records. */
export function sharing(records: RecordStore, spoil: (store: Store) => Store = (store) => store) {
  return {
    open: (outside: Outside, offset: () => number): Opened => ({
      store: spoil(plainly(stepwise(records, outside), offset)),
    }),
  };
}

/** A store that says it has written such a record, and has not. */
export function losing(isLost: (prefix: KeyPrefix, value: object) => boolean) {
  return (store: Store): Store => {
    const { writeRecord, changeRecord, ...steps } = stepsOf(store);
    return storeOf<unknown>({
      ...steps,
      async changeRecord(prefix, id, next, known) {
        const change = async (read: Parameters<typeof next>[0]) => {
          const after = await next(read);
          return after && isLost(prefix, after.value) ? undefined : after;
        };
        return changeRecord(prefix, id, change, known);
      },
      writeRecord: async (prefix, id, value, ...rest) =>
        isLost(prefix, value) || writeRecord(prefix, id, value, ...rest),
    });
  };
}

/** Records of a store that joins the transactions of an access. */
function recordsOver<Tx>(access: TransactionAccess<Tx>, dialect: 'postgres' | 'mysql', place: TableOptions) {
  return new SqlRecords<Tx>(
    (text, values, tx) => access.query(tx, text, values),
    dialect,
    place,
    dialect === 'mysql' ? (work) => access.transaction(work, { timeoutMs: 10_000 }) : undefined,
  );
}

/** Of one test. */
function tableNames(): [table: string, effects: string] {
  const id = randomUUID().slice(0, 8);
  return [`two_years_${id}`, `two_years_effects_${id}`];
}

/** @param context - what is to be done in the end is given to it */
export async function inPostgres(
  mode: 'plain' | 'transactional',
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
) {
  const [table, effects] = tableNames();
  const place = { schema: 'public', table };
  const pool = new pg.Pool({ ...postgresConfig, max: 4 });
  await new PostgresStore(pool, { table }).createTable();
  await pool.query(`CREATE TABLE ${effects} (key text)`);
  const pools = [pool];
  onTestFinished(async () => {
    await pool.query(`DROP TABLE IF EXISTS public.${table}, ${effects}`);
    for (const each of pools) void each.end();
  });
  const plain = sharing(new SqlRecords((text, values) => pool.query(text, values), 'postgres', place));
  const ground: Ground = {
    open(outside, offset) {
      // A pool per process, whose connections end with it.
      const own = new pg.Pool({ ...postgresConfig, max: 4 });
      pools.push(own);
      const streams = new Set<{ destroy(): void }>();
      own.on('error', () => undefined);
      own.on('connect', (client) => {
        client.on('error', () => undefined);
        streams.add((client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream);
      });
      const access = poolAccess(stepwisePool(own, outside), 5_000);
      return {
        store: within(access, recordsOver(access, 'postgres', place), offset, (tx, status) =>
          tx.close(status),
        ),
        write: (transaction: { query(text: string, values: string[]): Promise<unknown> }, key: string) =>
          transaction.query(`INSERT INTO ${effects} VALUES ($1)`, [key]),
        die: () => {
          for (const stream of streams) stream.destroy();
        },
      };
    },
    written: async () =>
      (await pool.query<{ key: string }>(`SELECT key FROM ${effects}`)).rows.map(({ key }) => key),
  };
  return { ground: mode === 'plain' ? plain : ground, pool, effects };
}

function stepwisePool(pool: pg.Pool, outside: Outside): PostgresPool {
  return {
    totalCount: 0,
    query: (text, values) => outside(() => pool.query(text, values)),
    connect: (callback) =>
      pool.connect((error, client) => {
        if (client === undefined) return callback(error, undefined);
        callback(undefined, {
          query: (query) => outside(() => client.query(query as pg.QueryConfig)),
          release: (broken) => client.release(broken),
          on: (event, listener) => client.on(event, listener),
          removeListener: (event, listener) => client.removeListener(event, listener),
        });
      }),
  };
}

/** @param context - what is to be done in the end is given to it */
export async function inMysql(
  mode: 'plain' | 'within',
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
) {
  const [table, effects] = tableNames();
  const pool = mysql.createPool({ uri: mysqlUrl, connectionLimit: 4 });
  await new MysqlStore(pool, { table }).createTable();
  await pool.query(`CREATE TABLE IF NOT EXISTS ${effects} (id varchar(100))`);
  const pools = [pool];
  onTestFinished(async () => {
    await pool.query(`DROP TABLE IF EXISTS ${table}, ${effects}`);
    for (const each of pools) void each.end();
  });
  const ground: Ground = {
    open(outside, offset) {
      const own = mysql.createPool({ uri: mysqlUrl, connectionLimit: 4 });
      pools.push(own);
      const streams = new Set<{ destroy(): void }>();
      own.on('connection', (connection) => {
        const raw = connection as unknown as {
          stream: { destroy(): void };
          on(event: string, listen: () => void): void;
        };
        raw.on('error', () => undefined);
        streams.add(raw.stream);
      });
      const access: TransactionAccess<PoolConnection> = {
        async transaction(work) {
          const connection = await own.getConnection();
          try {
            await outside(() => connection.beginTransaction());
            await work(connection);
            await outside(() => connection.commit());
          } catch (error) {
            connection.destroy();
            throw error;
          }
          connection.release();
        },
        query: (connection, text, values) =>
          outside(async () => (await (connection ?? own).query(text, values))[0] as unknown[]),
      };
      return {
        store: within(access, recordsOver(access, 'mysql', { table }), offset),
        write: (connection: PoolConnection, key: string) =>
          outside(() => connection.query(`INSERT INTO ${effects} VALUES (?)`, [key])),
        die: () => {
          for (const stream of streams) stream.destroy();
        },
      };
    },
    written: async () => {
      const [rows] = await pool.query<mysql.RowDataPacket[]>(`SELECT id FROM ${effects}`);
      return rows.map(({ id }) => String(id));
    },
  };
  return {
    ground:
      mode === 'plain'
        ? sharing(new SqlRecords((text, values) => runMysql(pool, text, values), 'mysql', { table }))
        : ground,
  };
}

import { createPool, type PoolConnection } from 'mysql2/promise';
import { Pool } from 'pg';
import { PostgresStore, type PostgresTransaction, storeWithin } from '../../src/stores';
import { mysqlAccess } from '../helpers/mysql-access';
import type { Orm } from './orm';

type Driven<Tx> = Pick<Orm<Tx>, 'store' | 'insert' | 'close'>;

// biome-ignore lint/suspicious/noExplicitAny: each driver has a transaction of its own type
export type Driver = (url: string) => Driven<any>;

/** The drivers alone, as a merchant without an ORM uses them. */
export const DRIVERS: Readonly<Record<'postgres' | 'mysql', Readonly<Record<string, Driver>>>> = {
  postgres: {
    pg(url): Driven<PostgresTransaction> {
      const pool = new Pool({ connectionString: url });
      pool.on('error', console.error); // of an idle connection
      return {
        store: new PostgresStore(pool, { transactional: true, maxTransactions: 8 }),
        insert: (tx, reference) => tx.query('INSERT INTO orm_orders (reference) VALUES ($1)', [reference]),
        close: () => pool.end(),
      };
    },
  },
  mysql: {
    mysql2(url): Driven<PoolConnection> {
      const pool = createPool(url);
      return {
        store: storeWithin(mysqlAccess(pool), { dialect: 'mysql', maxTransactions: 8 }),
        insert: (tx, reference) => tx.query('INSERT INTO orm_orders (reference) VALUES (?)', [reference]),
        close: () => pool.end(),
      };
    },
  },
};

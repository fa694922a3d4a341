import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { PostgresStore, storeWithin } from '../../src/stores';
import { mysqlUrl } from '../helpers/mysql';
import { mysqlAccess } from '../helpers/mysql-access';
import { postgresConfig } from '../helpers/postgres';
import { withSteps } from '../helpers/store-of';

// A process that is delivered a notification, and stops dead in its callback, with its transaction open.

const [dialect, table = '', subject = ''] = process.argv.slice(2);
const limits = { table, holdMs: 500, stepTimeoutMs: 1_000 };
const request = { subject, state: 'PAID', retentionMs: 60_000, timeoutMs: 500 };
const freeze = async () => {
  process.send?.('frozen');
  process.kill(process.pid, 'SIGSTOP');
};

if (dialect === 'mysql') {
  const access = mysqlAccess(createPool(mysqlUrl));
  await withSteps(storeWithin(access, { ...limits, dialect: 'mysql' })).transact(request, freeze);
} else {
  const pool = new pg.Pool(postgresConfig);
  await withSteps(new PostgresStore(pool, { ...limits, transactional: true })).transact(request, freeze);
}

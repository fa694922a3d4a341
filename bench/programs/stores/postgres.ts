import pg from 'pg';
import { PostgresStore } from 'pix-automatic-sdk/stores';
import { SqlRecords } from '../../../src/stores/sql-records';
import { findPostgres, postgresConfig } from '../../../test/helpers/postgres';
import { interleave } from '../../lib/interleave';
import {
  bareRecord,
  type Handle,
  handleWith,
  newSubject,
  RETENTION_MS,
  type StoreFigures,
  throughput,
} from './measure';
import { countRoundTrips, recordTransaction, type Sent, serverTimes } from './postgres-observed';

const COUNT = 200;
const table = 'notifications';
const schema = `pix_automatic_benchmark_${process.pid}`;
const { sql } = new SqlRecords(() => Promise.reject(), 'postgres', { table, schema });
const transaction = { state: 'PAID', retentionMs: RETENTION_MS, timeoutMs: 25_000 };

export async function postgres(options: { rounds: number; random: () => number }) {
  if (!(await findPostgres())) return undefined;
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });
  pool.on('error', () => undefined);
  await pool.query(`CREATE SCHEMA ${schema}`);
  try {
    const plain = new PostgresStore(pool, { schema, table });
    const transactional = new PostgresStore(pool, { schema, table, transactional: true });
    await plain.createTable();
    const inTransaction: Handle = async (subject) => {
      const { status } = await transactional.transact({ subject, ...transaction }, async () => undefined);
      if (status !== 'completed') throw new Error('A new subject could not be handled in a transaction.');
    };
    const recorded = newSubject();
    const sent = await recordTransaction(pool, { schema, table }, { subject: recorded, ...transaction });
    const handles = {
      plain: handleWith(plain),
      plainBare: barePlain(pool),
      transactional: inTransaction,
      transactionalBare: bareTransaction(pool, recorded, sent),
    };
    for (const handle of Object.values(handles)) await throughput(handle, COUNT);
    const samples = await interleave(
      {
        plain: () => throughput(handles.plain, COUNT),
        plainBare: () => throughput(handles.plainBare, COUNT),
        transactional: () => throughput(handles.transactional, COUNT),
        transactionalBare: () => throughput(handles.transactionalBare, COUNT),
      },
      options,
    );
    const stores: Record<string, StoreFigures> = {
      PostgreSQL: {
        roundTrips: await countRoundTrips((observed) =>
          handleWith(new PostgresStore(observed, { schema, table }))(newSubject()),
        ),
        store: samples.plain,
        bare: samples.plainBare,
      },
      'PostgreSQL, transactional': {
        roundTrips: await countRoundTrips(async (observed) => {
          const store = new PostgresStore(observed, { schema, table, transactional: true });
          await store.transact({ subject: newSubject(), ...transaction }, async () => undefined);
        }),
        store: samples.transactional,
        bare: samples.transactionalBare,
      },
    };
    const handledBefore = newSubject();
    await handles.plain(handledBefore);
    const storeOver = (observed: pg.Pool) => new PostgresStore(observed, { schema, table });
    const transactionOver = (observed: pg.Pool) =>
      new PostgresStore(observed, { schema, table, transactional: true });
    const transact = async (observed: pg.Pool, subject: string) => {
      await transactionOver(observed).transact({ subject, ...transaction }, async () => undefined);
    };
    const serverTime = await serverTimes(
      {
        'plain, new': (observed) => handleWith(storeOver(observed))(newSubject()),
        'plain, duplicate': async (observed) => {
          await storeOver(observed).claim(handledBefore, 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
        },
        'transactional, new': (observed) => transact(observed, newSubject()),
        'transactional, duplicate': (observed) => transact(observed, handledBefore),
      },
      COUNT,
    );
    return {
      stores,
      statements: sent.map(({ text }) => text.trim().split(/\s/)[0] ?? ''),
      serverTime,
    };
  } finally {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  }
}

function barePlain(pool: pg.Pool): Handle {
  return async (subject) => {
    const { claimed, completed, version, expiresAt, before } = bareRecord();
    await pool.query(sql.read, [subject]);
    await pool.query(sql.insert, [subject, claimed, version, expiresAt, before]);
    await pool.query(sql.update, [completed, version + 1, expiresAt, subject, version, before]);
  };
}

/** Sends again what the store sent for one subject, for another one. */
function bareTransaction(pool: pg.Pool, recorded: string, sent: readonly Sent[]): Handle {
  return async (subject) => {
    const client = await pool.connect();
    for (const { text, values } of sent) {
      await client.query(
        text,
        values.map((value) => (value === recorded ? subject : value)),
      );
    }
    client.release();
  };
}

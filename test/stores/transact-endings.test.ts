import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PostgresStore, type Store, storeWithin } from '../../src/stores';
import { type SingleRecords, type StoreSteps, stepsOf, type TransactWork } from '../../src/stores/steps';
import { findMysql, mysqlUrl } from '../helpers/mysql';
import { mysqlAccess } from '../helpers/mysql-access';
import { findPostgres, postgresConfig } from '../helpers/postgres';

const run = randomUUID().slice(0, 8);
const writes = `endings_${run}`;
const table = `endings store ${run}`;

/** A database, and a store in its transactions. */
interface Ground<Tx> {
  readonly store: Store<Tx>;
  query(text: string): Promise<readonly unknown[]>;
  write(tx: Tx, what: string): Promise<unknown>;
  end(): Promise<unknown>;
}

function postgres(): Ground<{ query(text: string): PromiseLike<unknown> }> {
  const pool = new pg.Pool(postgresConfig);
  return {
    store: new PostgresStore(pool, { table, transactional: true }),
    query: async (text) => (await pool.query(text)).rows,
    write: async (tx, what) => tx.query(`INSERT INTO ${writes} VALUES ('${what}')`),
    end: () => pool.end(),
  };
}

function mysql(): Ground<{ query(text: string): PromiseLike<unknown> }> {
  const pool = createPool(mysqlUrl);
  return {
    store: storeWithin(mysqlAccess(pool), { dialect: 'mysql', table }) as never,
    query: async (text) => (await pool.query(text))[0] as unknown[],
    write: async (tx, what) => tx.query(`INSERT INTO ${writes} VALUES ('${what}')`),
    end: () => pool.end(),
  };
}

describe.skipIf(!(await findPostgres()))('a work in a transaction of PostgreSQL', () => endings(postgres()));
describe.skipIf(!(await findMysql()))('a work in a transaction of MySQL', () => endings(mysql()));

function endings<Tx>({ store, query, write, end }: Ground<Tx>) {
  const steps = stepsOf(store) as StoreSteps<Tx>;
  const transact = steps.transact as NonNullable<typeof steps.transact>;
  let subject: string;
  beforeAll(async () => {
    await store.createTable();
    await query(`CREATE TABLE ${writes} (what varchar(200) NOT NULL)`);
  });
  afterAll(async () => {
    const quote = store.createTableSql().includes('InnoDB') ? '`' : '"';
    await query(`DROP TABLE ${writes}`);
    await query(`DROP TABLE ${quote}${table}${quote}`);
    await end();
  });
  beforeEach(() => {
    subject = `payment:${randomUUID()}`;
  });

  const request = () => ({ subject, state: 'PAID', retentionMs: 60_000, timeoutMs: 5_000 });
  const deliver = <Value>(work: TransactWork<Tx, unknown, Value>) => transact(request(), work);
  const effects = async () =>
    (await query(`SELECT what FROM ${writes} WHERE what LIKE '${subject}%'`)).length;
  /** Counts up in the record of an order, as an order's mark is written. */
  async function mark(records: SingleRecords): Promise<boolean> {
    const read = await records.readRecord<{ marks: number }>('order:', subject);
    const marks = (read.value?.marks ?? 0) + 1;
    return records.writeRecord('order:', subject, { marks }, read, read.now + 60_000);
  }
  const marks = async () => (await steps.readRecord<{ marks: number }>('order:', subject)).value?.marks ?? 0;
  const neverRun = () => expect.unreachable('the state is done');

  it('that has run its callback is completed with what it wrote, and gives what it resolved with', async () => {
    const result = await deliver(async ({ transaction, claim, records, act }) => {
      expect(claim).toMatchObject({ subject, state: 'PAID', handledStates: [] });
      expect(await mark(records)).toBe(true);
      return act(async () => {
        await write(transaction, subject);
        return 'done';
      });
    });
    expect(result).toEqual({ status: 'completed', value: 'done' });
    expect([await effects(), await marks()]).toEqual([1, 1]);
    expect(await deliver(neverRun)).toMatchObject({ status: 'done' });
  });

  it('that runs no callback leaves the state undone, and what it wrote is committed', async () => {
    const leaving = () =>
      deliver(async ({ records }) => {
        expect(await mark(records)).toBe(true);
        return 'a case';
      });
    expect(await leaving()).toEqual({ status: 'undone', value: 'a case' });
    expect(await leaving()).toEqual({ status: 'undone', value: 'a case' });
    expect([await effects(), await marks()]).toEqual([0, 2]);
    const later = await deliver(({ transaction, claim, act }) =>
      act(async () => {
        expect(claim.handledStates).toEqual([]);
        await write(transaction, subject);
        return 'done';
      }),
    );
    expect([later.status, await effects(), await marks()]).toEqual(['completed', 1, 2]);
  });

  it('whose callback is undone keeps only what it writes after that', async () => {
    const undoing = await deliver(async ({ transaction, records, act }) => {
      await mark(records);
      await mark(records);
      const acted = await act(async () => {
        await write(transaction, subject);
        await mark(records);
        return 'undone';
      });
      // All three marks are undone with the rest.
      expect(await mark(records)).toBe(true);
      return acted;
    });
    expect(undoing).toEqual({ status: 'undone', value: 'undone' });
    expect([await effects(), await marks()]).toEqual([0, 1]);
    // Its claim was given back.
    expect(await deliver(({ act }) => act(async () => 'done'))).toMatchObject({ status: 'completed' });
  });

  it('holds the claim while it writes after a callback that is undone', async () => {
    await deliver(async ({ act }) => {
      await act(async () => 'undone');
      expect(await deliver(neverRun)).toEqual({ status: 'busy' });
    });
  });

  it('that throws before, or after its callback, leaves nothing of it', async () => {
    const error = new Error('injected');
    const before = await deliver(async ({ records }) => {
      await mark(records);
      throw error;
    });
    expect(before).toEqual({ status: 'failed', during: 'begin', error });
    const after = await deliver(async ({ transaction, records, act }) => {
      await mark(records);
      await act(async () => {
        await write(transaction, subject);
        return 'done';
      });
      throw error;
    });
    expect(after).toEqual({ status: 'failed', during: 'work', error });
    expect([await effects(), await marks()]).toEqual([0, 0]);
  });

  it('that does not look at what its callback threw is rolled back all the same', async () => {
    const error = new Error('out of stock');
    const careless = await deliver(async ({ transaction, act }) => {
      await act(async () => {
        await write(transaction, subject);
        throw error;
      }).catch(() => undefined);
    });
    expect(careless).toEqual({ status: 'failed', during: 'callback', error });
    expect(await effects()).toBe(0);
  });

  it('is late after its time, and ends undone all the same', async () => {
    const late = await transact({ ...request(), timeoutMs: 20 }, async ({ transaction, records, act }) => {
      await act(async () => {
        await write(transaction, subject);
        await sleep(200);
        return 'undone';
      });
      await mark(records);
    });
    expect(late.status).toBe('late');
    const ended = late.status === 'late' ? await late.ended : late;
    expect([ended.status, await effects(), await marks()]).toEqual(['undone', 0, 1]);
  });
}

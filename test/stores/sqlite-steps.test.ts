import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { type SqliteDatabase, SqliteStore } from '../../src/stores';
import { claim, request } from './one-claim';

type Values = Record<string, string | number>;

const COLUMNS = JSON.stringify(['subject', 'fence', 'token', 'expires', 'done', 'expires_at']);
const PARKED_COLUMNS = JSON.stringify([
  'key',
  'entry',
  'first_failed_at',
  'last_failed_at',
  'attempts',
  'expires_at',
]);

/** What the inspection of a table finds: the columns that it should have. */
const inspected = (_sql: string, { table }: Values) => [
  { columns: String(table).endsWith('_parked') ? PARKED_COLUMNS : COLUMNS, triggers: '[]' },
];
const busy = () => Object.assign(new Error('database is locked'), { errcode: 5 });

/** A database that gives these rows for each statement, and keeps what it was asked. */
function databaseThat(answer: (sql: string, values: Values) => unknown, more: Partial<SqliteDatabase> = {}) {
  const asked: { readonly sql: string; readonly values: Values }[] = [];
  const executed: string[] = [];
  const compiled: string[] = [];
  const database: SqliteDatabase = {
    exec: (sql) => void executed.push(sql),
    prepare: (sql) => {
      compiled.push(sql);
      return {
        all: (values) => {
          asked.push({ sql: sql.trim(), values });
          return answer(sql.trim(), values) as unknown[];
        },
      };
    },
    ...more,
  };
  return { database, asked, executed, compiled };
}

describe('SqliteStore over a database with scripted answers', () => {
  it('claims with one statement, and asks for the reason only where that returned no row', async () => {
    let isFree = true;
    const { database, asked } = databaseThat((sql, { token }) => {
      if (!sql.startsWith('INSERT')) return [{ status: 'busy', token }];
      return isFree ? [{ status: 'claimed', token, fence: '7', states: '[]' }] : [];
    });
    const store = new SqliteStore(database);
    expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ status: 'claimed', fence: 7 });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.values).toEqual({
      subject: 'payment:1',
      state: 'PAID',
      token: expect.any(String),
      duration: 1000,
    });
    isFree = false;
    expect(await store.claim('payment:1', 'PAID', 1000)).toEqual({ status: 'busy' });
    expect(asked).toHaveLength(3);
    const { subject, state, token } = asked[1]?.values ?? {};
    expect(asked[2]?.values).toEqual({ subject, state, token });
  });

  it.each([undefined, null, 'rows', {}, [null], [{ status: 'claimed', token: 'theirs' }]])(
    'treats the rows %j as an error',
    async (rows) => {
      const { database, asked } = databaseThat(() => rows);
      const store = new SqliteStore(database);
      for (const [name, step] of [
        ['claim', () => store.claim('payment:1', 'PAID', 1000)],
        ['complete', () => store.complete(claim, 1000)],
        ['parked', () => store.parked()],
      ] as const) {
        await expect(step()).rejects.toThrow(`a reply to ${name} that`);
      }
      expect(asked).toHaveLength(3);
    },
  );

  it('confirms a completion only where a row has the token of the claim', async () => {
    let rows: unknown[] = [{ token: 'token' }];
    const store = new SqliteStore(databaseThat(() => rows).database);
    expect(await store.complete(claim, 1000)).toBe(true);
    rows = [];
    expect(await store.complete(claim, 1000)).toBe(false);
  });

  it('passes each step its named values, and compiles each statement once', async () => {
    const { database, asked, compiled } = databaseThat(() => []);
    const store = new SqliteStore(database);
    for (let round = 0; round < 2; round += 1) {
      await store.complete(claim, 0.5);
      await store.release(claim);
      await store.park(request, 2000);
      await store.parked();
      await store.parked({ key: 'a', since: 5, limit: 7 });
      await store.unpark('a');
    }
    expect(asked.slice(0, 6).map(({ values }) => values)).toEqual([
      { subject: 'payment:1', state: 'PAID', token: 'token', duration: 1 },
      { subject: 'payment:1', token: 'token' },
      { key: request.key, entry: JSON.stringify(request), duration: 2000 },
      { key: '', since: 0, limit: 100 },
      { key: 'a', since: 5, limit: 7 },
      { key: 'a' },
    ]);
    expect(compiled).toHaveLength(5);
    expect(compiled.every((sql) => sql.includes('"pix_automatic_notifications'))).toBe(true);
  });

  it.each([
    [2, 0, 2, [{ limit: 2 }]],
    [2, 1, 2, [{ limit: 2 }]],
    [1, 1, 2, [{ limit: 2 }, { limit: 1 }]],
    [0, 2, 2, [{ limit: 2 }, { limit: 2 }]],
    [1, 0, 1, [{ limit: 2 }, { limit: 1 }]],
  ])(
    'deletes, of %s records and %s parked ones with the limit 2, %s',
    async (records, parked, deleted, limits) => {
      const rows = (sql: string) => Array(sql.includes('_parked"') ? parked : records).fill({});
      const { database, asked } = databaseThat(rows);
      expect(await new SqliteStore(database).deleteExpired({ limit: 2 })).toBe(deleted);
      expect(asked.map(({ values }) => values)).toEqual(limits);
    },
  );

  it('deletes 1000 at most by default, and refuses an invalid limit', async () => {
    const { database, asked } = databaseThat(() => []);
    const store = new SqliteStore(database);
    expect(await store.deleteExpired()).toBe(0);
    expect(asked.map(({ values }) => values)).toEqual([{ limit: 1000 }, { limit: 1000 }]);
    await expect(store.deleteExpired({ limit: 0 })).rejects.toThrow('Expected `limit` to be');
  });

  it('checks the table after each statement that creates a part of it, before the next', async () => {
    const { database, asked, executed } = databaseThat(inspected);
    const store = new SqliteStore(database, { table: 'records' });
    await store.createTable();
    expect(`${executed.join(';\n')};\n`).toBe(store.createTableSql());
    expect(executed).toHaveLength(4);
    expect(asked.map(({ values }) => values)).toEqual([
      { table: 'records' },
      { table: 'records' },
      { table: 'records_parked' },
      { table: 'records_parked' },
    ]);
  });

  it.each([
    ['has no column fence, token', { columns: '["subject","expires","done","expires_at"]', triggers: '[]' }],
    ['has a trigger', { columns: COLUMNS, triggers: '["t"]' }],
  ])('refuses a table that %s, before it makes an index on it', async (what, row) => {
    const { database, executed } = databaseThat(() => [row]);
    const creating = new SqliteStore(database, { table: 'records' }).createTable();
    const error = await creating.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      message: expect.stringContaining(`The table "records" ${what}, so it is`),
    });
    expect(executed).toHaveLength(1);
  });

  it.each(['inTransaction', 'isTransaction'])('sends nothing while %s is true', async (name) => {
    const open = databaseThat(() => [], { [name]: true });
    await expect(new SqliteStore(open.database).unpark('a')).rejects.toBeInstanceOf(StoreError);
    await expect(new SqliteStore(open.database).createTable()).rejects.toThrow('A transaction is open');
    expect([open.asked, open.executed, open.compiled]).toEqual([[], [], []]);
    const closed = databaseThat(() => [], { [name]: false });
    await new SqliteStore(closed.database).unpark('a');
    expect(closed.asked).toHaveLength(1);
  });

  it('does not retry after another error than a busy file', async () => {
    const error = Object.assign(new Error('disk I/O error'), { errcode: 10 });
    const { database, asked } = databaseThat(() => {
      throw error;
    });
    await expect(new SqliteStore(database).release(claim)).rejects.toBe(error);
    expect(asked).toHaveLength(1);
  });

  it.each<unknown>([
    undefined,
    null,
    {},
    { prepare: () => undefined },
    { exec: () => undefined },
    { prepare: true, exec: () => undefined },
    'notifications.db',
  ])('is refused without a database: %j', (database) => {
    // @ts-expect-error: no database
    expect(() => new SqliteStore(database)).toThrow(ConfigurationError);
  });

  it('is refused with an invalid busyTimeoutMs', () => {
    const { database } = databaseThat(() => []);
    expect(() => new SqliteStore(database, { busyTimeoutMs: 0 })).toThrow('Expected `busyTimeoutMs` to be');
  });
});

describe('SqliteStore, while another connection holds the file,', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('tries again every 5 to 25 ms until the file is free', async () => {
    let left = 10;
    const { database, asked } = databaseThat(() => {
      left -= 1;
      if (left > 0) throw busy();
      return [];
    });
    const step = new SqliteStore(database).release(claim);
    await vi.advanceTimersByTimeAsync(4);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(9 * 25);
    expect(asked).toHaveLength(10);
    await expect(step).resolves.toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [undefined, 2000],
    [300, 300],
  ])('gives up with a busyTimeoutMs of %s after %s ms, and says why', async (busyTimeoutMs, ms) => {
    const { database, asked } = databaseThat(() => {
      throw busy();
    });
    const ended = vi.fn();
    const step = new SqliteStore(database, { busyTimeoutMs }).release(claim).catch(ended);
    await vi.advanceTimersByTimeAsync(ms);
    expect(ended).not.toHaveBeenCalled();
    expect(asked.length).toBeGreaterThan(ms / 30);
    await vi.advanceTimersByTimeAsync(30);
    await step;
    expect(ended.mock.calls).toEqual([[expect.any(StoreError)]]);
    expect(ended.mock.calls[0]?.[0]).toMatchObject({
      message: expect.stringContaining(`busyTimeoutMs (${ms} ms)`),
      cause: { errcode: 5 },
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('stops when its connection begins a transaction meanwhile', async () => {
    let isOpen = false;
    const { database, asked } = databaseThat(() => {
      throw busy();
    });
    Object.defineProperty(database, 'inTransaction', { get: () => isOpen });
    const step = new SqliteStore(database).release(claim).catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(1);
    isOpen = true;
    await vi.advanceTimersByTimeAsync(30);
    expect(await step).toMatchObject({ message: expect.stringContaining('A transaction is open') });
    expect(asked).toHaveLength(1);
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { type PostgresQueryable, PostgresStore } from '../../src/stores';
import { claim, request } from './one-claim';

/** A database that gives these rows for each statement, and keeps what it was asked. */
function databaseThat(answer: (text: string) => unknown[]) {
  const asked: { readonly text: string; readonly values: unknown }[] = [];
  const database: PostgresQueryable = {
    query: async (text, values) => {
      asked.push({ text, values });
      return { rows: answer(text) };
    },
  };
  return { database, asked, values: () => asked.map(({ values }) => values) };
}

describe('PostgresStore over a database with scripted answers', () => {
  it('gives each step its values, in its two tables', async () => {
    const { database, asked, values } = databaseThat(() => []);
    const store = new PostgresStore(database);
    expect(await store.claim('payment:1', 'PAID', 1.5)).toEqual({ status: 'busy' });
    expect(await store.complete(claim, 0.5)).toBe(false);
    await store.release(claim);
    await store.park(request, 2000);
    expect(await store.parked()).toEqual([]);
    await store.parked({ key: 'a', since: 5, limit: 7 });
    await store.unpark('a');
    expect(values()).toEqual([
      ['payment:1', 'PAID', expect.stringMatching(/^[\da-f-]{36}$/), 2],
      ['payment:1', 'PAID', 'token', 1],
      ['payment:1', 'token'],
      [request.key, JSON.stringify(request), 2000],
      [null, 0, 100],
      ['a', 5, 7],
      ['a'],
    ]);
    const tables = asked.map(({ text }) => /"pix_automatic_notifications(_parked)?"/.exec(text)?.[1]);
    expect(tables).toEqual([undefined, undefined, undefined, ...Array(4).fill('_parked')]);
    expect(asked.every(({ text }) => text.includes('"pix_automatic_notifications'))).toBe(true);
  });

  it('stores another form of a subject and a state that cannot be stored unchanged', async () => {
    const { database, values } = databaseThat(() => []);
    const store = new PostgresStore(database);
    const odd = { ...claim, subject: 'a\0', state: 'b\0' };
    const [subject, state] = [expect.stringMatching(/^sha256:/), '"b\\u0000"'];
    await store.claim(odd.subject, odd.state, 1);
    await store.complete(odd, 1);
    await store.release(odd);
    await store.park({ ...request, key: 'a\0' }, 1);
    await store.parked({ key: 'a\0' });
    await store.unpark('a\0');
    expect(values()).toEqual([
      [subject, state, expect.any(String), 1],
      [subject, state, 'token', 1],
      [subject, 'token'],
      [subject, expect.any(String), 1],
      [subject, 0, 100],
      [subject],
    ]);
  });

  it('confirms a completion only where a row has the token of the claim', async () => {
    let rows: unknown[] = [{ token: 'token' }];
    const store = new PostgresStore(databaseThat(() => rows).database);
    expect(await store.complete(claim, 1000)).toBe(true);
    rows = [];
    expect(await store.complete(claim, 1000)).toBe(false);
    rows = [{ token: 'theirs' }];
    await expect(store.complete(claim, 1000)).rejects.toThrow('a reply to complete that');
  });

  it.each([
    [2, 0, 2, [[2]]],
    [1, 1, 2, [[2], [1]]],
    [0, 2, 2, [[2], [2]]],
    [1, 0, 1, [[2], [1]]],
  ])(
    'deletes, of %s records and %s parked ones with the limit 2, %s',
    async (records, parked, deleted, limits) => {
      const { database, values } = databaseThat((text) =>
        Array(text.includes('_parked"') ? parked : records).fill({}),
      );
      expect(await new PostgresStore(database).deleteExpired({ limit: 2 })).toBe(deleted);
      expect(values()).toEqual(limits);
    },
  );

  it('prints the statements that createTable runs, in the same order', async () => {
    const texts = ['subject', 'token', 'key', 'entry'].map((name) => [name, 'text']);
    const numbers = ['fence', 'expires', 'expires_at', 'first_failed_at', 'last_failed_at', 'attempts'];
    const columns = JSON.stringify({
      ...Object.fromEntries([...texts, ...numbers.map((name) => [name, 'bigint'])]),
      done: 'jsonb',
    });
    const table = { owned: true, ordinary: true, unguarded: true, keyed: true, columns };
    const { database, asked } = databaseThat(() => [table]);
    const store = new PostgresStore(database);
    await store.createTable();
    const run = asked.map(({ text }) => text).filter((text) => text.startsWith('CREATE'));
    expect(run).toHaveLength(4);
    expect(store.createTableSql()).toBe(run.map((text) => `${text};\n`).join(''));
  });

  it('refuses invalid durations and names them', async () => {
    const { database, asked } = databaseThat(() => []);
    const store = new PostgresStore(database);
    await expect(store.claim('payment:1', 'PAID', 0)).rejects.toThrow('Expected `leaseMs` to be');
    await expect(store.complete(claim, 0)).rejects.toThrow('Expected `retentionMs` to be');
    await expect(store.park(request, 0)).rejects.toThrow('Expected `retentionMs` to be');
    expect(asked).toEqual([]);
  });

  it('deletes 1000 at most by default, and refuses an invalid limit', async () => {
    const { database, values } = databaseThat(() => []);
    const store = new PostgresStore(database);
    expect(await store.deleteExpired()).toBe(0);
    expect(values()).toEqual([[1000], [1000]]);
    await expect(store.deleteExpired({ limit: 0 })).rejects.toThrow('Expected `limit` to be');
  });

  it.each<unknown>([undefined, null, {}, { query: true }, 'postgres://localhost'])(
    'is refused without a database: %j',
    (database) => {
      // @ts-expect-error: no database
      expect(() => new PostgresStore(database)).toThrow(ConfigurationError);
    },
  );

  it.each([0, Number.NaN, 2 ** 31])('is refused with the stepTimeoutMs %s', (stepTimeoutMs) => {
    const { database } = databaseThat(() => []);
    const open = (ms: number) => new PostgresStore(database, { stepTimeoutMs: ms });
    expect(() => open(stepTimeoutMs)).toThrow(ConfigurationError);
    expect(() => open(stepTimeoutMs)).toThrow('Expected `stepTimeoutMs` to be');
    // A timer longer than that would fire at once, and each step would fail.
    expect(open(2 ** 31 - 1)).toBeInstanceOf(PostgresStore);
  });

  it('has no transact where transactional is anything but true', () => {
    const { database } = databaseThat(() => []);
    // @ts-expect-error: no boolean
    expect(new PostgresStore(database, { transactional: 'true' }).transact).toBeUndefined();
    expect(new PostgresStore(database, { transactional: false }).transact).toBeUndefined();
  });
});

describe('PostgresStore over a database that never answers', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    [undefined, 5000],
    [300, 300],
  ])('waits, with a stepTimeoutMs of %s, for %s ms', async (stepTimeoutMs, ms) => {
    vi.useFakeTimers();
    const database = { query: () => new Promise<never>(() => undefined) };
    const ended = vi.fn();
    const step = new PostgresStore(database, { stepTimeoutMs }).unpark('a').catch(ended);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    await step;
    expect(ended.mock.calls).toEqual([[expect.any(StoreError)]]);
    expect(ended.mock.calls[0]?.[0]).toMatchObject({
      message: expect.stringContaining(`did not answer within ${ms} ms`),
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});

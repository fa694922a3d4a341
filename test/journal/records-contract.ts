import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  JourneyJournal,
  type JourneyRecord,
  type JourneyRecords,
  type SqlDialect,
  SqlJourneyRecords,
  type SqlQuery,
} from '../../src/journal';
import { FakeClient, record, request } from './support';

const DAY_MS = 24 * 60 * 60 * 1000;
const qrCode = { plain: 'é"\\\'?$1', base64: 'A'.repeat(200_000), extra: [null, '\0'] };

/** What every kind of records does. Each test uses orders of its own, so that all can share a table. */
export function testRecords(name: string, recordsOf: () => JourneyRecords): void {
  describe(`what journey records guarantee: ${name}`, () => {
    const setUp = async (fields: Partial<JourneyRecord> = {}) => {
      const records = recordsOf();
      const orderKey = randomUUID();
      const { now } = await records.read(orderKey);
      const times = { startedAt: now, leaseUntil: now + 150_000, changedAt: now };
      const make = (attempt: number, state: JourneyRecord['state'], more: Partial<JourneyRecord> = {}) =>
        record(attempt, state, {
          orderKey,
          referenceCode: `${orderKey}-${attempt}`,
          ...times,
          ...fields,
          ...more,
        });
      const read = async () => (await records.read(orderKey)).attempts;
      const states = async () => (await read()).map(({ attempt, state }) => `${attempt} ${state}`);
      return { records, orderKey, make, read, states, now };
    };

    it('gives back what it was given, and the time', async () => {
      const { records, make, read, now } = await setUp();
      expect(Math.abs(now - Date.now())).toBeLessThan(5_000);
      expect(await read()).toEqual([]);
      const first = make(1, 'sending', { money: { amount: 'ab', 'recurrence.amount': 'cd' } });
      await records.insert(first);
      expect(await read()).toEqual([first]);
      const created = {
        ...first,
        state: 'created',
        token: 'next',
        uuid: 'u',
        qrCode,
        changedAt: now + 1,
      } as const;
      await records.update(created, first.token);
      expect(await read()).toEqual([created]);
    });

    it('adds no attempt with a number, a reference or a place that is taken', async () => {
      const { records, make, states } = await setUp();
      const reference = randomUUID();
      await records.insert(make(1, 'refused'));
      await records.insert(make(1, 'sending', { referenceCode: randomUUID() }));
      await records.insert(make(2, 'sending', { referenceCode: reference }));
      await records.insert(make(3, 'sending'));
      const other = await setUp();
      await other.records.insert(other.make(1, 'sending', { referenceCode: reference }));
      expect(await states()).toEqual(['1 refused', '2 sending']);
      expect(await other.states()).toEqual([]);
    });

    it('changes an attempt only for the token that it has', async () => {
      const { records, make, states } = await setUp();
      await records.insert(make(1, 'sending'));
      await records.update(make(1, 'lost', { token: 'new' }), 'wrong');
      expect(await states()).toEqual(['1 sending']);
      await records.update(make(1, 'lost', { token: 'new' }), 'token-1');
      await records.update(make(1, 'refused', { token: 'newer' }), 'token-1');
      expect(await states()).toEqual(['1 lost']);
    });

    it.each(['sending', 'created'] as const)('never has two open attempts, when one is %s', async (state) => {
      const { records, make, states } = await setUp();
      await records.insert(make(1, 'lost'));
      await records.insert(make(2, state));
      await records.update(make(1, 'created', { token: 'new' }), 'token-1').catch(() => undefined);
      expect(await states()).toEqual(['1 lost', `2 ${state}`]);
      await records.update(make(2, 'refused', { token: 'new' }), 'token-2');
      await records.update(make(1, 'created', { token: 'new' }), 'token-1');
      expect(await states()).toEqual(['1 created', '2 refused']);
    });

    it('adds one of 20 attempts at once', async () => {
      const { records, make, read } = await setUp();
      const tokens = Array.from({ length: 20 }, (_, index) => `token-${index}`);
      await Promise.allSettled(tokens.map((token) => records.insert(make(1, 'sending', { token }))));
      expect(await read()).toHaveLength(1);
    });

    it('tells orders apart by their bytes', async () => {
      const { records, orderKey, make } = await setUp();
      for (const key of [`${orderKey}e`, `${orderKey}E`, `${orderKey}é`]) {
        await records.insert(make(1, 'sending', { orderKey: key, referenceCode: key }));
      }
      for (const key of [`${orderKey}e`, `${orderKey}E`, `${orderKey}é`]) {
        expect(await records.find({ referenceCode: key })).toMatchObject({ orderKey: key });
      }
      expect(await records.find({ referenceCode: `${orderKey}e ` })).toBeUndefined();
    });

    it('finds an attempt by its uuid, the newest of several, and by its reference', async () => {
      const { records, make } = await setUp();
      const uuid = randomUUID();
      expect(await records.find({ uuid })).toBeUndefined();
      await records.insert(make(1, 'lost', { changedAt: 5 }));
      await records.insert(make(2, 'sending'));
      await records.update(make(1, 'lost', { token: 'new', uuid, changedAt: 6 }), 'token-1');
      await records.update(make(2, 'created', { token: 'new', uuid, changedAt: 7, qrCode }), 'token-2');
      expect(await records.find({ uuid })).toMatchObject({ attempt: 2, qrCode });
      expect(await records.find({ referenceCode: make(1, 'lost').referenceCode })).toMatchObject({
        attempt: 1,
      });
    });

    it('gives 20 calls at once one journey', async () => {
      const { records, orderKey } = await setUp();
      const client = new FakeClient();
      const journals = Array.from({ length: 20 }, () => new JourneyJournal({ client, records }));
      const journeys = await Promise.all(journals.map((journal) => journal.open(orderKey, request)));
      expect(new Set(journeys.map(({ uuid }) => uuid)).size).toBe(1);
      expect(client.calls).toHaveLength(1);
    });
  });
}

/** What records in a table do besides. */
export function testSqlRecords(
  name: string,
  dialect: SqlDialect,
  queries: Readonly<Record<string, SqlQuery>>,
  schema: string,
): void {
  const run = Object.values(queries)[0] as SqlQuery;
  const table = `it's "own" \`${randomUUID().slice(0, 8)}`;

  for (const [form, query] of Object.entries(queries)) {
    const records = new SqlJourneyRecords(query, { dialect, table });
    // PGlite starts in seconds, and on an overloaded machine in more than a hook may take.
    beforeAll(() => records.createTable(), 120_000);
    testRecords(`${name}, ${form}`, () => records);
  }

  describe(`records in a table: ${name}`, () => {
    it('creates its table once, however many ask for it at once', async () => {
      const records = new SqlJourneyRecords(run, { dialect, schema, table: `t${randomUUID().slice(0, 8)}` });
      await Promise.all(Array.from({ length: 5 }, () => records.createTable()));
      await records.createTable();
      expect(await records.find({ uuid: 'u' })).toBeUndefined();
    });

    it('gives SQL for a migration that makes the same table', async () => {
      const records = new SqlJourneyRecords(run, { dialect, schema, table: `m${randomUUID().slice(0, 8)}` });
      for (const statement of records.createTableSql().split(';\n').filter(Boolean)) await run(statement, []);
      await records.insert(record(1, 'sending'));
      await records.insert(record(2, 'sending'));
      expect((await records.read('order-1')).attempts).toHaveLength(1);
    });

    it('deletes all that was changed last before its time, but no journey of an order', async () => {
      const records = new SqlJourneyRecords(run, { dialect, table: `d${randomUUID().slice(0, 8)}` });
      await records.createTable();
      const { now } = await records.read('order-1');
      const old = { changedAt: now - 400 * DAY_MS - 60_000 };
      await records.insert(record(1, 'refused', { changedAt: now - 400 * DAY_MS + 60_000 }));
      await records.insert(record(2, 'created', old));
      // More than one statement deletes.
      const many = Array.from({ length: 501 }, (_, index) => records.insert(record(index + 3, 'lost', old)));
      await Promise.all(many);
      await records.deleteExpired();
      expect((await records.read('order-1')).attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    });

    it('deletes no attempt whose call may be on its way, however short the retention', async () => {
      const records = new SqlJourneyRecords(run, {
        dialect,
        table: `d${randomUUID().slice(0, 8)}`,
        retentionMs: 1,
      });
      await records.createTable();
      const { now } = await records.read('order-1');
      await records.insert(record(1, 'sending', { changedAt: now - 10, leaseUntil: now + 60_000 }));
      await records.deleteExpired();
      expect((await records.read('order-1')).attempts).toHaveLength(1);
    });

    it('reads no result of a statement that changes something', async () => {
      const deaf: SqlQuery = async (text, values) => {
        const result = await run(text, values);
        return text.startsWith('SELECT') ? result : (undefined as never);
      };
      const records = new SqlJourneyRecords(deaf, { dialect, table });
      const journal = new JourneyJournal({ client: new FakeClient(), records });
      const orderKey = randomUUID();
      expect(await journal.open(orderKey, request)).toMatchObject({ referenceCode: orderKey });
    });

    it.each([undefined, null, 5, {}, { rows: 3 }])(
      'says what to return when query resolves with %j',
      async (result) => {
        const records = new SqlJourneyRecords(async () => result as never, { dialect });
        await expect(records.read('order-1')).rejects.toMatchObject({ code: 'store_failed' });
      },
    );

    it('says what to pass when the rows are not objects', async () => {
      const records = new SqlJourneyRecords(async () => [[[1, 2]]] as never, { dialect });
      await expect(records.read('order-1')).rejects.toMatchObject({ code: 'store_failed' });
    });
  });
}

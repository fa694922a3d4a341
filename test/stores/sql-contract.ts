import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { TestStore } from '../helpers/store-of';
import { claimed, completed, letter, tryClaim } from './claims';

const WRITTEN_AGAIN = ['seen:', 'order:', 'uuid:', 'reference:'] as const;
const EXACT = ['letter:', 'open:', 'maintain'] as const;
const dayOf = (time: number) => Math.ceil(time / (24 * 60 * 60 * 1000));

/** Opens a store on the table, which calls `sent` with each statement. */
export type OpenSql = (table: string, sent?: (sql: string) => void, namespace?: string) => TestStore;

/** What the stores over SQL do beyond the store contract: their table, its cleanup, and how many statements they send. */
export function testSqlStore(name: string, open: OpenSql, run: (sql: string) => unknown): void {
  describe(`${name}: a store over SQL`, () => {
    const tables: string[] = [];
    const newTable = () => {
      const table = `sql_${randomUUID().slice(0, 8)}`;
      tables.push(table);
      return table;
    };
    afterAll(async () => {
      for (const table of tables) await run(`DROP TABLE IF EXISTS ${table}`);
    });

    it('deletes every expired record, more than a thousand at a time too, and only those', {
      timeout: 60_000,
    }, async () => {
      const table = newTable();
      const store = open(table);
      await store.createTable();
      const rows = Array.from({ length: 1_200 }, (_, index) => `('expired:${index}', '{}', 1, ${index})`);
      await run(`INSERT INTO ${table} VALUES ${rows.join(', ')}`);
      await claimed(store, 'payment:live');
      expect(await store.deleteExpired()).toBe(1_200);
      expect(await store.deleteExpired()).toBe(0);
      expect(await tryClaim(store, 'payment:live')).toBe('busy');
    });

    it('keeps what is written again and again until the end of its last day, and lists nothing after its own end', async () => {
      const store = open(newTable());
      await store.createTable();
      const { now } = await store.readRecord('maintain', '');
      const until = now + 1_500;
      for (const prefix of [...WRITTEN_AGAIN, ...EXACT]) {
        const read = await store.readRecord(prefix, 'one');
        expect(await store.writeRecord(prefix, 'one', { key: 'one' }, read, until)).toBe(true);
      }
      const listed = async () => [
        (await store.listRecords('order:', { limit: 9 })).length,
        (await store.listRecords('open:', { limit: 9 })).length,
      ];
      expect([await store.deleteExpired(), ...(await listed())]).toEqual([0, 1, 1]);
      await expect.poll(async () => (await store.readRecord('open:', 'one')).value).toBeUndefined();
      expect(await listed()).toEqual([0, 0]);
      const isSameDay = dayOf((await store.readRecord('maintain', '')).now) === dayOf(until);
      expect(await store.deleteExpired()).toBe(isSameDay ? EXACT.length : 7);
    });

    it('keeps namespaces of one table apart, also where one name begins with the other', async () => {
      const table = newTable();
      const [a, ab] = [open(table, undefined, 'shop'), open(table, undefined, 'shop.b')];
      await a.createTable();
      for (const store of [a, ab]) {
        await claimed(store, 'payment:1');
        await store.keepLetter(letter, 60_000);
        expect(await store.listLetters({ limit: 9 })).toHaveLength(1);
      }
      await a.forgetLetter(letter.key);
      expect(await ab.readLetter(letter.key)).toMatchObject({ attempts: 1 });
    });

    it('says how to make a table that is missing', async () => {
      const store = open(newTable());
      for (const step of [
        () => claimed(store, 'payment:1'),
        () => store.listLetters({ limit: 1 }),
        () => store.deleteExpired(),
      ]) {
        await expect(step()).rejects.toMatchObject({
          code: 'store_failed',
          message: expect.stringContaining(store.createTableSql().split('(')[0] as string),
          cause: expect.any(Error),
        });
      }
    });

    it('says of a table of somebody else’s that it is not its own, when it is created and when it is used', async () => {
      const table = newTable();
      await run(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY, name VARCHAR(9), expires_at BIGINT)`);
      const store = open(table);
      for (const step of [() => store.createTable(), () => store.readRecord('maintain', '')]) {
        await expect(step()).rejects.toMatchObject({
          code: 'store_failed',
          message: expect.stringContaining(
            "that is not the store's: it lacks columns. Give the store another `table`",
          ),
          cause: expect.any(Error),
        });
      }
    });

    it('sends three statements for a new notification, and one for a duplicate', async () => {
      const sent: string[] = [];
      const store = open(newTable(), (sql) => sent.push(sql.split(' ')[0] ?? ''));
      await store.createTable();
      sent.length = 0;
      for (const [state, write] of [
        ['PENDING', 'INSERT'],
        ['PAID', 'UPDATE'],
      ] as const) {
        await completed(store, 'payment:1', state);
        expect(sent.splice(0)).toEqual(['SELECT', write, 'UPDATE']);
      }
      expect(await tryClaim(store, 'payment:1')).toBe('done PENDING PAID');
      expect(sent).toEqual(['SELECT']);
    });

    it('creates the table that its SQL creates, any number of times at once', async () => {
      const store = open(newTable());
      for (const statement of store.createTableSql().split(';\n').filter(Boolean)) await run(statement);
      expect(await tryClaim(store, 'payment:1')).toBe('claimed');
      await store.createTable();
      for (let round = 0; round < 5; round += 1) {
        const raced = open(newTable());
        await Promise.all(Array.from({ length: 10 }, () => raced.createTable()));
        expect(await tryClaim(raced, 'payment:1')).toBe('claimed');
      }
    });
  });
}

import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { MysqlStore, PostgresStore, SqliteStore } from '../../src/stores';
import { lease, retain } from './limits';

/** What the stores over SQL do beyond the store contract: their table, its cleanup, and how many statements they send. */
export function testSqlStore(
  name: string,
  open: (table: string, sent?: (sql: string) => void) => PostgresStore | MysqlStore | SqliteStore,
  run: (sql: string) => unknown,
): void {
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

    it('deletes every expired record, more than a thousand at a time too, and only those', async () => {
      const table = newTable();
      const store = open(table);
      await store.createTable();
      const rows = Array.from({ length: 1_200 }, (_, index) => `('expired:${index}', '{}', 1, ${index})`);
      await run(`INSERT INTO ${table} VALUES ${rows.join(', ')}`);
      await store.claim('payment:live', 'PAID', lease(60_000));
      expect(await store.deleteExpired()).toBe(1_200);
      expect(await store.deleteExpired()).toBe(0);
      expect(await store.claim('payment:live', 'PAID', lease(60_000))).toEqual({ status: 'busy' });
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
        const claim = await store.claim('payment:1', state, lease(60_000));
        if (claim.status !== 'claimed') throw new Error('not claimed');
        await store.complete(claim, retain(60_000));
        expect(sent.splice(0)).toEqual(['SELECT', write, 'UPDATE']);
      }
      expect((await store.claim('payment:1', 'PAID', lease(60_000))).status).toBe('done');
      expect(sent).toEqual(['SELECT']);
    });

    it('creates the table that its SQL creates, any number of times at once', async () => {
      const store = open(newTable());
      for (const statement of store.createTableSql().split(';\n').filter(Boolean)) await run(statement);
      expect(await store.claim('payment:1', 'PAID', lease(60_000))).toMatchObject({ status: 'claimed' });
      await store.createTable();
      for (let round = 0; round < 5; round += 1) {
        const raced = open(newTable());
        await Promise.all(Array.from({ length: 10 }, () => raced.createTable()));
        expect(await raced.claim('payment:1', 'PAID', lease(1000))).toMatchObject({ status: 'claimed' });
      }
    });
  });
}

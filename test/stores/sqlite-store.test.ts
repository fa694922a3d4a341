import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreError } from '../../src/errors';
import { SqliteStore } from '../../src/stores';
import { SqlRecords } from '../../src/stores/sql-records';
import type { LibsqlClient, SqliteDatabase } from '../../src/stores/sqlite-store';
import { skipWithoutSqlite } from '../helpers/node-with-sqlite';
import { seedRandomTests } from '../helpers/random-seed';
import { withSteps } from '../helpers/store-of';
import { expectNothingDoubled, plainly, stepwise } from '../machines/two-years/two-years';
import { claimed, tryClaim } from './claims';
import { ALL_FAULTS, testStoreContract } from './contract';
import type { Faults } from './faults';
import { retain } from './limits';
import { type OpenSql, testSqlStore } from './sql-contract';

const sqlite = process.getBuiltinModule('node:sqlite');

if (sqlite === undefined) skipWithoutSqlite();
else testHere(sqlite);

function testHere({ DatabaseSync }: NonNullable<typeof sqlite>): void {
  type Db = InstanceType<typeof DatabaseSync>;

  const connect = (path: string) => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL');
    return database;
  };

  testStoreContract('SqliteStore over node:sqlite', ALL_FAULTS, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pix-automatic-'));
    const path = join(folder, 'store.db');
    const databases: Db[] = [];
    const tables = { own: `it's "own"`, other: 'other' };
    const storeOn = (faults: Faults | undefined, table: string) => {
      const database = connect(path);
      databases.push(database);
      return withSteps(
        new SqliteStore(faults === undefined ? database : withFaults(database, faults), { table }),
      );
    };
    for (const table of Object.values(tables)) await storeOn(undefined, table).createTable();
    return {
      open: ({ faults, space } = {}) => storeOn(faults, tables[space ?? 'own']),
      pass: (ms) => sleep(ms),
      close: async () => {
        for (const database of databases) database.close();
        rmSync(folder, { recursive: true });
      },
    };
  });

  const shared = connect(':memory:');
  const open: OpenSql = (table, sent, namespace) => {
    const prepare: SqliteDatabase['prepare'] = (sql) => {
      const statement = shared.prepare(sql);
      return {
        run: () => statement.run(),
        all: (...values) => {
          sent?.(sql);
          return statement.all(...values);
        },
      };
    };
    return withSteps(new SqliteStore({ prepare }, { table, namespace }));
  };
  testSqlStore('node:sqlite', open, (sql) => shared.exec(sql));

  describe('SqliteStore', () => {
    describe('while another process holds the file', () => {
      // Without WAL, a writer also keeps all others from reading: no statement can even be compiled.
      const holdFile = () => {
        const folder = mkdtempSync(join(tmpdir(), 'pix-automatic-'));
        const path = join(folder, 'a.db');
        const [holder, own, fresh] = [path, path, path].map((each) => new DatabaseSync(each)) as [Db, Db, Db];
        onTestFinished(() => {
          for (const database of [holder, own, fresh]) database.close();
          rmSync(folder, { recursive: true });
        });
        return { holder, own, fresh };
      };

      it('waits in every step, and fails with a StoreError in the end', async () => {
        const { holder, own, fresh } = holdFile();
        const options = { busyTimeoutMs: 100 };
        const store = withSteps(new SqliteStore(own, options));
        await store.createTable();
        const claim = await claimed(store, 'payment:1');

        holder.exec('BEGIN EXCLUSIVE');
        // One store with compiled statements, and one that has done nothing yet.
        for (const each of [store, withSteps(new SqliteStore(fresh, options))]) {
          const steps = [
            () => each.createTable(),
            () => claimed(each, 'payment:2'),
            () => each.complete(claim, retain(60_000)),
            () => each.release(claim),
            () => each.deleteExpired(),
          ];
          for (const step of steps) {
            const start = performance.now();
            await expect(step()).rejects.toMatchObject({
              name: 'StoreError',
              message: expect.stringMatching(/100 ms/),
              cause: { message: 'database is locked' },
            });
            expect(performance.now() - start).toBeGreaterThanOrEqual(100);
          }
        }
        holder.exec('COMMIT');
        expect(await store.complete(claim, retain(60_000))).toBe(true);
      });

      it('is opened as the store’s documentation shows, and waits by the store’s own retries alone', async () => {
        const { own } = holdFile();
        const path = own.location() ?? '';
        const hold = `
          const database = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)});
          database.exec('CREATE TABLE held (a); BEGIN EXCLUSIVE');
          console.log('held');
          setTimeout(() => database.exec('COMMIT'), 500);`;
        const holder = spawn(process.execPath, ['-e', hold], { stdio: ['ignore', 'pipe', 'inherit'] });
        const ended = once(holder, 'exit');
        await once(holder.stdout, 'data');

        const source = readFileSync('src/stores/sqlite-store.ts', 'utf8');
        expect(source).toContain("new DatabaseSync('notifications.db', { timeout: 5000 })");
        const [, pragmas = ''] = /^ \* database\.exec\('(PRAGMA [^']+)'\)/m.exec(source) ?? [];
        const database = new DatabaseSync(path, { timeout: 5000 });
        onTestFinished(() => database.close());
        database.exec(pragmas);
        await new SqliteStore(database).createTable();
        const settings = ['journal_mode', 'synchronous', 'busy_timeout'].map((name) =>
          database.prepare(`PRAGMA ${name}`).get(),
        );
        expect(settings).toEqual([{ journal_mode: 'wal' }, { synchronous: 2 }, { timeout: 0 }]);
        expect((await ended)[0]).toBe(0);
      });

      it('lets the process go on while it waits, and goes on when the file is free again', async () => {
        const { holder, own, fresh } = holdFile();
        await new SqliteStore(own).createTable();
        const store = withSteps(new SqliteStore(fresh, { busyTimeoutMs: 5000 }));
        holder.exec('BEGIN EXCLUSIVE');
        let turns = 0;
        const timer = setInterval(() => {
          turns += 1;
          if (turns === 20) holder.exec('COMMIT');
        }, 1);
        await store.createTable();
        expect(await tryClaim(store, 'payment:1')).toBe('claimed');
        clearInterval(timer);
        expect(turns).toBeGreaterThanOrEqual(20);
      });
    });

    it('refuses to work in a transaction that is open on its connection', async () => {
      const database = connect(':memory:');
      const store = withSteps(new SqliteStore(database));
      await store.createTable();
      database.exec('BEGIN');
      if (database.isTransaction === undefined) return;
      await expect(claimed(store, 'payment:1')).rejects.toThrow(StoreError);
      database.exec('ROLLBACK');
      expect(await tryClaim(store, 'payment:1')).toBe('claimed');
    });

    it('doubles nothing in two years of a merchant without a crash', { timeout: 120_000 }, async () => {
      const database = connect(':memory:');
      const run = async (sql: string, values: (string | number)[]) => database.prepare(sql).all(...values);
      const records = new SqlRecords(run, 'sqlite', { table: 'years' });
      await records.createTable();
      await expectNothingDoubled(seedRandomTests(), 'sqlite', {
        open: (outside, offset) => ({ store: plainly(stepwise(records, outside), offset) }),
      });
    });
  });
}

/** As a client of libsql, which waits for the answers of a server. */
function withFaults(database: SqliteDatabase, faults: Faults): LibsqlClient {
  return {
    execute: async ({ sql, args }) => {
      const call = async () => ({ rows: database.prepare(sql).all(...args) });
      return (await faults.apply(call, { rows: 'garbled' })) as { rows: unknown[] };
    },
  };
}

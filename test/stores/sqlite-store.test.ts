import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { type SqliteDatabase, SqliteStore } from '../../src/stores';
import { reportMissing } from '../helpers/servers';
import { FAULTS_IN_PROCESS, testStoreContract } from './contract';
import { Faults } from './faults';
import { ledgerInMemory, testParkedEndToEnd } from './parked-end-to-end';

const sqlite = process.getBuiltinModule('node:sqlite');

if (sqlite === undefined) testOnNode24();
else testHere(sqlite);

/** Runs this file again on a Node that has node:sqlite. */
function testOnNode24(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const npx = (...rest: string[]) =>
    promisify(execFile)('npx', ['-y', '-p', 'node@24', 'node', ...rest], { cwd: root });

  describe('SqliteStore', () => {
    it('keeps the store contract on Node 24', { timeout: 180_000 }, async ({ skip }) => {
      const runs = await npx('--version').catch(() => undefined);
      if (runs === undefined) {
        reportMissing('Node 24 (npx -p node@24)', 'the npm registry');
        skip('Node 24 cannot be had');
        return;
      }
      const vitest = join(root, 'node_modules/vitest/vitest.mjs');
      // Rejects when the run fails, and then shows its output.
      const { stdout } = await npx(vitest, 'run', '--no-color', 'test/stores/sqlite-store.test.ts');
      const summary = stdout.split('\n').filter((line) => /Tests .*passed/.test(line));
      console.log(`SqliteStore on Node ${runs.stdout.trim()}: ${summary.join('').trim()}`);
      expect(summary).toHaveLength(1);
    });
  });
}

function testHere({ DatabaseSync }: NonNullable<typeof sqlite>): void {
  type Db = InstanceType<typeof DatabaseSync>;

  const open = (path: string) => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 50');
    return database;
  };

  testStoreContract('SqliteStore over node:sqlite', FAULTS_IN_PROCESS, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pix-automatic-'));
    const path = join(folder, 'store.db');
    const databases: Db[] = [];
    const tables = { own: `it's "own"`, other: 'other' };
    const storeOn = (faults: Faults | undefined, table: string) => {
      const database = open(path);
      databases.push(database);
      return new SqliteStore(faults === undefined ? database : withFaults(database, faults), { table });
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

  testParkedEndToEnd('SqliteStore', async () => {
    const store = new SqliteStore(open(':memory:'));
    await store.createTable();
    return { store, ledger: ledgerInMemory() };
  });

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
        const store = new SqliteStore(own, options);
        await store.createTable();
        const claim = await store.claim('payment:1', 'PAID', 60_000);
        if (claim.status !== 'claimed') throw new Error('not claimed');

        holder.exec('BEGIN EXCLUSIVE');
        // One store with compiled statements, and one that has done nothing yet.
        for (const each of [store, new SqliteStore(fresh, options)]) {
          const steps = [
            () => each.createTable(),
            () => each.claim('payment:2', 'PAID', 60_000),
            () => each.complete(claim, 60_000),
            () => each.release(claim),
            () => each.deleteExpired(),
          ];
          for (const step of steps) {
            const start = performance.now();
            const error = await step().catch((thrown: unknown) => thrown);
            expect(error).toBeInstanceOf(StoreError);
            expect(error).toMatchObject({
              message: expect.stringMatching(/100 ms/),
              cause: { message: 'database is locked' },
            });
            expect(performance.now() - start).toBeGreaterThanOrEqual(100);
          }
        }
        holder.exec('COMMIT');
        expect(await store.complete(claim, 60_000)).toBe(true);
      });

      it('goes on when the file is free again', async () => {
        const { holder, own, fresh } = holdFile();
        await new SqliteStore(own).createTable();
        holder.exec('BEGIN EXCLUSIVE');
        const store = new SqliteStore(fresh);
        const waiting = Promise.all([store.createTable(), store.claim('payment:1', 'PAID', 60_000)]);
        await sleep(200);
        holder.exec('COMMIT');
        expect((await waiting)[1]).toMatchObject({ status: 'claimed' });
      });

      it('is opened as the store’s documentation shows', async () => {
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

        const source = readFileSync('src/stores/sqlite/sqlite-store.ts', 'utf8');
        const examples = [...source.matchAll(/^ \* database\.exec\('(PRAGMA [^']+)'\)/gm)];
        expect(examples).toHaveLength(2);
        for (const [, pragmas = ''] of examples) own.exec(pragmas);
        expect(own.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
        expect(own.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
        expect(own.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 100 });
        expect((await ended)[0]).toBe(0);
      });
    });

    describe('createTable()', () => {
      const SQL = new SqliteStore(open(':memory:'), { table: 'records' }).createTableSql();

      it.each([
        ['with other columns', 'CREATE TABLE records (subject TEXT PRIMARY KEY, fence INTEGER)'],
        [
          'with a trigger',
          `${SQL}; CREATE TRIGGER t AFTER UPDATE ON records BEGIN UPDATE records SET token = 'x'; END`,
        ],
        [
          'with a trigger, whatever the case of its name',
          `${SQL}; CREATE TRIGGER t AFTER INSERT ON RECORDS BEGIN DELETE FROM records; END`,
        ],
      ])('refuses a table %s', async (_, sql) => {
        const database = open(':memory:');
        database.exec(sql);
        const store = new SqliteStore(database, { table: 'records' });
        await expect(store.createTable()).rejects.toMatchObject({
          name: 'ConfigurationError',
          message: expect.stringContaining('"records"'),
        });
      });

      it('refuses a foreign table in place of its parked notifications', async () => {
        const database = open(':memory:');
        database.exec('CREATE TABLE records_parked (key TEXT PRIMARY KEY, expires_at INTEGER)');
        const creating = new SqliteStore(database, { table: 'records' }).createTable();
        await expect(creating).rejects.toMatchObject({
          name: 'ConfigurationError',
          message: expect.stringContaining(
            'The table "records_parked" has no column entry, first_failed_at, last_failed_at, attempts,',
          ),
        });
      });

      it('accepts its own table, made by its own SQL, also with columns and indexes added', async () => {
        const database = open(':memory:');
        database.exec(
          `${SQL}; ALTER TABLE records ADD COLUMN note TEXT; CREATE INDEX mine ON records (note)`,
        );
        const store = new SqliteStore(database, { table: 'records' });
        await store.createTable();
        expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ status: 'claimed' });
      });
    });

    it('refuses to work in a transaction that is open on its connection', async () => {
      const database = open(':memory:');
      const store = new SqliteStore(database);
      await store.createTable();
      database.exec('BEGIN');
      if (database.isTransaction === undefined) return;
      await expect(store.claim('payment:1', 'PAID', 1000)).rejects.toThrow(StoreError);
      database.exec('ROLLBACK');
      expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ status: 'claimed' });
    });

    it('deletes expired records, up to a limit, and only those', async () => {
      const store = new SqliteStore(open(':memory:'));
      await store.createTable();
      for (let index = 0; index < 5; index += 1) await store.claim(`payment:${index}`, 'PAID', 20);
      await store.claim('payment:live', 'PAID', 60_000);
      await sleep(50);
      expect(await store.deleteExpired({ limit: 3 })).toBe(3);
      expect(await store.deleteExpired()).toBe(2);
      expect(await store.claim('payment:live', 'PAID', 60_000)).toEqual({ status: 'busy' });
    });

    it('deletes expired parked notifications too, within the same limit', async () => {
      const database = open(':memory:');
      const store = new SqliteStore(database, { table: 'records' });
      await store.createTable();
      await store.claim('payment:1', 'PAID', 20);
      const rest = {
        kind: 'payment',
        subject: 'payment:1',
        state: 'PAID',
        body: '{}',
        url: '',
        errorName: 'Error',
      };
      for (const key of ['a', 'b', 'c']) await store.park({ key, ...rest }, 20);
      await store.park({ key: 'd', ...rest }, 60_000);
      await sleep(50);
      expect(await store.deleteExpired({ limit: 3 })).toBe(3);
      expect(await store.deleteExpired({ limit: 3 })).toBe(1);
      expect(database.prepare('SELECT key FROM records_parked').all()).toEqual([{ key: 'd' }]);
    });

    it('grows the fence also when the clock was set back', async () => {
      const database = open(':memory:');
      const store = new SqliteStore(database, { table: 'fences' });
      await store.createTable();
      const claim = await store.claim('payment:1', 'PAID', 60_000);
      if (claim.status !== 'claimed') throw new Error('not claimed');
      await store.release(claim);
      database.exec('UPDATE fences SET fence = 9000000000000');
      expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ fence: 9_000_000_000_001 });
    });

    it('does not make a lease longer when its claim is sent twice', async () => {
      const database = open(':memory:');
      const faults = new Faults();
      const store = new SqliteStore(withFaults(database, faults), { table: 'leases' });
      await store.createTable();
      faults.next = 'is sent twice';
      const claim = await store.claim('payment:1', 'PAID', 60_000);
      expect(claim).toMatchObject({ status: 'claimed' });
      expect(database.prepare('SELECT expires - fence AS lease FROM leases').get()).toEqual({
        lease: 60_000,
      });
    });

    it('keeps a record until the clock has passed its fence, so that the next fence is greater', async () => {
      const database = open(':memory:');
      const store = new SqliteStore(database, { table: 'fences' });
      await store.createTable();
      await store.claim('payment:1', 'PAID', 1);
      const ahead = Date.now() + 20_000;
      database.exec(`UPDATE fences SET fence = ${ahead}, expires_at = 0, token = NULL`);
      const claim = await store.claim('payment:1', 'PAID', 1);
      expect(claim).toMatchObject({ status: 'claimed', fence: ahead + 1 });
      await sleep(20);
      expect(await store.deleteExpired()).toBe(0);
      expect(await store.claim('payment:1', 'PAID', 1)).toMatchObject({ fence: ahead + 2 });
    });

    it('prints the SQL that creates the same table', async () => {
      const database = open(':memory:');
      const store = new SqliteStore(database, { table: 'printed' });
      database.exec(store.createTableSql());
      expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ status: 'claimed' });
    });

    it.each(['', 'a\0b', 'sqlite_x'])('is refused with the table %j', (table) => {
      expect(() => new SqliteStore(open(':memory:'), { table })).toThrow(ConfigurationError);
    });
  });
}

function withFaults(database: SqliteDatabase, faults: Faults): SqliteDatabase {
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        all: (values) => faults.applySync(() => statement.all(values), [{ status: 'claimed' }]) as unknown[],
      };
    },
  };
}

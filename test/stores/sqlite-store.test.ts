import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { type SqliteDatabase, SqliteStore } from '../../src/stores';
import { reportMissing } from '../helpers/servers';
import { FAULTS_IN_PROCESS, testStoreContract } from './contract';
import type { Faults } from './faults';

const sqlite = process.getBuiltinModule('node:sqlite');

if (sqlite === undefined) testOnNode24();
else testHere(sqlite);

/** Runs this file again where there is node:sqlite. */
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
      // Fails with the run's exit code, and with its output.
      const { stdout } = await npx(vitest, 'run', '--no-color', 'test/stores/sqlite-store.test.ts');
      const summary = stdout.split('\n').filter((line) => /Tests .*passed/.test(line));
      console.log(`SqliteStore on Node ${runs.stdout.trim()}: ${summary.join('').trim()}`);
      expect(summary).toHaveLength(1);
    });
  });
}

function testHere({ DatabaseSync }: NonNullable<typeof sqlite>): void {
  const open = (path: string) => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 50');
    return database;
  };

  testStoreContract('SqliteStore over node:sqlite', FAULTS_IN_PROCESS, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pix-automatic-'));
    const path = join(folder, 'store.db');
    const databases: InstanceType<typeof DatabaseSync>[] = [];
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

  describe('SqliteStore', () => {
    it('waits while another connection writes, and gives up in the end', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pix-automatic-'));
      const [writer, own] = [open(join(folder, 'a.db')), open(join(folder, 'a.db'))];
      const store = new SqliteStore(own, { busyTimeoutMs: 500 });
      await store.createTable();

      writer.exec('BEGIN IMMEDIATE');
      await expect(store.claim('payment:1', 'PAID', 1000)).rejects.toThrow('locked');
      const waiting = store.claim('payment:1', 'PAID', 1000);
      await sleep(100);
      writer.exec('COMMIT');
      expect(await waiting).toMatchObject({ status: 'claimed' });

      writer.close();
      own.close();
      rmSync(folder, { recursive: true });
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

    it('grows the fence also when the clock has been set back', async () => {
      const database = open(':memory:');
      const store = new SqliteStore(database, { table: 'fences' });
      await store.createTable();
      const claim = await store.claim('payment:1', 'PAID', 60_000);
      if (claim.status !== 'claimed') throw new Error('not claimed');
      await store.release(claim);
      database.exec('UPDATE fences SET fence = 9000000000000');
      expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ fence: 9_000_000_000_001 });
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

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreError } from '../../src/errors';
import { SqliteStore } from '../../src/stores';
import { type BetterSqlite3, findBetterSqlite3 } from '../helpers/better-sqlite3';
import { withSteps } from '../helpers/store-of';
import { lease } from './limits';

const found = findBetterSqlite3();

describe.skipIf(found === undefined)('better-sqlite3', () => {
  const Database = found as BetterSqlite3;

  function folderOf(end: (clean: () => void) => void): string {
    const folder = mkdtempSync(join(tmpdir(), 'pix-automatic-'));
    end(() => rmSync(folder, { recursive: true }));
    return join(folder, 'a.db');
  }

  it('names the error of a held file SQLITE_BUSY: each step waits for the file, and ends with a StoreError', async () => {
    const path = folderOf(onTestFinished);
    const [holder, own] = [new Database(path), new Database(path, { timeout: 0 })];
    onTestFinished(() => [holder, own].forEach((each) => void each.close()));
    const store = withSteps(new SqliteStore(own, { busyTimeoutMs: 100 }));
    await store.createTable();

    holder.exec('BEGIN EXCLUSIVE');
    for (const step of [() => store.createTable(), () => store.claim('payment:1', 'PAID', lease(1000))]) {
      const error = await step().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ cause: { code: 'SQLITE_BUSY' } });
    }
    const waiting = store.claim('payment:1', 'PAID', lease(1000));
    holder.exec('COMMIT');
    expect(await waiting).toMatchObject({ status: 'claimed' });
  });

  it('shows an open transaction in inTransaction, and the store refuses to work in it', async () => {
    const database = new Database(':memory:');
    onTestFinished(() => database.close());
    const store = withSteps(new SqliteStore(database));
    await store.createTable();
    database.exec('BEGIN');
    const error = await store.claim('payment:1', 'PAID', lease(1000)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ message: expect.stringContaining('A transaction is open') });
    database.exec('ROLLBACK');
    expect(await store.claim('payment:1', 'PAID', lease(1000))).toMatchObject({ status: 'claimed' });
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../src/stores';
import { type BetterSqlite3, findBetterSqlite3 } from '../helpers/better-sqlite3';
import { withSteps } from '../helpers/store-of';
import { claimed, tryClaim } from './claims';

const found = findBetterSqlite3();

describe.skipIf(found === undefined)('better-sqlite3', () => {
  const Database = found as BetterSqlite3;

  it('names the error of a held file SQLITE_BUSY: each step waits for the file, and ends with a StoreError', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pix-automatic-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'a.db');
    const [holder, own] = [new Database(path), new Database(path, { timeout: 0 })];
    onTestFinished(() => [holder, own].forEach((each) => void each.close()));
    const store = withSteps(new SqliteStore(own, { busyTimeoutMs: 100 }));
    await store.createTable();

    holder.exec('BEGIN EXCLUSIVE');
    for (const step of [() => store.createTable(), () => claimed(store, 'payment:1')]) {
      await expect(step()).rejects.toMatchObject({ name: 'StoreError', cause: { code: 'SQLITE_BUSY' } });
    }
    const waiting = tryClaim(store, 'payment:1');
    holder.exec('COMMIT');
    expect(await waiting).toBe('claimed');
  });

  it('shows an open transaction in inTransaction, and the store refuses to work in it', async () => {
    const database = new Database(':memory:');
    onTestFinished(() => database.close());
    const store = withSteps(new SqliteStore(database));
    await store.createTable();
    database.exec('BEGIN');
    await expect(claimed(store, 'payment:1')).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining('A transaction is open'),
    });
    database.exec('ROLLBACK');
    expect(await tryClaim(store, 'payment:1')).toBe('claimed');
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../src/stores';
import { findPostgresPrograms, startOwnPostgres } from '../helpers/postgres-server';

const programs = findPostgresPrograms();

/** The handler's defaults. */
const LEASE_MS = 40_000;
const STORE_TIMEOUT_MS = 5_000;

describe.skipIf(programs === undefined)(
  'A PostgreSQL that stops for longer than a claim is waited for',
  () => {
    it('goes on, carries out the claims nobody waits for, and gives the next delivery the subject at once', async () => {
      const server = await startOwnPostgres(programs as string);
      const pool = new pg.Pool({ ...server.config, max: 3, connectionTimeoutMillis: STORE_TIMEOUT_MS });
      pool.on('error', () => undefined);
      onTestFinished(() => pool.end());
      const store = new PostgresStore(pool, { stepTimeoutMs: STORE_TIMEOUT_MS });
      await store.createTable();
      // Connected, as in a listener that has been at work.
      expect(await store.claim('payment:0', 'PAID', LEASE_MS)).toMatchObject({ status: 'claimed' });

      server.freeze();
      const error = await store.claim('payment:1', 'PAID', LEASE_MS).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'store_failed' });
      await sleep(5_000);
      server.thaw();
      const thawedAt = performance.now();

      await expect
        .poll(async () => (await store.claim('payment:1', 'PAID', LEASE_MS).catch(() => undefined))?.status, {
          timeout: 20_000,
          interval: 250,
        })
        .toBe('claimed');
      console.log(`claimed ${Math.round(performance.now() - thawedAt)} ms after the server went on`);
    }, 60_000);
  },
);

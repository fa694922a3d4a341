import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../../src/stores';
import { findPostgresPrograms, startOwnPostgres } from '../../helpers/postgres-server';
import { lease } from '../../stores/limits';

const programs = findPostgresPrograms();

/** The handler's defaults. */
const LEASE_MS = 40_000;
const STORE_TIMEOUT_MS = 5_000;

describe.skipIf(programs === undefined)(
  'A PostgreSQL that freezes for longer than the timeout of the store',
  () => {
    it('carries out nothing of the abandoned claims when it thaws, and lets a new delivery claim the subject', async () => {
      const server = await startOwnPostgres(programs as string);
      const limits = { connectionTimeoutMillis: STORE_TIMEOUT_MS, query_timeout: STORE_TIMEOUT_MS };
      const pool = new pg.Pool({ ...server.config, max: 3, ...limits });
      pool.on('error', () => undefined);
      onTestFinished(() => pool.end());
      const store = new PostgresStore(pool);
      await store.createTable();
      // Connect first, as in a listener that has been running.
      expect(await store.claim('payment:0', 'PAID', lease(LEASE_MS))).toMatchObject({ status: 'claimed' });

      server.freeze();
      await expect(store.claim('payment:1', 'PAID', lease(LEASE_MS))).rejects.toThrow('timeout');
      await sleep(5_000);
      server.thaw();
      expect(await store.claim('payment:1', 'PAID', lease(LEASE_MS))).toMatchObject({ status: 'claimed' });
    }, 60_000);
  },
);

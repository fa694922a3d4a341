import type pg from 'pg';

export type StoreName =
  | 'redis'
  | 'postgres'
  | 'postgres transactional'
  | 'sqlite'
  | 'wrong: forgets leases'
  | 'wrong: done at claim'
  | 'wrong: writes outside the transaction';

/** What a listener process is told, as JSON in its environment. */
export interface ListenerConfig {
  readonly store: StoreName;
  /** Keeps the records of runs apart: letters, digits and `_`. */
  readonly run: string;
  readonly logFile: string;
  readonly redisUrl: string;
  readonly postgres: pg.PoolConfig;
  readonly sqliteFile: string;
}

/**
 * The service's minute, shortened to a fiftieth (document section 6.1). A lease is two thirds of it, as with the
 * default `callbackTimeoutMs`.
 */
export const INTERVAL_MS = 1200;
export const LEASE_MS = 800;
export const CALLBACK_TIMEOUT_MS = 500;
export const DELIVERY_TIMEOUT_MS = 900;
/** One attempt and five retries. */
export const ATTEMPTS = 6;

/** Whose effects are in the database, in one transaction with the record. */
export function isTransactional(store: StoreName): boolean {
  return store === 'postgres transactional' || store === 'wrong: writes outside the transaction';
}

/** Effects by `context.transaction`, of a merchant whose tables know nothing of duplicates. */
export function tablesOf(run: string) {
  return { effects: `crash_effects_${run}`, states: `crash_states_${run}` };
}

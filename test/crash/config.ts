import type pg from 'pg';

export type StoreName =
  | 'memory'
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
  readonly timing: Timing;
  /** Whether callbacks ask the store's own pool for a connection, beside what the store takes. */
  readonly asksPool: boolean;
}

/** How long things take, in milliseconds. */
export interface Timing {
  /** Between the failure of a delivery and the next one. */
  readonly intervalMs: number;
  readonly leaseMs: number;
  readonly callbackTimeoutMs: number;
  readonly storeTimeoutMs: number;
  /** The service gives a delivery up after that. */
  readonly deliveryTimeoutMs: number;
}

/** The service's minute (document section 6.1), and the handler's defaults. */
export const REAL_TIMES: Timing = {
  intervalMs: 60_000,
  leaseMs: 40_000,
  callbackTimeoutMs: 25_000,
  storeTimeoutMs: 5000,
  deliveryTimeoutMs: 45_000,
};

/**
 * A minute in a fiftieth of the time. A lease is two thirds of it, as with the default `callbackTimeoutMs`; steps of the
 * store get more than their share, because a busy machine does not get faster with the clock.
 */
export const SHORT_TIMES: Timing = { ...scaled(1 / 50), storeTimeoutMs: 500 };

/**
 * A minute in a twentieth of the time, for a store that stops: connecting anew has to fit into a step of the store also
 * where all listeners do it at once on a busy machine.
 */
export const UNHURRIED_TIMES: Timing = { ...scaled(1 / 20), storeTimeoutMs: 1000 };

/** All times in proportion. */
export function scaled(share: number): Timing {
  const { intervalMs, leaseMs, callbackTimeoutMs, storeTimeoutMs, deliveryTimeoutMs } = REAL_TIMES;
  return {
    intervalMs: intervalMs * share,
    leaseMs: leaseMs * share,
    callbackTimeoutMs: callbackTimeoutMs * share,
    storeTimeoutMs: storeTimeoutMs * share,
    deliveryTimeoutMs: deliveryTimeoutMs * share,
  };
}

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

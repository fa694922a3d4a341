import type pg from 'pg';

export type StoreName =
  | 'memory'
  | 'redis'
  | 'redis over node-redis'
  | 'postgres'
  | 'postgres transactional'
  | 'mysql'
  | 'mysql transactional'
  | 'sqlite'
  | 'wrong: forgets leases'
  | 'wrong: done at claim'
  | 'wrong: writes outside the transaction';

/** Where the databases are. */
export interface Places {
  readonly redisUrl: string;
  readonly postgres: pg.PoolConfig;
  readonly mysqlUrl: string;
}

/** The settings of a listener process, passed as JSON in its environment. */
export interface ListenerConfig extends Places {
  readonly store: StoreName;
  /** Keeps the records of runs apart: letters, digits and `_`. */
  readonly run: string;
  readonly logFile: string;
  readonly sqliteFile: string;
  readonly timing: Timing;
  /** Whether callbacks also take a connection from the store’s own pool. */
  readonly asksPool: boolean;
}

/** Durations in milliseconds. */
export interface Timing {
  /** From the failure of a delivery to the next attempt. */
  readonly intervalMs: number;
  readonly leaseMs: number;
  readonly callbackTimeoutMs: number;
  readonly storeTimeoutMs: number;
  /** After this, the service gives up the attempt. */
  readonly deliveryTimeoutMs: number;
}

/** The service’s minute between attempts (document section 6.1), and the handler’s defaults. */
export const REAL_TIMES: Timing = {
  intervalMs: 60_000,
  leaseMs: 40_000,
  callbackTimeoutMs: 25_000,
  storeTimeoutMs: 5000,
  deliveryTimeoutMs: 45_000,
};

/**
 * All times at a fiftieth. A lease is two thirds of the interval, as with the default `callbackTimeoutMs`. Store
 * steps get more than their share, because a busy machine does not become faster with the clock.
 */
export const SHORT_TIMES: Timing = { ...scaled(1 / 50), storeTimeoutMs: 500 };

/**
 * All times at a twentieth, for a store that stops: reconnecting must fit into a store step, even when all listeners
 * reconnect at once on a busy machine.
 */
export const UNHURRIED_TIMES: Timing = { ...scaled(1 / 20), storeTimeoutMs: 1000 };

/** All times multiplied by `share`. */
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

/** Whether effects are written in the database, in one transaction with the record. */
export function isTransactional(store: StoreName): boolean {
  return store.endsWith(' transactional') || store === 'wrong: writes outside the transaction';
}

/** The tables of a merchant who writes effects with `context.transaction` and checks for no duplicates. */
export function tablesOf(run: string) {
  return { effects: `crash_effects_${run}`, states: `crash_states_${run}` };
}

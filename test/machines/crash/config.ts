import { tmpdir } from 'node:os';
import type pg from 'pg';

/** The stores of the run. In a transaction, the merchant's effects are rows that it writes. */
export const stores = [
  'redis',
  'sqlite',
  'postgres',
  'postgres transactional',
  'postgres over PgBouncer',
  'postgres over PgBouncer, transactional',
  'mysql',
  'mysql transactional',
] as const;

/** Stores with mistakes of hand-written listeners, and what the run must find. */
export const wrongStores = [
  ['wrong: forgets leases', 'two callbacks at a time'],
  ['wrong: done at claim', 'answered 200 without an effect'],
  ['wrong: writes outside the transaction', 'took effect 2 times'],
] as const;

export type StoreName = (typeof stores)[number] | (typeof wrongStores)[number][0];

/** A twentieth of the service's minute between attempts (document section 6.1), and of the handler's defaults. */
export const INTERVAL_MS = 3_000;
export const LEASE_MS = 2_000;
export const CALLBACK_TIMEOUT_MS = 1_250;
/** More than its share: a busy machine does not become faster with the clock. */
export const STORE_TIMEOUT_MS = 1_000;

/** The settings of a listener process, passed as JSON in its environment. */
export interface ListenerConfig {
  readonly store: StoreName;
  /** Keeps the records of runs apart: letters, digits and `_`. */
  readonly run: string;
  readonly logFile: string;
  readonly postgres: pg.PoolConfig;
}

export const isTransactional = (store: StoreName) =>
  store.endsWith('transactional') || store === 'wrong: writes outside the transaction';

export const tablesOf = (run: string) => ({ records: `crash_${run}`, effects: `crash_effects_${run}` });

export const sqliteFile = (run: string) => `${tmpdir()}/crash-${run}.db`;

/** The points at which a listener can be told to kill itself. */
export const CRASH_POINTS = [
  'before claim',
  'after claim',
  'in callback',
  'after callback',
  'after completion',
] as const;

/** What a process writes to its own file. Written lines survive its kill. */
export type LogLine = { readonly at: number } & (
  | {
      readonly type: 'begin';
      readonly run: number;
      readonly key: string;
      readonly fence: number;
      readonly claimAsked: number;
    }
  | { readonly type: 'end' | 'recorded' | 'not recorded'; readonly run: number }
  | { readonly type: 'killed' }
);

/** Milliseconds of the machine's steady clock, which all processes share. */
export const now = () => Number(process.hrtime.bigint() / 1000n) / 1000;

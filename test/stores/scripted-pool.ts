import { EventEmitter } from 'node:events';
import type { PostgresPool, PostgresQuery, PostgresResult } from '../../src/stores';

/** The statements of the store’s transaction, by their purpose; all others are the callback’s. */
export type Step = 'BEGIN' | 'lock' | 'claim' | 'role' | 'completion' | 'COMMIT' | 'ROLLBACK' | 'callback';

type Answer = (values: readonly unknown[]) => Partial<PostgresResult> | Promise<Partial<PostgresResult>>;

/** The server’s answers when nothing goes wrong. */
const FINE: Record<Step, Answer> = {
  BEGIN: () => ({}),
  lock: () => ({ rows: [{ locked: true, table: 'public.records', role: 'none' }], rowCount: 1 }),
  claim: ([, , token]) => ({
    rows: [{ status: 'claimed', token, fence: '1', states: '[]', transaction: '1' }],
    rowCount: 1,
  }),
  role: () => ({ rows: [{}], rowCount: 1 }),
  completion: ([, , token]) => ({ rows: [{ token }], rowCount: 1 }),
  COMMIT: () => ({ command: 'COMMIT' }),
  ROLLBACK: () => ({ command: 'ROLLBACK' }),
  callback: () => ({}),
};

/** A pool of one connection that gives these answers to the steps of a transaction, and otherwise a server’s. */
export function scriptedPool(answers: Partial<Record<Step, Answer>> = {}) {
  const client = new EventEmitter();
  const sent: Step[] = [];
  const released: unknown[] = [];
  Object.assign(client, {
    release: (broken: unknown) => released.push(broken),
    query: async (query: string | PostgresQuery, values: readonly unknown[] = []) => {
      const step = stepOf(typeof query === 'string' ? query : query.text);
      sent.push(step);
      return { rows: [], rowCount: 0, command: '', ...(await (answers[step] ?? FINE[step])(values)) };
    },
  });
  const pool = {
    totalCount: 1,
    query: () => Promise.reject(new Error('not by the pool')),
    connect: (give: (error: undefined, given: unknown) => void) => give(undefined, client),
  } as unknown as PostgresPool;
  return { pool, client, sent, released };
}

function stepOf(text: string): Step {
  if (text.startsWith('BEGIN')) return 'BEGIN';
  if (text.includes('pg_try_advisory_xact_lock')) return 'lock';
  if (text.includes('WITH claimed')) return 'claim';
  if (text.includes("set_config('role', $1")) return 'role';
  if (text.includes('txid_current() = $5')) return 'completion';
  return text === 'COMMIT' || text === 'ROLLBACK' ? text : 'callback';
}

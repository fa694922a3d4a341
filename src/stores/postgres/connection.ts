import { StoreError } from '../../errors';
import { withTimeLimit } from '../time-limit';
import type { PostgresPool, PostgresPoolClient, PostgresQueryable, PostgresRows } from './client';

/** Runs one statement, then returns its connection to the pool. */
export type RunOnce = (text: string, values: unknown[]) => Promise<PostgresRows>;

/**
 * Gets a connection for one statement; both together may take `timeoutMs`. Until this promise resolves, nothing has
 * been sent.
 *
 * If the database is a pool, closes a connection that failed, or did not answer within `timeoutMs` of the statement.
 * Otherwise the pool would keep handing out a connection that has gone silent. If connecting took long, that is later
 * than the end of the step, on purpose: where connecting takes nearly as long as a step may, closing the connection
 * with the step would lose every new connection, and the next step would have to connect again. A `Client` or a PGlite
 * is not ours to close, so there only the wait ends.
 */
export async function connectionFor(database: PostgresQueryable, timeoutMs: number): Promise<RunOnce> {
  const end = performance.now() + timeoutMs;
  const client = isPool(database) ? await checkOut(database, timeoutMs, end) : undefined;
  return async (text, values) => {
    const running = (client ?? database).query(text, values);
    if (client !== undefined) {
      withTimeLimit(timeoutMs, running, noAnswerWithin(timeoutMs)).then(
        () => giveBack(client),
        (error: unknown) => giveBack(client, errorOf(error)),
      );
    }
    return withTimeLimit(remaining(end), running, noAnswerWithin(timeoutMs));
  };
}

/**
 * Checks out a connection, and listens for its `error` event: without a listener, a lost connection would end the
 * process. The running query, or the next one, rejects anyway. Uses a callback and not a promise, because one packet
 * can both make the connection ready and end it, and code that awaits a promise would add its listener too late.
 *
 * @param timeoutMs - the whole time limit, for the error message
 * @param end - when that time is over, by `performance.now()`
 */
export function checkOut(pool: PostgresPool, timeoutMs: number, end: number): Promise<PostgresPoolClient> {
  const connected = new Promise<PostgresPoolClient>((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) return reject(error);
      client.on('error', ignore);
      resolve(client);
    });
  });
  return withTimeLimit(
    remaining(end),
    connected,
    `No database connection within ${timeoutMs} ms. Raise the pool's max, look for callbacks that take long, or, if ` +
      'the server does not answer, set connectionTimeoutMillis in the pool.',
    (late) => giveBack(late),
  );
}

/** Returns the connection to the pool; with an error, closes it. Never throws. */
export function giveBack(client: PostgresPoolClient, broken?: Error): void {
  // A broken connection keeps its listener: without one, a further `error` event would end the process.
  if (broken === undefined) client.removeListener('error', ignore);
  try {
    client.release(broken);
  } catch {
    // A listener of the merchant's for the pool's `release` event threw. What the transaction did stands all the same.
  }
}

export function isPool(database: PostgresQueryable): database is PostgresPool {
  return 'connect' in database && typeof database.connect === 'function' && 'totalCount' in database;
}

export function noAnswerWithin(timeoutMs: number): string {
  return `PostgreSQL did not answer within ${timeoutMs} ms.`;
}

export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new StoreError('The connection failed.', { cause: thrown });
}

function remaining(end: number): number {
  return Math.max(1, end - performance.now());
}

function ignore(): void {}

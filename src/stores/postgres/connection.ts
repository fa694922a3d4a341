import { StoreError } from '../../errors';
import { withTimeLimit } from '../time-limit';
import type { PostgresPool, PostgresPoolClient, PostgresQueryable, PostgresRows } from './client';

/** Runs one statement, and then gives its connection back. */
export type RunOnce = (text: string, values: unknown[]) => Promise<PostgresRows>;

/**
 * A connection for one statement, both within `timeoutMs`. While this promise is not resolved, nothing has been sent.
 *
 * Of a pool, a connection that failed, or did not answer within `timeoutMs` of the statement, is closed: one that has
 * gone silent would otherwise be handed out again and again. That is later than the step ends where connecting took long.
 * Closed together with the step, each new connection would be lost on a machine on which connecting takes nearly as long
 * as a step may, and the next step would have to connect again. A `Client` or a PGlite is not ours to close, so there
 * only the wait ends.
 */
export async function connectionFor(database: PostgresQueryable, timeoutMs: number): Promise<RunOnce> {
  const end = performance.now() + timeoutMs;
  const client = isPool(database) ? await checkOut(database, timeoutMs, end) : undefined;
  return async (text, values) => {
    const running = (client ?? database).query(text, values);
    if (client !== undefined) {
      withTimeLimit(timeoutMs, running, noAnswerWithin(timeoutMs))
        .then(
          () => giveBack(client),
          (error: unknown) => giveBack(client, errorOf(error)),
        )
        // A listener of the merchant's for `release` may throw, and nothing waits for this promise.
        .catch(ignore);
    }
    return withTimeLimit(remaining(end), running, noAnswerWithin(timeoutMs));
  };
}

/**
 * A connection with a listener for its loss, which is emitted as an event too, and without one would end the process.
 * The query that is running, or the next one, rejects. By callback, not by promise: that a connection is ready and that
 * it is lost can be said in one packet, and in between nobody who awaits a promise gets to listen.
 *
 * @param timeoutMs - how long all has been given
 * @param end - when that is over, by `performance.now()`
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
    `No database connection within ${timeoutMs} ms. Raise the pool's max, look for callbacks that take long, or, where ` +
      'the server does not answer, set connectionTimeoutMillis in the pool.',
    (late) => giveBack(late),
  );
}

/** Gives the connection back to the pool; with an error, closes it. */
export function giveBack(client: PostgresPoolClient, broken?: Error): void {
  // A broken connection keeps its listener: what it still emits would end the process.
  if (broken === undefined) client.removeListener('error', ignore);
  client.release(broken);
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

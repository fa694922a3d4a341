import type { Pool } from 'mysql2/promise';

/** Ends a connection that has been in use for longer, as the comment of `MysqlStore` shows it. */
export function closeSilent(pool: Pool, afterMs: number): void {
  const timers = new Map<object, NodeJS.Timeout>();
  pool.on('acquire', (connection) =>
    timers.set(
      connection,
      setTimeout(() => connection.destroy(), afterMs),
    ),
  );
  pool.on('release', (connection) => clearTimeout(timers.get(connection)));
}

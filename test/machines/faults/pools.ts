import { AsyncLocalStorage } from 'node:async_hooks';

/** A connection pool of the platform's class. */
export interface Pool {
  dispatch(...args: unknown[]): boolean;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

/** Where all copies of undici, including the platform's, look for the default pool. */
const KEY = Symbol.for('undici.globalDispatcher.1');

const current = new AsyncLocalStorage<Pool | undefined>();
// The platform loads its fetch and creates its pool at the first use.
await fetch('data:,');
const shared = Reflect.get(globalThis, KEY) as Pool;

// The client uses `fetch` as in a merchant's process, while the connections of each cell stay separate.
Reflect.set(globalThis, KEY, {
  dispatch: (...args: unknown[]) => (current.getStore() ?? shared).dispatch(...args),
});

/** Runs a function over a pool, or over the platform's shared one if `pool` is `undefined`. */
export function overPool<T>(pool: Pool | undefined, run: () => T): T {
  return current.run(pool, run);
}

/** A new pool for a cell. The platform does not export its class. */
export function createPool(options: object): Pool {
  return Reflect.construct(shared.constructor as new () => Pool, [options]);
}

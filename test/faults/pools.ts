import { AsyncLocalStorage } from 'node:async_hooks';

/** A connection pool of the platform's class. */
export interface Pool {
  dispatch(...args: unknown[]): boolean;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

/** Where all copies of undici, the platform's among them, look for the pool that nobody named. */
const KEY = Symbol.for('undici.globalDispatcher.1');

const current = new AsyncLocalStorage<Pool | undefined>();
// The platform loads its fetch, and makes its pool, with the first use.
await fetch('data:,');
const shared = Reflect.get(globalThis, KEY) as Pool;

// `fetch` as a merchant's process has it, and still each cell's connections can be told from all others'.
Reflect.set(globalThis, KEY, {
  dispatch: (...args: unknown[]) => (current.getStore() ?? shared).dispatch(...args),
});

/** Runs something over a pool; over the platform's shared one if that is `undefined`. */
export function overPool<T>(pool: Pool | undefined, run: () => T): T {
  return current.run(pool, run);
}

/** A pool of the cell's own. The platform does not export the class. */
export function createPool(options: object): Pool {
  return Reflect.construct(shared.constructor as new () => Pool, [options]);
}

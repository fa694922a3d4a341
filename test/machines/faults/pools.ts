import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallersFetch } from './fault';

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

const platformFetch = globalThis.fetch;
const patched = new AsyncLocalStorage<typeof globalThis.fetch>();
// Cells run at the same time, so each sees only its own patch of the global. The library has already loaded.
Object.defineProperty(globalThis, 'fetch', {
  configurable: true,
  get: () => patched.getStore() ?? platformFetch,
});

/** Runs a function with `globalThis.fetch` replaced, if there is a replacement. */
export function withGlobalFetch<T>(
  fetch: ((url: string, init: object, platform: CallersFetch) => Promise<Response>) | undefined,
  run: () => T,
): T {
  if (fetch === undefined) return run();
  const replacement = (url: string, init: object) => fetch(url, init, platformFetch as CallersFetch);
  return patched.run(replacement as typeof globalThis.fetch, run);
}

/** A new pool for a cell. The platform does not export its class. */
export function createPool(options: object): Pool {
  return Reflect.construct(shared.constructor as new () => Pool, [options]);
}

import type { IdempotencyStore } from '../../../src/webhooks';
import type { Library } from '../library';
import { SUBJECT } from '../world/notification';
import type { SharedStore, World } from '../world/world';
import { overNetwork } from './over-network';

/**
 * The library’s own in-memory store. With the world’s clock it represents a store on a server that several processes
 * share. With `ownClock` it uses the clock of its process, as MemoryStore does in production.
 */
export function memoryStore(library: Library, { change = (store) => store, ownClock = false }: Setup = {}) {
  return (world: World): SharedStore => {
    // Few entries, because each path makes a new world.
    const clock = ownClock ? undefined : () => world.now;
    const memory = world.begin(() => new library.MemoryStore({ maxEntries: 4, clock }));
    const inner = change(memory, world);
    return {
      store: overNetwork(world, inner),
      look: async () => {
        const claim = world.begin(() => inner.claim(SUBJECT, 'a look', 1));
        const answer = await Promise.race([
          claim,
          new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined))),
        ]);
        // A store that takes more than one step cannot answer here, so the ledger answers for it.
        if (answer === undefined)
          return { held: world.ledger.leaseLives(world.now), done: world.ledger.done };
        if (answer.status === 'claimed') return { held: false, done: answer.handledStates };
        return { held: true, done: world.ledger.done };
      },
    };
  };
}

interface Setup {
  readonly change?: Change;
  readonly ownClock?: boolean;
}

/** Puts a fault between the handler and the store, or into the store. */
export type Change = (store: IdempotencyStore<unknown>, world: World) => IdempotencyStore<unknown>;

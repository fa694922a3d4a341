import type { IdempotencyStore } from '../../../src/webhooks';
import type { Library } from '../library';
import { SUBJECT } from '../world/notification';
import type { SharedStore, World } from '../world/world';
import { overNetwork } from './over-network';

/** Stands for a store on a server: the library's own in-memory store, which several processes share. */
export function memoryStore(library: Library, change: Change = (store) => store) {
  return (world: World): SharedStore => {
    // Few entries, because a world is made for each path.
    const memory = new library.MemoryStore({ maxEntries: 4, clock: () => world.now });
    const inner = change(memory, world);
    return {
      store: overNetwork(world, inner),
      look: async () => {
        const answer = await inner.claim(SUBJECT, 'a look', 1);
        if (answer.status === 'claimed') return { held: false, done: answer.handledStates };
        return { held: true, done: world.ledger.done };
      },
    };
  };
}

/** A fault between the handler and the store, or in the store. */
export type Change = (store: IdempotencyStore<unknown>, world: World) => IdempotencyStore<unknown>;

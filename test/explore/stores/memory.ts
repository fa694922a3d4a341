import type { IdempotencyStore } from '../../../src/webhooks';
import type { Library } from '../library';
import { SUBJECT } from '../world/notification';
import type { SharedStore, World } from '../world/world';
import { overNetwork } from './over-network';

/**
 * The library's own in-memory store. With a clock of its own it stands for a store on a server, which several processes
 * share; with the process's clock it is what it is.
 */
export function memoryStore(library: Library, { change = (store) => store, ownClock = false }: Setup = {}) {
  return (world: World): SharedStore => {
    // Few entries, because a world is made for each path.
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
        // A store that takes more than one step has been told apart by then.
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

/** A fault between the handler and the store, or in the store. */
export type Change = (store: IdempotencyStore<unknown>, world: World) => IdempotencyStore<unknown>;

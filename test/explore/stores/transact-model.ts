import type { IdempotencyStore, Transact } from '../../../src/webhooks';
import type { Delivery } from '../world/types';
import type { SharedStore, World } from '../world/world';

/** The mistakes that a seeded fault may make in a transaction. */
export interface Faults {
  readonly lockNotTaken?: boolean;
  readonly rollbackForgotten?: boolean;
  readonly commitNotAwaited?: boolean;
  readonly commitFailureIgnored?: boolean;
  readonly recordedAfterCommit?: boolean;
  readonly recordedBeforeWork?: boolean;
  readonly effectOutside?: boolean;
  readonly commitsAfterThrow?: boolean;
}

/** A transaction on the server. It ends by a commit, a rollback, or the loss of its connection. */
interface Transaction {
  readonly delivery: Delivery;
  readonly writes: string[];
  records: string | undefined;
  ended: boolean;
}

/**
 * A store with `transact` over a server in memory. Begin, lock, claim, work, completion and commit are separate
 * steps, each of which may be carried out without an answer, or never. The handler’s `act-in-transaction.ts` runs
 * unchanged on top.
 */
export function transactModel(faults: Faults = {}) {
  return (world: World): SharedStore => {
    const server = new Server((delivery, rolledBack) => world.ledger.ended(delivery, world.now, rolledBack));
    const refuse = async (): Promise<never> => {
      throw new Error('transactional only');
    };
    const store: IdempotencyStore<unknown> = {
      claim: refuse,
      complete: refuse,
      release: refuse,
      transact: transactOver(world, server, faults),
    };
    return {
      store,
      write: (transaction, { grant }) =>
        world.send('write', async () => server.write(transaction as Transaction, grant.state, faults)),
      effectsOf: (state) => server.effects.filter((effect) => effect === state).length,
      isRecorded: (state) => server.done.includes(state),
      connectionLost: (delivery) => {
        const open = server.transactions.filter((other) => other.delivery === delivery && !other.ended);
        for (const transaction of open) {
          world.sendUnattended('lost connection, which the server notices', delivery, async () =>
            server.end(transaction),
          );
        }
      },
      outlast: async () => {
        // The server’s own timeouts end transactions whose callbacks have not ended by then.
        const held = ({ delivery }: Transaction) =>
          world.ledger.runs.some((run) => run.delivery === delivery && !run.ended);
        for (const transaction of server.transactions.filter(held)) server.end(transaction);
      },
      fingerprint: () => server.state(),
    };
  };
}

class Server {
  readonly transactions: Transaction[] = [];
  readonly done: string[] = [];
  readonly effects: string[] = [];
  lock: Transaction | undefined;
  #lastFence = 0;
  readonly #onEnd: (delivery: Delivery, rolledBack: boolean) => void;

  constructor(onEnd: (delivery: Delivery, rolledBack: boolean) => void) {
    this.#onEnd = onEnd;
  }

  begin(delivery: Delivery): Transaction {
    const transaction: Transaction = { delivery, writes: [], records: undefined, ended: false };
    this.transactions.push(transaction);
    return transaction;
  }

  takeLock(transaction: Transaction): boolean {
    this.#check(transaction);
    if (this.lock !== undefined) return false;
    this.lock = transaction;
    return true;
  }

  claim(transaction: Transaction, state: string) {
    this.#check(transaction);
    if (this.done.includes(state)) return undefined;
    this.#lastFence += 1;
    return { fence: this.#lastFence, handledStates: [...this.done] };
  }

  write(transaction: Transaction, effect: string, { effectOutside }: Faults): void {
    if (effectOutside) {
      this.effects.push(effect);
      return;
    }
    this.#check(transaction);
    transaction.writes.push(effect);
  }

  record(transaction: Transaction, state: string): void {
    this.#check(transaction);
    transaction.records = state;
  }

  commit(transaction: Transaction): void {
    this.#check(transaction);
    this.effects.push(...transaction.writes);
    if (transaction.records !== undefined) this.done.push(transaction.records);
    this.end(transaction);
  }

  end(transaction: Transaction, rolledBack = false): void {
    transaction.ended = true;
    this.#onEnd(transaction.delivery, rolledBack);
    if (this.lock === transaction) this.lock = undefined;
  }

  state(): unknown {
    const open = this.transactions.filter(({ ended }) => !ended);
    return [
      this.done,
      this.effects,
      this.lock?.delivery.name,
      open.map(({ delivery, writes, records }) => [delivery.name, writes, records]),
    ];
  }

  #check(transaction: Transaction): void {
    if (transaction.ended) throw new Error('there is no transaction');
  }
}

function transactOver(world: World, server: Server, faults: Faults): Transact<unknown> {
  return async ({ subject, state }, work) => {
    const { delivery } = world;
    const transaction = await world.send('begin', async () => server.begin(delivery));
    const step = <Value>(name: string, run: () => Value) => world.send(name, async () => run());
    const rollBack = () => step('rollback', () => server.end(transaction, true));
    try {
      const locked = await step('lock', () => faults.lockNotTaken || server.takeLock(transaction));
      if (!locked) {
        await rollBack();
        return { status: 'busy' };
      }
      const claim = await world.send(
        'claim',
        async () => server.claim(transaction, state),
        (made) => {
          world.note(made === undefined ? 'done' : `claimed, with the fence ${made.fence}`);
          if (made !== undefined) world.ledger.begun(delivery, state, made, world.now);
        },
      );
      if (claim === undefined) {
        if (!faults.rollbackForgotten) await rollBack();
        return { status: 'done' };
      }
      if (faults.recordedBeforeWork) {
        await step('completion', () => server.done.push(state));
      }
      try {
        await work(transaction, { subject, state, token: `${delivery.name} ${claim.fence}`, ...claim });
      } catch (error) {
        if (!faults.commitsAfterThrow) throw error;
        server.record(transaction, state);
        await step('commit', () => server.commit(transaction));
        throw error;
      }
      if (!faults.recordedAfterCommit) await step('completion', () => server.record(transaction, state));
      const commit = step('commit', () => server.commit(transaction));
      if (faults.commitNotAwaited) commit.catch(() => {});
      else await commit.catch((error) => faults.commitFailureIgnored || Promise.reject(error));
      if (faults.recordedAfterCommit) await step('completion', () => server.done.push(state));
      return { status: 'completed' };
    } catch (error) {
      // On a lost connection the rollback fails too, and the server ends the transaction.
      if (!faults.rollbackForgotten) await rollBack().catch(() => {});
      throw error;
    }
  };
}

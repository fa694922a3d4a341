import type { Store } from 'pix-automatic-sdk/stores';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';
import type { NewDeadLetter } from '../../src/stores/dead-letters';
import { lettersOver } from '../../src/stores/letters';
import {
  type Claim,
  type RecordSteps,
  type SingleRecords,
  STEPS,
  type StoreSteps,
  stepsOf,
  type Transact,
} from '../../src/stores/steps';
import { type FakeTransact, fakeTransact } from '../helpers/fake-transact';

type LetterStep = 'keep' | 'read' | 'fail' | 'note' | 'forget' | 'deliver';

/** A memory store that notes its operations, and can be made to fail. */
export class WatchedStore implements Store<undefined> {
  readonly steps: string[] = [];
  readonly leases: number[] = [];
  readonly retentions: number[] = [];
  readonly claims: Claim[] = [];
  /** Each replaces the next operation of its name; calling its argument does that operation after all. */
  readonly faults: {
    [Step in 'claim' | 'complete' | 'release']: ((go: () => Promise<unknown>) => unknown)[];
  } = { claim: [], complete: [], release: [] };
  /** Its dead letters: the steps on them, and faults that stay. */
  readonly letters = {
    steps: [] as LetterStep[],
    faults: {} as { [Step in LetterStep]?: (() => Promise<unknown>) | undefined },
    /** Puts an entry there, past the handler. */
    put: (entry: NewDeadLetter, retentionMs = 1_000_000) => this.#store.keepLetter(entry, retentionMs),
    list: () => this.#store.listLetters({ limit: 100 }),
    keys: async () => (await this.letters.list()).map(({ key }) => key),
  };
  readonly #store: StoreSteps<undefined>;
  readonly createTable = async () => {};
  readonly createTableSql = () => '';
  readonly deleteExpired = async () => 0;
  readonly transact: Transact<undefined> | undefined;

  constructor(store = new MemoryStore(), transact?: FakeTransact<undefined>) {
    this.transact = transact && fakeTransact(transact);
    this.#store = stepsOf(store);
  }

  get [STEPS](): StoreSteps<undefined> {
    const store = this.#store;
    return {
      ...store,
      transact: this.transact,
      claim: (subject, state, limits) => {
        this.leases.push(limits.leaseMs);
        return this.#step('claim', async () => {
          const result = await store.claim(subject, state, limits);
          if (result.status === 'claimed') this.claims.push(result);
          return result;
        });
      },
      complete: (claim, limits) => {
        this.retentions.push(limits.retentionMs);
        return this.#step('complete', () => store.complete(claim, limits));
      },
      release: (claim) => this.#step('release', () => store.release(claim)),
      keepLetter: (...given) => this.#onLetters('keep', () => store.keepLetter(...given)),
      recordDelivery: (...given) => this.#onLetters('deliver', () => store.recordDelivery(...given)),
      failLetter: (...given) => this.#onLetters('fail', () => store.failLetter(...given)),
      readLetter: (...given) => this.#onLetters('read', () => store.readLetter(...given)),
      noteLetter: (...given) => this.#onLetters('note', () => store.noteLetter(...given)),
      forgetLetter: (...given) => this.#onLetters('forget', () => store.forgetLetter(...given)),
    };
  }

  async #onLetters<T>(step: LetterStep, go: () => Promise<T>): Promise<T> {
    this.letters.steps.push(step);
    await this.letters.faults[step]?.();
    return go();
  }

  #step<T>(name: keyof WatchedStore['faults'], go: () => Promise<T>): Promise<T> {
    this.steps.push(name);
    const fault = this.faults[name].shift();
    return fault === undefined ? go() : (fault(go) as Promise<T>);
  }
}

/** The records of orders in a transaction that has none. */
const none: RecordSteps = {
  readRecord: async () => ({ value: undefined, version: 0, now: 0 }),
  writeRecord: async () => false,
  changeRecord: async () => undefined,
};
export const noOrders: SingleRecords = { ...none, ...lettersOver(none) };

/** A transaction that always commits. */
export const committing: FakeTransact<undefined> = async ({ subject, state }, work) => {
  await work(undefined, { subject, state, token: 't', fence: 1, handledStates: [] }, noOrders);
  return { status: 'completed' };
};

/** Another delivery has the subject. */
export const busy = async () => ({ status: 'busy' });

import { setTimeout as sleep } from 'node:timers/promises';
import { deferred } from '../helpers/deferred';

/** Between two sends, so that the store’s clock moves on. */
const MOMENT_MS = 5;

/** What can go wrong between a store and its server. */
export type Fault =
  | 'fails before it is sent'
  | 'loses its reply'
  | 'hangs before it is sent'
  | 'hangs before its reply'
  | 'is sent twice'
  | 'is sent late'
  | 'gets a garbled reply';

/** Makes a client’s next call go wrong. The client is wrapped so that its calls go through `apply`. */
export class Faults {
  #next: Fault | undefined;
  #skip: number;
  readonly #hangs = deferred<'hanging'>();
  readonly #sends = deferred();
  /** Resolves when a call hangs. */
  readonly hanging = this.#hangs.promise;
  /** Sends the call that is late. */
  readonly send = this.#sends.resolve;

  /** @param skip - how many calls go well before: a claim reads first, then writes */
  constructor(next: Fault, skip = 0) {
    this.#next = next;
    this.#skip = skip;
  }

  async apply(call: () => Promise<unknown>, garbled: unknown): Promise<unknown> {
    this.#skip -= 1;
    const fault = this.#skip < 0 ? this.#next : undefined;
    if (fault !== undefined) this.#next = undefined;

    if (fault === 'fails before it is sent') throw new Error('injected: not sent');
    if (fault === 'hangs before it is sent') return this.#hang();
    if (fault === 'is sent late') {
      this.#hangs.resolve('hanging');
      await this.#sends.promise;
    }
    const reply = await call();
    if (fault === 'loses its reply') throw new Error('injected: reply lost');
    if (fault === 'hangs before its reply') return this.#hang();
    if (fault === 'gets a garbled reply') return garbled;
    if (fault !== 'is sent twice') return reply;
    await sleep(MOMENT_MS);
    return call();
  }

  #hang(): Promise<never> {
    this.#hangs.resolve('hanging');
    return new Promise(() => {});
  }
}

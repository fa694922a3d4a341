import { setTimeout as sleep } from 'node:timers/promises';

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
  next: Fault | undefined;
  /** How many calls go well before that: a claim reads first, then writes. */
  skip = 0;
  /** Sends the call that is late. */
  send: () => void = () => {};

  /** Resolves when a call hangs. */
  readonly hanging: Promise<'hanging'>;
  #hangs: (value: 'hanging') => void = () => {};

  constructor() {
    this.hanging = new Promise((resolve) => {
      this.#hangs = resolve;
    });
  }

  async apply(call: () => Promise<unknown>, garbled: unknown): Promise<unknown> {
    switch (this.#take()) {
      case 'fails before it is sent':
        throw new Error('injected: not sent');
      case 'loses its reply':
        await call();
        throw new Error('injected: reply lost');
      case 'hangs before it is sent':
        return this.#hang();
      case 'hangs before its reply':
        await call();
        return this.#hang();
      case 'is sent late':
        await new Promise<void>((resolve) => {
          this.send = resolve;
          this.#hangs('hanging');
        });
        return call();
      case 'is sent twice': {
        await call();
        await sleep(MOMENT_MS);
        return call();
      }
      case 'gets a garbled reply':
        await call();
        return garbled;
      default:
        return call();
    }
  }

  #hang(): Promise<never> {
    this.#hangs('hanging');
    return new Promise(() => {});
  }

  #take(): Fault | undefined {
    if (this.next !== undefined && this.skip > 0) {
      this.skip -= 1;
      return undefined;
    }
    const fault = this.next;
    this.next = undefined;
    return fault;
  }
}

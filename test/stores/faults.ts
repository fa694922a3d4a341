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
  | 'gets a garbled reply';

/** Makes a client’s next call go wrong. The client is wrapped so that its calls go through `apply`. */
export class Faults {
  next: Fault | undefined;

  /** Resolves when a call hangs. */
  readonly hanging: Promise<'hanging'>;
  #hangs: (value: 'hanging') => void = () => {};

  /** Both replies to a call that was sent twice. */
  replies: readonly unknown[] = [];

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
      case 'is sent twice': {
        const first = await call();
        await sleep(MOMENT_MS);
        this.replies = [first, await call()];
        return this.replies[1];
      }
      case 'gets a garbled reply':
        await call();
        return garbled;
      default:
        return call();
    }
  }

  /** For clients that answer synchronously, and so never hang. */
  applySync(call: () => unknown, garbled: unknown): unknown {
    switch (this.#take()) {
      case 'fails before it is sent':
        throw new Error('injected: not sent');
      case 'loses its reply':
        call();
        throw new Error('injected: reply lost');
      case 'is sent twice': {
        const first = call();
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MOMENT_MS);
        this.replies = [first, call()];
        return this.replies[1];
      }
      case 'gets a garbled reply':
        call();
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
    const fault = this.next;
    this.next = undefined;
    return fault;
  }
}

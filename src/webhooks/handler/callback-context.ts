import type { WebhookContext } from './options';

/** What a callback learns beside the notification, with a signal that is made when it is asked for. */
export class CallbackContext implements WebhookContext<unknown> {
  declare readonly signal: AbortSignal;
  #controller: AbortController | undefined;
  #expired: unknown;

  constructor(
    readonly key: string,
    readonly handledStates: readonly string[],
    readonly credentialIndex: number,
    readonly fence: number,
    readonly transaction: unknown,
  ) {
    Object.defineProperty(this, 'signal', CallbackContext.#signal);
  }

  /** Fires the signal, also when it is asked for later. */
  expire(reason: unknown): void {
    this.#expired = reason;
    this.#controller?.abort(reason);
  }

  /**
   * A property of each context, so that a copy of it has one; and one descriptor for all: a getter in an object literal
   * is another function each time, for which the engine makes a slow object.
   */
  static readonly #signal: PropertyDescriptor & ThisType<CallbackContext> = {
    enumerable: true,
    configurable: true,
    get() {
      this.#controller ??= new AbortController();
      if (this.#expired !== undefined) this.#controller.abort(this.#expired);
      return this.#controller.signal;
    },
  };
}

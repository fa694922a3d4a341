import type { WebhookContext } from './options';

/** The state behind the signal. A symbol, not a private field, so that proxies and inheriting objects have it too. */
const STATE = Symbol('signal');

/** What a callback gets besides the notification. The signal is created when it is first read. */
export class CallbackContext implements WebhookContext<unknown> {
  declare readonly signal: AbortSignal;
  readonly [STATE]: { controller?: AbortController; expired?: unknown } = {};

  constructor(
    readonly key: string,
    readonly handledStates: readonly string[],
    readonly credentialIndex: number,
    readonly fence: number,
    readonly transaction: unknown,
  ) {
    Object.defineProperty(this, 'signal', SIGNAL);
  }

  /** Fires the signal, even if it is first read later. */
  expire(reason: unknown): void {
    this[STATE].expired = reason;
    this[STATE].controller?.abort(reason);
  }
}

/**
 * An own property of each context, so that a copy of the context has it too. All contexts share this descriptor,
 * because a getter in an object literal would be a new function each time, and the engine would make a slow object for
 * it.
 */
const SIGNAL: PropertyDescriptor & ThisType<CallbackContext> = {
  enumerable: true,
  configurable: true,
  get() {
    const state = this[STATE];
    state.controller ??= new AbortController();
    if (state.expired !== undefined) state.controller.abort(state.expired);
    return state.controller.signal;
  },
};

import type { WebhookContext } from './options';

/** What the signal comes of. Under a symbol, not private: a proxy of the context, or what inherits from it, has it too. */
const STATE = Symbol('signal');

/** What a callback learns beside the notification, with a signal that is made when it is asked for. */
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

  /** Fires the signal, also when it is asked for later. */
  expire(reason: unknown): void {
    this[STATE].expired = reason;
    this[STATE].controller?.abort(reason);
  }
}

/**
 * A property of each context, so that a copy of it has one; and one descriptor for all: a getter in an object literal is
 * another function each time, for which the engine makes a slow object.
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

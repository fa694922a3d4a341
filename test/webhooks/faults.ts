import { deferred } from '../helpers/deferred';

// Functions that fail, hang or wait: callbacks, or operations of a store.

/** Does the operation and loses its reply. */
export const loseReply = async (go: () => Promise<unknown>) => {
  await go();
  throw new Error('injected: reply lost');
};

export const fail = async () => {
  throw new Error('injected: store failed, CPF 52998224725');
};

export const hang = () => new Promise<never>(() => undefined);

/** What is thrown, so that its class and its text can both be looked at. */
export function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return 'nothing was thrown';
}

/** A function that throws. */
export const throwing = (error: unknown) => (): never => {
  throw error;
};

/** A callback, or another function, that waits until it is let go. */
export function gate() {
  const { promise, resolve } = deferred();
  return { wait: (..._: unknown[]) => promise, open: resolve };
}

/** A bug in the merchant's callbacks: they throw until it is fixed. */
export function createBug(error: unknown = new Error('bug')) {
  let isFixed = false;
  const fix = () => {
    isFixed = true;
  };
  const breaks = <Given extends unknown[]>(act: (...given: Given) => unknown = () => undefined) => {
    return async (...given: Given) => (isFixed ? act(...given) : throwing(error)());
  };
  return { fix, breaks };
}

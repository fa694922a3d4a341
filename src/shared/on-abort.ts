/** The callbacks that wait for a signal, and the one listener that calls them. */
interface Subscription {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const subscriptions = new WeakMap<AbortSignal, Subscription>();

/**
 * Calls back when the signal fires, until the returned function is called.
 *
 * All calls that share a signal share one listener: at the eleventh, Node warns of a leak. Nothing stays attached to a
 * signal that outlives its calls, which `AbortSignal.any` does not promise.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const { callbacks, listener } = subscriptionTo(signal);
  if (callbacks.size === 0) signal.addEventListener('abort', listener);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    try {
      if (callbacks.size === 0) signal.removeEventListener('abort', listener);
    } catch {
      // A double of a signal. A listener that stays calls nobody, and must not hide the result of a call.
    }
  };
}

function subscriptionTo(signal: AbortSignal): Subscription {
  const known = subscriptions.get(signal);
  if (known !== undefined) return known;
  const callbacks = new Set<() => void>();
  const subscription = {
    callbacks,
    listener: () => {
      for (const callback of [...callbacks]) callback();
    },
  };
  subscriptions.set(signal, subscription);
  return subscription;
}

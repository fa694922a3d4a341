import { StoreError } from '../errors';

/** The promise's result, or an error once `timeoutMs` have passed. What the promise does later is `ignored`. */
export async function within<Value>(
  timeoutMs: number,
  promise: Promise<Value>,
  message: string,
  ignored: (value: Value) => void = () => {},
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let late = false;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      late = true;
      promise.then(ignored, () => {});
      reject(new TimeLimitError(message));
    }, timeoutMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    if (!late) clearTimeout(timer);
  }
}

/** Whether the promise is settled, one way or the other, within this time. */
export async function settlesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Tells a connection that still works on something from one that answered. */
export class TimeLimitError extends StoreError {}

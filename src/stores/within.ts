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

/** Tells a connection that still works on something from one that answered. */
export class TimeLimitError extends StoreError {}

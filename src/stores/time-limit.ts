import { StoreError } from '../errors';
import { TIMED_OUT, within } from '../shared/time';

/** Tells a connection that still works on something from one that answered. */
export class TimeLimitError extends StoreError {}

/** The promise's result, or a `TimeLimitError` once `timeoutMs` have passed. What the promise gives later is `ignored`. */
export async function withTimeLimit<Value>(
  timeoutMs: number,
  promise: Promise<Value>,
  message: string,
  ignored: (value: Value) => void = () => {},
): Promise<Value> {
  const value = await within(timeoutMs, promise);
  if (value !== TIMED_OUT) return value;
  promise.then(ignored, () => {});
  throw new TimeLimitError(message);
}

/** Whether the promise is settled, one way or the other, within this time. */
export async function settlesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return (await within(ms, settled)) === true;
}

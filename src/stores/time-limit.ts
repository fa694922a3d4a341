import { StoreError } from '../errors';
import { TIMED_OUT, within } from '../shared/time';

/** No answer within the limit: the connection may still be working on the statement. */
export class TimeLimitError extends StoreError {}

/** Returns the promise's result, or throws a `TimeLimitError` after `timeoutMs`; a later result goes to `ignored`. */
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

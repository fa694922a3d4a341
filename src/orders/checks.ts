import { InvalidRequestError } from '../errors/argument-errors';
import { nameOfType } from '../shared/objects';

// What calls refuse, before anything is sent.

/** What a call throws for what it is given. */
export function refusedCall(call: string, path: string, message: string): InvalidRequestError {
  return refused(`The call of ${call}`, path, message);
}

/** What is thrown for one field of what is given. */
export function refused(what: string, path: string, message: string): InvalidRequestError {
  return new InvalidRequestError(what, [{ path: [path], message }]);
}

const MAX_ORDER_KEY_LENGTH = 200;

/** @throws `InvalidRequestError` for a key that a database would refuse, or not tell from another one */
export function checkOrderKey(call: string, key: string): void {
  const isKey =
    typeof key === 'string' &&
    key.length <= MAX_ORDER_KEY_LENGTH &&
    /^[^\p{C}]+$/u.test(key) &&
    key.trim() === key;
  if (isKey) return;
  const expected =
    `a text of 1 to ${MAX_ORDER_KEY_LENGTH} characters, ` +
    'without control characters, and without spaces at its ends';
  const message =
    typeof key === 'string' ? `expected ${expected}` : `expected a text, got ${nameOfType(key)}: ${expected}`;
  throw refusedCall(call, 'orderKey', message);
}

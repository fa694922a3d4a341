import { ConfigurationError } from '../errors';
import { ownOptions } from '../shared/objects';
import { LONGEST_TIMER_MS } from '../shared/time';

/** 300 years: longer than any lease or retention, and small enough to add to a clock without losing milliseconds. */
const MAX_DURATION_MS = 1e13;

/**
 * Returns a number above 0 and at most `most`.
 *
 * @throws `ConfigurationError` for anything else
 */
export function checkPositive(name: string, value: number, most: number = LONGEST_TIMER_MS): number {
  if (typeof value === 'number' && value > 0 && value <= most) return value;
  throw notNumber(name, `a number above 0 and at most ${most}`);
}

/**
 * Returns the duration in whole milliseconds, rounded up; refuses `NaN`, `Infinity`, zero, negatives and strings.
 *
 * @param most - `LONGEST_TIMER_MS` where a timer waits for it
 */
export function checkDuration(name: string, value: number, most: number = MAX_DURATION_MS): number {
  return Math.ceil(checkPositive(name, value, most));
}

/** Checks a whole number from 1 to `most`. */
export function checkCount(name: string, value: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw notNumber(name, `a whole number from 1 to ${most}, or left out for the default`);
}

function notNumber(name: string, expected: string): ConfigurationError {
  return new ConfigurationError(
    `Expected \`${name}\` to be ${expected}. Text from the environment needs \`Number(…)\`.`,
  );
}

/**
 * The caller's own options, as `ownOptions`.
 *
 * @throws `ConfigurationError` if one cannot be read; what its getter threw may quote a credential
 */
export function readOptions<Options extends object>(options: Options | null | undefined): Options {
  try {
    return ownOptions(options);
  } catch {
    throw new ConfigurationError('An option cannot be read: a getter of the options object threw an error.');
  }
}

/** Refuses anything but a function; `shape` shows what to pass, such as `(event) => void`. */
export function checkFunction(name: string, value: unknown, shape: string): void {
  if (typeof value !== 'function') {
    throw new ConfigurationError(`Expected \`${name}\` to be a function: \`${shape}\`.`);
  }
}

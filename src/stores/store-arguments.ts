import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { ConfigurationError } from '../errors';
import type { ParkedQuery } from './parked';

/** 300 years: longer than any lease or retention, and small enough to add to a clock without losing milliseconds. */
const MAX_DURATION_MS = 1e13;

/** How many states of a subject a store remembers, the newest ones, so that a flood of states never fills it. */
export const MAX_STATES = 64;

/**
 * The longest state that a store keeps as it is. A longer one is rare: the parser allows each part 512 characters, but
 * percent-encoding and joining the parts can add to that.
 */
export const MAX_STATE_LENGTH = 512;

const HASHED = 'sha256:';

/**
 * Returns the duration in whole milliseconds, rounded up; refuses `NaN`, `Infinity`, zero, negatives and strings.
 *
 * @param most - `LONGEST_TIMER_MS` where a timer waits for it
 */
export function checkDuration(name: string, value: number, most: number = MAX_DURATION_MS): number {
  if (typeof value === 'number' && value > 0 && value <= most) return Math.ceil(value);
  throw new ConfigurationError(
    `Expected ${name} to be a positive number of milliseconds, up to ${most}. ` +
      'Check that it is not a text from the environment, which needs Number(…).',
  );
}

/** Checks a whole number from 1 to `most`. */
export function checkCount(name: string, value: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw new ConfigurationError(
    `Expected ${name} to be a whole number from 1 to ${most}. Leave it out for the default.`,
  );
}

/** Returns the query with its defaults, and `since` as a whole number. Refuses an empty key: it does not mean any. */
export function checkParkedQuery({ since = 0, limit = 100, key }: ParkedQuery) {
  if (typeof since !== 'number' || Number.isNaN(since)) {
    throw new ConfigurationError('Expected since to be a number of milliseconds since 1970: date.getTime().');
  }
  if (key === '') {
    throw new ConfigurationError(
      'Expected key to be the key of a notification. Leave it out for all of them.',
    );
  }
  const sinceMs = Math.min(Math.max(0, Math.ceil(since)), Number.MAX_SAFE_INTEGER);
  return { since: sinceMs, limit: checkCount('limit', limit), key };
}

/** Returns the text, or its hash if it is longer than `maxLength` or looks like a hash itself. */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength && !text.startsWith(HASHED) ? text : hashed(text);
}

/** Different texts have different hashes. */
export function hashed(text: string): string {
  // JSON escapes unpaired surrogates; encoded as UTF-8, they would all become U+FFFD.
  return HASHED + bytesToHex(sha256(utf8ToBytes(JSON.stringify(text))));
}

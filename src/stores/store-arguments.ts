import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { ConfigurationError } from '../errors';
import { checkCount } from '../values/option-checks';
import type { ParkedQuery } from './parked';

/** How many states of a subject a store remembers, the newest ones, so that a flood of states never fills it. */
export const MAX_STATES = 64;

/**
 * The longest state that a store keeps as it is. A longer one is rare: the parser allows each part 512 characters, but
 * percent-encoding and joining the parts can add to that.
 */
export const MAX_STATE_LENGTH = 512;

const HASHED = 'sha256:';

/** Returns the query with its defaults, and `since` as a whole number. Refuses an empty key: it does not mean any. */
export function checkParkedQuery({ since = 0, limit = 100, key }: ParkedQuery) {
  if (typeof since !== 'number' || Number.isNaN(since)) {
    throw new ConfigurationError(
      'Expected `since` to be a number of milliseconds since 1970: date.getTime().',
    );
  }
  if (key === '') {
    throw new ConfigurationError(
      'Expected `key` to be the key of a notification. Leave it out for all of them.',
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

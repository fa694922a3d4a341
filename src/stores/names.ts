import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** What databases cannot hold, or would change: NUL, and halves of surrogate pairs, which all become `U+FFFD`. */
const UNSTORABLE = /[\0\p{Cs}]/u;

/** Below what a PostgreSQL index row holds. */
const MAX_LENGTH = 500;

const HASHED = 'sha256:';
const QUOTED = '"';

/** The subject as a key: itself, or its hash where it is too long for an index or not storable as it is. */
export function storableSubject(subject: string): string {
  if (subject.length <= MAX_LENGTH && !UNSTORABLE.test(subject) && !subject.startsWith(HASHED))
    return subject;
  // JSON writes halves of surrogate pairs as escapes, so that different subjects stay different.
  return HASHED + bytesToHex(sha256(utf8ToBytes(JSON.stringify(subject))));
}

/** The state as it is stored: itself, or as JSON where it is not storable as it is. */
export function storableState(state: string): string {
  return UNSTORABLE.test(state) || state.startsWith(QUOTED) ? JSON.stringify(state) : state;
}

export function stateFromStored(stored: string): string {
  return stored.startsWith(QUOTED) ? JSON.parse(stored) : stored;
}

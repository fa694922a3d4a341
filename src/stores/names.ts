import { hashed, MAX_STATE_LENGTH, shortened } from './store-arguments';

/** What databases cannot hold, or would change: NUL, and halves of surrogate pairs, which all become `U+FFFD`. */
const UNSTORABLE = /[\0\p{Cs}]/u;

/** Below what a PostgreSQL index row holds. */
const MAX_SUBJECT_LENGTH = 500;

const QUOTED = '"';

/** The subject as a key: itself, or its hash where it is too long for an index or not storable as it is. */
export function storableSubject(subject: string): string {
  return UNSTORABLE.test(subject) ? hashed(subject) : shortened(subject, MAX_SUBJECT_LENGTH);
}

/** The state as it is stored: itself, its hash where it is long, or as JSON where it is not storable as it is. */
export function storableState(state: string): string {
  const short = shortened(state, MAX_STATE_LENGTH);
  return UNSTORABLE.test(short) || short.startsWith(QUOTED) ? JSON.stringify(short) : short;
}

export function stateFromStored(stored: string): string {
  return stored.startsWith(QUOTED) ? JSON.parse(stored) : stored;
}

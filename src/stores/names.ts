import { hashed, MAX_STATE_LENGTH, shortened } from './store-arguments';

/** Characters that a database refuses (NUL) or changes (an unpaired surrogate, which becomes `U+FFFD`). */
const UNSTORABLE = /[\0\p{Cs}]/u;

/** Short enough for a PostgreSQL index row. */
const MAX_SUBJECT_LENGTH = 500;

const QUOTED = '"';

/** Returns the subject as a key, or its hash if the subject is too long for an index or cannot be stored as it is. */
export function storableSubject(subject: string): string {
  return UNSTORABLE.test(subject) ? hashed(subject) : shortened(subject, MAX_SUBJECT_LENGTH);
}

/** Returns the state as stored: as it is, as a hash if it is long, or as JSON if it cannot be stored as it is. */
export function storableState(state: string): string {
  const short = shortened(state, MAX_STATE_LENGTH);
  return UNSTORABLE.test(short) || short.startsWith(QUOTED) ? JSON.stringify(short) : short;
}

export function stateFromStored(stored: string): string {
  return stored.startsWith(QUOTED) ? JSON.parse(stored) : stored;
}

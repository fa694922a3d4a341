import { InvalidNotificationError } from '../errors/listener-errors';
import { sha256Of } from '../shared/hash';
import { oneSpelling } from '../shared/uuid';

/** What a notification is about, and what it reports about that. */
export interface Identity {
  /** Kind and identity: `reversal:v-1`. One callback at a time runs for it. */
  readonly subject: string;
  /** What is reported about the subject: `PENDING`. Empty if a subject has only one notification. */
  readonly state: string;
  /** Both: `reversal:v-1:PENDING`. */
  readonly key: string;
}

/**
 * The key contains the state, because one reversal is notified as PENDING and as PAID; that both have its uuid is this
 * library's reading. The key of a refund contains the refund's own uuid, because the partial refunds of a sale share its
 * `saleToken`.
 *
 * @param kind - percent-encoded, if it is not a documented one
 * @param id - as it was received: a UUID counts in lower case
 * @param states - the parts of the state; none if a subject has only one notification
 */
export function identify(kind: string, id: string, states: readonly string[] = []): Identity {
  // Nearly every identity is a UUID in lower case, which is neither spelt otherwise nor encoded.
  const own = /[^a-z\d-]/.test(id) ? encodePart(oneSpelling(id)) : id;
  const subject = `${kind}:${own}`;
  // A loop: mapping and joining a list costs more than the rest of the key.
  let state = encodePart(states[0] ?? '');
  for (let part = 1; part < states.length; part++) state += `:${encodePart(String(states[part]))}`;
  return { subject, state, key: state === '' ? subject : `${subject}:${state}` };
}

/**
 * A body of unknown kind has no identity to read, so equal bodies, with their fields in the same order, count as the same
 * notification.
 *
 * @throws `InvalidNotificationError` for a body that is nested too deeply, or contains itself
 */
export function identifyUnrecognized(body: unknown): Identity {
  const text = jsonOf(body);
  if (text === undefined) {
    const issues = [{ path: [], message: 'expected a body that is not nested as deeply' }];
    throw new InvalidNotificationError('The body cannot be read.', { issues, body });
  }
  return identify('unrecognized', sha256Of(text));
}

/** The subject and the state that a key is made of: no part has the colon that separates them. */
export function partsOf(key: string): Pick<Identity, 'subject' | 'state'> {
  const [kind = '', id, ...states] = key.split(':');
  return { subject: id === undefined ? kind : `${kind}:${id}`, state: states.join(':') };
}

/** Percent-encodes a part, so that it cannot contain the colon that separates the parts. */
export function encodePart(part: string): string {
  // UUIDs and other states, which nearly all parts are, stay as they are.
  if (!/[^\w-]/.test(part)) return part;
  // An unpaired surrogate, which JSON can carry, has no percent-encoding. Percent-encoding never produces `%u`, so
  // different parts stay different.
  return part
    .split(/(\p{Surrogate})/u)
    .map((piece, index) =>
      index % 2 === 0 ? encodeURIComponent(piece) : `%u${piece.charCodeAt(0).toString(16)}`,
    )
    .join('');
}

/**
 * Returns `undefined` for a value that contains itself, and for one so deeply nested that it exhausts the stack.
 *
 * @param change - gives what to write in place of each value; `undefined` leaves it out
 */
export function jsonOf(value: unknown, change = (each: unknown): unknown => each): string | undefined {
  try {
    return JSON.stringify(value, (_, each) => withBigInts(change(each)));
  } catch (error) {
    // A `TypeError` means an object that contains itself, which only a program can make.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Some parsers read large numbers as BigInt, which JSON cannot write. */
function withBigInts(value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

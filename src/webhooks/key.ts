import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { InvalidNotificationError } from '../errors';

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
 * The key contains the state, because a reversal keeps its uuid from PENDING to PAID. The key of a refund contains the
 * refund's own uuid, because the partial refunds of a sale share its `saleToken`.
 *
 * @param kind - percent-encoded, if it is not a documented one
 * @param states - the parts of the state; none if a subject has only one notification
 */
export function identify(kind: string, id: string, states: readonly string[] = []): Identity {
  const subject = `${kind}:${encodePart(id)}`;
  // A loop: mapping and joining a list costs more than the rest of the key.
  let state = encodePart(states[0] ?? '');
  for (let part = 1; part < states.length; part++) state += `:${encodePart(String(states[part]))}`;
  return { subject, state, key: state === '' ? subject : `${subject}:${state}` };
}

/**
 * A body of unknown kind has no identity to read, so equal bodies count as the same notification. Their fields are
 * sorted, or left in the order received if there are more than 5,000 fields and items (see `canonicalJson`).
 *
 * @throws `InvalidNotificationError` for a body that is nested too deeply, or contains itself
 */
export function identifyUnrecognized(body: unknown): Identity {
  const text = canonicalJson(body);
  if (text === undefined) {
    const issues = [{ path: [], message: 'expected a body that is not nested as deeply' }];
    throw new InvalidNotificationError('The body cannot be read.', { issues, body });
  }
  return identify('unrecognized', bytesToHex(sha256(utf8ToBytes(text))));
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
 * Returns a JSON value as text that depends neither on the order of fields nor on white space. Returns `undefined` for
 * a value that contains itself, and for one so deeply nested that it could exhaust the stack.
 *
 * The sender decides how much there is to sort, so sorting has a limit: a value of more than {@link MAX_SORTED} fields
 * and items in all is written in the order it came in.
 */
function canonicalJson(value: unknown): string | undefined {
  try {
    return isSmall(value) ? write(value, MAX_DEPTH) : JSON.stringify(value, withBigInts);
  } catch (error) {
    // A `TypeError` means an object that contains itself, which only a program can make.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** How many values are sorted at most. Documented notifications have fewer than a hundred. */
const MAX_SORTED = 5_000;

const MAX_DEPTH = 200;

function isSmall(value: unknown): boolean {
  const found = [value];
  // The loop also visits the values that it adds.
  for (const each of found) {
    if (typeof each !== 'object' || each === null) continue;
    if (found.length + Object.keys(each).length > MAX_SORTED + 1) return false;
    found.push(...Object.values(each));
  }
  return true;
}

/** @throws `RangeError` for a value that is nested more deeply than so many levels */
function write(value: unknown, levels: number): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (levels === 0) throw new RangeError();
  if (Array.isArray(value)) return `[${value.map((item) => write(item, levels - 1)).join()}]`;
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${write(Reflect.get(value, name), levels - 1)}`);
  return `{${fields.join()}}`;
}

/** Some parsers read large numbers as BigInt, which JSON cannot write. */
function withBigInts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

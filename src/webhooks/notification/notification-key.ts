import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { InvalidNotificationError } from '../../errors';
import { canonicalJson } from './canonical-json';

/** What a notification is about, and what it reports of that. */
export interface Identity {
  /** Kind and identity: `reversal:v-1`. One callback at a time runs for it. */
  readonly subject: string;
  /** What is reported of the subject: `PENDING`. Empty where a subject has only one notification. */
  readonly state: string;
  /** Both: `reversal:v-1:PENDING`. */
  readonly key: string;
}

/**
 * The key has the state in it, because a reversal keeps its uuid from PENDING to PAID; and of a refund it has the
 * refund's own uuid, because the partial refunds of a sale share its `saleToken`.
 *
 * @param kind - percent-encoded, where it is not one of ours
 * @param state - percent-encoded, part by part
 */
export function identify(kind: string, id: string, state = ''): Identity {
  const subject = `${kind}:${encodePart(id)}`;
  return { subject, state, key: state === '' ? subject : `${subject}:${state}` };
}

/**
 * Without a kind there is no identity to read, and a body that is the same stands for the same notification: in sorted
 * order, or as it came when it has more than 5,000 fields and items (see `canonicalJson`).
 *
 * @throws `InvalidNotificationError` for a body nested deeper than any sensible one
 */
export function identifyUnrecognized(body: unknown): Identity {
  const text = canonicalJson(body);
  if (text === undefined) {
    const issues = [{ path: [], message: 'expected a body that is not nested as deeply' }];
    throw new InvalidNotificationError('The body cannot be read.', { issues, body });
  }
  return identify('unrecognized', bytesToHex(sha256(utf8ToBytes(text))));
}

/** Percent-encoded, so that no identity contains the colon between the parts. */
export function encodePart(part: string): string {
  // Nearly every notification reports one of these, which spares it the regular expression.
  if (part === 'PAID' || part === 'PENDING') return part;
  // UUIDs and other states, which nearly all parts are, stay as they are.
  if (!/[^\w-]/.test(part)) return part;
  // Half a surrogate pair, which JSON can carry, has no percent-encoding; `%u` cannot come out of one, so that two
  // different parts stay different.
  return part
    .split(/(\p{Surrogate})/u)
    .map((piece, index) =>
      index % 2 === 0 ? encodeURIComponent(piece) : `%u${piece.charCodeAt(0).toString(16)}`,
    )
    .join('');
}

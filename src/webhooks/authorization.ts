import { ConfigurationError } from '../errors/configuration-error';
import type { AuthorizationFailure } from '../errors/listener-errors';
import { CREDENTIALS, type Credentials } from '../service/credentials';
import { sha256Of } from '../shared/hash';
import { isObject, nameOfType } from '../shared/objects';
import { assertCredentials } from '../values/credentials';

/** The result of checking an `Authorization` header. */
export type AuthorizationCheck =
  | {
      /** The service sent it. */
      readonly ok: true;
      /** Which of the credentials matched; 0 when one pair was given. */
      readonly index: number;
    }
  | {
      /** Nothing proves that the service sent it. */
      readonly ok: false;
      /** For your log only: a response that gives the reason helps an attacker. */
      readonly reason: AuthorizationFailure;
    };

/**
 * Whether a notification's `Authorization` header proves that the service sent it (document section 5).
 *
 * The comparison takes the same time whatever the credentials are, and wherever the first difference is. With several
 * pairs, as during a rotation, all are compared.
 *
 * @param header - the value of the `Authorization` header
 * @param credentials - your pair, or every pair that is valid now
 * @throws `ConfigurationError` for credentials that cannot work: empty ones would let everybody in
 */
export function verifyAuthorization(
  header: string | null | undefined,
  credentials: Credentials | readonly Credentials[],
): boolean {
  return checkAuthorization(header, credentials).ok;
}

/**
 * Like {@link verifyAuthorization}, but also tells which credentials matched, or why none did.
 *
 * @throws `ConfigurationError` for credentials that cannot work
 */
export function checkAuthorization(
  header: string | null | undefined,
  credentials: Credentials | readonly Credentials[],
): AuthorizationCheck {
  return checkAgainst(header, encodeCredentials(credentials));
}

/**
 * The `Authorization` header of a notification (document section 5): `Basic` and the Base64 of key, colon and token.
 *
 * @throws `ConfigurationError` for credentials that cannot work
 */
export function basicAuthorization(credentials: Credentials): string {
  return `Basic ${encodePair(credentials).encoded}`;
}

/** A pair of credentials, with the Base64 part of the header that it makes. */
export interface EncodedPair extends Credentials, Encoded {}

interface Encoded {
  readonly encoded: string;
  /** The character codes of `encoded`, padded with zeros to a power of two; faster to read than the text. */
  readonly codes: Uint8Array;
}

/** Tells pairs apart, and tells nothing of them: 8 hexadecimal digits of a hash of key and token together. */
export function fingerprintOf({ encoded }: EncodedPair): string {
  return sha256Of(encoded).slice(0, 8);
}

export function encodeCredentials(credentials: Credentials | readonly Credentials[]): readonly EncodedPair[] {
  if (!Array.isArray(credentials)) return [encodePair(credentials as Credentials)];
  const pairs: readonly Credentials[] = credentials;
  if (pairs.length === 0) {
    throw new ConfigurationError(
      'Expected at least one pair of credentials: without any, every notification would be refused.',
    );
  }
  return pairs.map(encodePair);
}

const encodedPairs = new WeakMap<Credentials, EncodedPair>();

function encodePair(pair: Credentials): EncodedPair {
  const encoded = encodedPairs.get(pair);
  // Compare with what was encoded, because the caller may have changed the object since.
  if (encoded !== undefined && encoded.apiKey === pair.apiKey && encoded.apiToken === pair.apiToken)
    return encoded;
  const { apiKey, apiToken } = Object(pair) as Credentials;
  if (apiKey === undefined && apiToken === undefined) throw new ConfigurationError(noPair(pair));
  assertCredentials(pair);
  const pairWithCodes = { apiKey, apiToken, ...encode(apiKey, apiToken) };
  encodedPairs.set(pair, pairWithCodes);
  return pairWithCodes;
}

/** What to pass, where there is no pair at all. Never shows what was passed, which may be one in another form. */
function noPair(given: unknown): string {
  const isClient = typeof Object(given)[CREDENTIALS] === 'function';
  const got = isClient
    ? 'a `PaymentsClient`'
    : isObject(given)
      ? 'an object with neither'
      : nameOfType(given);
  return (
    `Expected \`credentials\` to be \`{ apiKey, apiToken }\` or a list of such pairs, got ${got}. ` +
    '`credentialsFromEnv()` reads them from PAYMENTS_API_KEY and PAYMENTS_API_TOKEN.'
  );
}

function encode(user: string, password: string): Encoded {
  const utf8 = new TextEncoder().encode(`${user}:${password}`);
  const encoded = btoa(String.fromCharCode(...utf8));
  const codes = new Uint8Array(2 ** Math.ceil(Math.log2(encoded.length)));
  new TextEncoder().encodeInto(encoded, codes);
  return { encoded, codes };
}

export function checkAgainst(
  header: string | null | undefined,
  expected: readonly EncodedPair[],
): AuthorizationCheck {
  const value = typeof header === 'string' ? header.trim() : '';
  if (value === '') return { ok: false, reason: 'missing' };
  if (!/^basic(?: |$)/i.test(value)) return { ok: false, reason: 'wrong-scheme' };
  let start = 'basic'.length;
  while (value.charCodeAt(start) === SPACE) start += 1;
  let index = -1;
  // Every pair is compared, so that the time does not tell which one is in use.
  for (let position = expected.length - 1; position >= 0; position -= 1) {
    if (equalsInConstantTime(value, start, expected[position] as EncodedPair)) index = position;
  }
  if (index !== -1) return { ok: true, index };
  return { ok: false, reason: isWellFormed(value.slice(start)) ? 'mismatch' : 'malformed' };
}

const SPACE = 0x20;

/**
 * Whether the rest of the header, from `start` on, is the Base64 of the pair. The time depends only on the length of
 * the received header, which the sender knows anyway.
 */
function equalsInConstantTime(header: string, start: number, { encoded, codes }: Encoded): boolean {
  const length = header.length - start;
  const lastIndex = codes.length - 1;
  let difference = length ^ encoded.length;
  for (let i = 0; i < length; i += 1) {
    // Mask the index so that it stays within the codes: reading beyond the end of an array is slower.
    difference |= header.charCodeAt(start + i) ^ (codes[i & lastIndex] as number);
  }
  return difference === 0;
}

/**
 * Whether a header that was refused has the token before the key of one of the pairs: `apiToken:apiKey`. Compared in the
 * same way, so that its time tells nothing about the pairs either.
 */
export function isSwapped(header: string | null | undefined, expected: readonly EncodedPair[]): boolean {
  const value = String(header)
    .trim()
    .replace(/^basic */i, '');
  const swapped = expected.map(({ apiKey, apiToken }) => encode(apiToken, apiKey));
  return swapped.filter((pair) => equalsInConstantTime(value, 0, pair)).length > 0;
}

/** Whether this is the Base64 of a text with a colon in it (RFC 7617). */
function isWellFormed(received: string): boolean {
  try {
    return /^[A-Za-z0-9+/]+={0,2}$/.test(received) && atob(received).includes(':');
  } catch {
    return false;
  }
}

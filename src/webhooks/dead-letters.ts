import { documentedKinds } from '../service/notifications';
import { isBytes, utf8 } from '../shared/bytes';
import type { LetterFailure, NewDeadLetter } from '../stores/dead-letters';
import { KEPT } from './kept';
import type { Identity } from './key';
import type { OrderLink } from './order-link';
import { readQuery } from './recognize';
import type { Failure } from './run-once';

/** A notification that could not be acted on. */
export interface Undelivered {
  readonly identity: Identity;
  readonly kind: string;
  /** As received: text, bytes, or what a parser has made of it. */
  readonly body: unknown;
  readonly url: string;
  /** The fingerprint of the pair of credentials that it came with. */
  readonly credential: string;
}

/**
 * Whether a failure is kept. What is busy, or was never begun because the store failed, needs no more than the next
 * delivery. A failure of the store after the callback has begun (500) may be the callback's own: an SQL error that it
 * swallowed, or a constraint that fails at the commit.
 */
export function isKept({ code, status }: Failure, orders: OrderLink | undefined): boolean {
  const isOne = KEPT.has(code) || orders?.endedBy(code) !== undefined;
  return isOne && (code !== 'store_failed' || status === 500);
}

/** Makes the entry for a failure. */
export function deadLetter(
  { identity: { key, subject, state }, kind, body, url, credential }: Undelivered,
  failure: Failure,
): NewDeadLetter {
  const entry = { key, subject, state, kind, body: textOf(body), url: flagsOf(url), credential };
  const hasStates = failure.code === 'sale_status' && { hasStates: true };
  return { ...entry, ...letterFailure(failure), ...hasStates };
}

/** What a letter says of a failure. */
export function letterFailure({ code, error, details, note }: Failure): LetterFailure {
  return {
    code,
    ...(error !== undefined && { errorName: nameOf(error) }),
    ...(details !== undefined && { about: details }),
    ...(note !== undefined && { note }),
  };
}

const FLAGS: readonly unknown[] = documentedKinds.map(({ flag }) => flag);

/** Drops all else of a URL: its path and the query parameters that are the merchant's own may be secrets. */
function flagsOf(url: string): string {
  const flags = [...readQuery({ url })].filter(([name, value]) =>
    FLAGS.includes(name === 'type' ? value : value === 'true' && name),
  );
  return flags.length === 0 ? '' : `?${new URLSearchParams(flags)}`;
}

/** Returns the body as received, or, if a parser has read it before the handler, as JSON. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (isBytes(body)) return utf8.decode(body);
  // The merchant's parser may read large numbers as BigInt, which JSON.stringify refuses.
  return JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** Never the message, which may quote personal data. */
function nameOf(error: unknown): string {
  const { name }: { readonly name?: unknown } = Object(error);
  return (typeof name === 'string' && name !== '' ? name : typeof error).slice(0, 100);
}

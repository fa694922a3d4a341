import { ConfigurationError } from '../errors';
import { documentedKinds } from '../service/notifications';
import { isBytes, utf8 } from '../shared/bytes';
import type { DeadLetter, NewDeadLetter } from '../stores/dead-letters';
import type { Result } from './act';
import type { Identity } from './key';
import { readQuery } from './parse';

/** Refuses anything but entries, such as the key or the selection that earlier versions took. */
export function checkEntries(entries: readonly DeadLetter[]): void {
  const isEntry = (entry: Partial<DeadLetter> | null) =>
    [entry?.key, entry?.subject, entry?.state, entry?.body, entry?.url].every(
      (field) => typeof field === 'string',
    );
  if (!Array.isArray(entries) || !entries.every(isEntry)) {
    throw new ConfigurationError(
      'Expected a list of dead letters: `handler.replay(await deadLetters.list({ limit: 10 }))`.',
    );
  }
}

/** A notification that could not be acted on. */
export interface Undelivered {
  readonly identity: Identity;
  readonly kind: string;
  /** As received: text, bytes, or what a parser has made of it. */
  readonly body: unknown;
  readonly url: string;
}

/**
 * Whether a failure is kept. What is busy, or was never begun because the store failed, needs no more than the next
 * delivery. A failure of the store after the callback has begun (500) may be the callback's own: an SQL error that it
 * swallowed, or a constraint that fails at the commit.
 */
export function isKept(result: Result): boolean {
  return KEPT_CODES.has(result.code) || (result.code === 'store_failed' && result.status === 500);
}

const KEPT_CODES: ReadonlySet<string> = new Set([
  'unhandled',
  'invalid_notification',
  'callback_failed',
  'callback_timeout',
  'not_confirmed',
  'confirm_failed',
  'lease_lost',
]);

/** Makes the entry for a failure. */
export function deadLetter(
  { identity: { key, subject, state }, kind, body, url }: Undelivered,
  result: Result,
): NewDeadLetter {
  const { code } = result;
  const error = 'error' in result ? result.error : undefined;
  const entry = { key, subject, state, kind, body: textOf(body), url: withFlagsOnly(url), code };
  return error === undefined ? entry : { ...entry, errorName: nameOf(error) };
}

const FLAGS: readonly unknown[] = documentedKinds.map(({ flag }) => flag);

/** Drops the query parameters that are the merchant's own: they may be secrets. */
function withFlagsOnly(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const flags = [...readQuery({ url })].filter(([name, value]) =>
    FLAGS.includes(name === 'type' ? value : value === 'true' && name),
  );
  return flags.length === 0 ? path : `${path}?${new URLSearchParams(flags)}`;
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

import { StoreError } from '../errors';

/** The rows in what a driver or an ORM gives: a list, `{ rows }`, or a list that begins with them. */
export function rowsIn(answer: unknown): readonly unknown[] | undefined {
  const rows: unknown = Array.isArray(answer) ? answer : Object(answer).rows;
  if (!Array.isArray(rows)) return undefined;
  return Array.isArray(rows[0]) ? rows[0] : rows;
}

export function unexpectedReply(step: string): StoreError {
  return new StoreError(
    `The store's client gave a reply to ${step} that its command never gives, so its outcome is unknown. ` +
      'Pass a plain client, without transformed replies, outside a pipeline or MULTI.',
  );
}

/** Proves that a claim, or an attempt of the journal, is one's own; new for each. */
export function newToken(): string {
  return globalThis.crypto.randomUUID();
}

import type { ClaimResult } from './idempotency-store';
import type { ParkedNotification } from './parked';
import { readClaim, readParked, unexpectedReply } from './replies';

/** Reads the rows of a claim in SQL. No row means that another claim won the race. */
export function readClaimRow(
  rows: unknown,
  asked: { readonly subject: string; readonly state: string; readonly token: string },
): ClaimResult {
  if (!Array.isArray(rows) || rows.length > 1) throw unexpectedReply('claim');
  if (rows.length === 0) return { status: 'busy' };
  const { status, token, fence, states } = record(rows[0]);
  return readClaim(
    { status, token, fence, states: typeof states === 'string' ? JSON.parse(states) : states },
    asked,
  );
}

/** What a transaction finds out before it claims. */
export interface TransactionStart {
  /** Whether the lock on the subject was free. */
  readonly locked: boolean;
  /** The table with its schema, quoted, as found by the connection's own search path. */
  readonly table: string;
  /** The role that the connection has: `'none'` for the one it logged in with. */
  readonly role: string;
}

export function readStart(rows: unknown): TransactionStart {
  const { locked, table, role } = Array.isArray(rows) ? record(rows[0]) : {};
  if (typeof locked !== 'boolean' || typeof table !== 'string' || typeof role !== 'string') {
    throw unexpectedReply('lock');
  }
  return { locked, table, role };
}

/** The transaction in which a claim was made. */
export function transactionOf(rows: unknown[]): string {
  const { transaction } = record(rows[0]);
  if (typeof transaction !== 'string') throw unexpectedReply('claim');
  return transaction;
}

/** Whether the step gave one row, with the claim's token. `false` for no row. */
export function isConfirmed(step: string, rows: unknown, token: string): boolean {
  if (!Array.isArray(rows) || rows.length > 1) throw unexpectedReply(step);
  if (rows.length === 0) return false;
  if (record(rows[0])['token'] !== token) throw unexpectedReply(step);
  return true;
}

/** The token of each row. */
export function tokensOf(rows: unknown): unknown[] {
  return Array.isArray(rows) ? rows.map((row) => record(row)['token']) : [];
}

/** Reads the rows of parked notifications. */
export function readParkedRows(rows: unknown): ParkedNotification[] {
  if (!Array.isArray(rows)) throw unexpectedReply('parked');
  return rows.map((row) => {
    const { entry, first, last, attempts } = record(row);
    return readParked(entry, first, last, attempts);
  });
}

/** The columns of a row; of something else, also of `null`, there are none. */
function record(row: unknown): Record<string, unknown> {
  return { ...(row as object) };
}

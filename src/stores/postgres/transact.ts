import { StoreError } from '../../errors';
import { LONGEST_TIMER_MS } from '../../shared/time';
import { checkDuration } from '../../values/option-checks';
import type { Claim, ClaimResult, TransactRequest } from '../idempotency-store';
import { storableState, storableSubject } from '../names';
import { newToken } from '../replies';
import { readClaimRow, readStart, transactionOf } from '../rows';
import { settlesWithin, TimeLimitError, withTimeLimit } from '../time-limit';
import type { PostgresPool, PostgresResult } from './client';
import { checkOut, errorOf, giveBack, noAnswerWithin } from './connection';
import type { Slots } from './slots';
import { beginTransaction, completionInTransaction, LOCK, type PostgresStatements, SET_ROLE } from './sql';
import { type PostgresTransaction, TransactionScope } from './transaction';

type Status = 'completed' | 'done' | 'busy';
type Work = (transaction: PostgresTransaction, claim: Claim) => Promise<void>;

/** The settings that all transactions share. */
export interface TransactionSettings {
  readonly pool: PostgresPool;
  /** How many are open at a time. */
  readonly slots: Slots;
  readonly sql: PostgresStatements;
  readonly stepTimeoutMs: number;
  /** How long a subject is held for a callback that has outlived its time. */
  readonly holdMs: number;
}

/** Runs claim, callback and completion in one transaction; see `Transact`. */
export async function transact(
  settings: TransactionSettings,
  request: TransactRequest,
  work: Work,
): Promise<{ readonly status: Status }> {
  const { pool, slots, stepTimeoutMs, holdMs } = settings;
  const end = performance.now() + stepTimeoutMs;
  await slots.take(stepTimeoutMs);
  const checkedOut = checkOut(pool, stepTimeoutMs, end);
  checkedOut.catch(() => slots.give());
  const client = await checkedOut;

  const step: Step = (text, values) =>
    withTimeLimit(stepTimeoutMs, client.query(text, values), noAnswerWithin(stepTimeoutMs));
  const giveUp = (broken: Error | undefined) => {
    slots.give();
    giveBack(client, broken);
  };
  try {
    const status = await runTransaction(settings, step, new TransactionScope(client), request, work);
    giveUp(undefined);
    return { status };
  } catch (error) {
    if (error instanceof Overdue) void hold(step, error, holdMs).then(giveUp);
    else giveUp(await rollBack(step, error));
    throw error;
  }
}

type Step = (text: string, values?: unknown[]) => Promise<PostgresResult>;

async function runTransaction(
  { sql, stepTimeoutMs, holdMs }: TransactionSettings,
  step: Step,
  scope: TransactionScope,
  request: TransactRequest,
  work: Work,
): Promise<Status> {
  const timeoutMs = checkDuration('timeoutMs', request.timeoutMs, LONGEST_TIMER_MS);
  const retentionMs = checkDuration('retentionMs', request.retentionMs);
  const longest = timeoutMs + holdMs + stepTimeoutMs;
  const subject = storableSubject(request.subject);
  const state = storableState(request.state);
  const token = newToken();

  await step(beginTransaction(timeoutMs + stepTimeoutMs, longest));

  // A separate statement before the claim, so that the claim sees everything that the lock's last holder committed.
  // Without the lock, duplicates would queue for the row, each holding a connection of the pool.
  const { locked, table, role } = readStart((await step(LOCK, [subject, sql.table])).rows);
  if (!locked) {
    await step('ROLLBACK');
    return 'busy';
  }

  const reply = await step(sql.claim, [subject, state, token, longest]);
  const claim: ClaimResult = readClaimRow(reply.rows, {
    subject: request.subject,
    state: request.state,
    token,
  });
  if (claim.status !== 'claimed') {
    await step('ROLLBACK');
    return claim.status;
  }

  await runWork(scope, timeoutMs, claim, work);

  if (scope.mayHaveChangedRole) await step(SET_ROLE, [role]);
  const values = [subject, state, token, retentionMs, transactionOf(reply.rows)];
  const completion = await step(completionInTransaction(table), values);
  if (completion.rowCount !== 1 || completion.rows.length !== 1) throw notCommitted();
  const commit = await step('COMMIT');
  // PostgreSQL answers the COMMIT of a failed transaction with success and the tag ROLLBACK.
  if (commit.command !== 'COMMIT') throw notCommitted();
  return 'completed';
}

async function runWork(scope: TransactionScope, timeoutMs: number, claim: Claim, work: Work): Promise<void> {
  const run = async () => {
    try {
      await work(scope, claim);
    } finally {
      scope.close();
      await scope.settle();
    }
  };
  const callback = run();
  if (!(await settlesWithin(timeoutMs, callback))) {
    scope.close();
    throw new Overdue(timeoutMs, callback);
  }
  await callback;
}

/** The callback has outlived its time, and may still be running. */
class Overdue extends StoreError {
  readonly #callback: Promise<void>;

  constructor(timeoutMs: number, callback: Promise<void>) {
    super(`The callback took longer than ${timeoutMs} ms. Its transaction was rolled back.`);
    this.#callback = callback;
  }

  endsWithin(ms: number): Promise<boolean> {
    return settlesWithin(ms, this.#callback);
  }
}

/**
 * Keeps the transaction and its lock until the callback has ended, so that no other callback of the subject runs beside
 * it. The transaction is rolled back however the callback ends. After `holdMs`, the connection is closed instead.
 */
async function hold(step: Step, overdue: Overdue, holdMs: number): Promise<Error | undefined> {
  return (await overdue.endsWithin(holdMs)) ? rollBack(step, overdue) : overdue;
}

/** Rolls back. Returns the error to close the connection with, or `undefined` if the connection can be used again. */
async function rollBack(step: Step, error: unknown): Promise<Error | undefined> {
  if (error instanceof TimeLimitError) return error;
  try {
    const { command } = await step('ROLLBACK');
    return command === 'ROLLBACK' ? undefined : notCommitted();
  } catch (lost) {
    return errorOf(lost);
  }
}

function notCommitted(): StoreError {
  return new StoreError(
    'The transaction was not committed with its record. Its callback probably caught an SQL error, which leaves the ' +
      'transaction failed, or ended the transaction itself. Let SQL errors be thrown, or use a savepoint.',
  );
}

import { StoreError } from '../errors';
import type { Claim, ClaimResult, TransactRequest } from '../webhooks/idempotency-store';
import { checkDuration } from '../webhooks/store-arguments';
import { storableState, storableSubject } from './names';
import type { PostgresPool, PostgresPoolClient, PostgresResult } from './postgres-client';
import type { PostgresStatements } from './postgres-sql';
import { type PostgresTransaction, TransactionScope } from './postgres-transaction';
import { newToken } from './replies';
import { isLocked, readClaimRow, transactionOf } from './rows';
import { TimeLimitError, within } from './within';

type Status = 'completed' | 'done' | 'busy';
type Work = (transaction: PostgresTransaction, claim: Claim) => Promise<void>;

/** See `Transact`: claim, callback and completion in one transaction. */
export async function transact(
  pool: PostgresPool,
  sql: PostgresStatements,
  stepTimeoutMs: number,
  request: TransactRequest,
  work: Work,
): Promise<{ readonly status: Status }> {
  const client = await within(
    stepTimeoutMs,
    checkOut(pool),
    `No database connection within ${stepTimeoutMs} ms. Raise the pool's max, or look for callbacks that take long.`,
    (late) => {
      late.removeListener('error', ignore);
      late.release();
    },
  );
  const step = (text: string, values?: unknown[]) =>
    within(
      stepTimeoutMs,
      client.query(text, values),
      `PostgreSQL did not answer within ${stepTimeoutMs} ms.`,
    );
  let broken: Error | undefined;
  try {
    return { status: await runTransaction(client, step, sql, stepTimeoutMs, request, work) };
  } catch (error) {
    broken = await rollBack(step, error);
    throw error;
  } finally {
    if (broken === undefined) client.removeListener('error', ignore);
    client.release(broken);
  }
}

/**
 * A connection with a listener for its loss, which is emitted as an event too, and without one would end the process.
 * The query that is running, or the next one, rejects. By callback, not by promise: that a connection is ready and that
 * it is lost can be said in one packet, and in between nobody who awaits a promise gets to listen.
 */
function checkOut(pool: PostgresPool): Promise<PostgresPoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) return reject(error);
      client.on('error', ignore);
      resolve(client);
    });
  });
}

function ignore(): void {}

type Step = (text: string, values?: unknown[]) => Promise<PostgresResult>;

async function runTransaction(
  client: PostgresPoolClient,
  step: Step,
  sql: PostgresStatements,
  stepTimeoutMs: number,
  request: TransactRequest,
  work: Work,
): Promise<Status> {
  const timeoutMs = checkDuration('timeoutMs', request.timeoutMs);
  const retentionMs = checkDuration('retentionMs', request.retentionMs);
  const longest = timeoutMs + stepTimeoutMs;
  const subject = storableSubject(request.subject);
  const state = storableState(request.state);
  const token = newToken();

  // The time-outs free the subject when this process stops dead with its connection open.
  await step(
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ' +
      'SET LOCAL synchronous_commit = on; ' +
      `SET LOCAL idle_in_transaction_session_timeout = ${longest}; ` +
      `SET LOCAL statement_timeout = ${longest}`,
  );

  // A statement of its own, before the claim: the claim then sees all that the lock's last holder committed. The lock
  // is there because without it duplicates would queue for the row, each with a connection of the pool.
  const lock = await step(LOCK, [subject, sql.table]);
  if (!isLocked(lock.rows)) {
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

  await runWork(new TransactionScope(client), timeoutMs, claim, work);

  const values = [subject, state, token, retentionMs, transactionOf(reply.rows)];
  const completion = await step(sql.completeInTransaction, values);
  if (completion.rowCount !== 1 || completion.rows.length !== 1) throw notCommitted();
  const commit = await step('COMMIT');
  // PostgreSQL answers the COMMIT of a failed transaction with success, and the tag ROLLBACK.
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
  try {
    await within(
      timeoutMs,
      run(),
      `The callback took longer than ${timeoutMs} ms. Its transaction was rolled back.`,
    );
  } finally {
    scope.close();
  }
}

/** The error to close the connection with, unless the transaction has certainly ended and it can be used again. */
async function rollBack(step: Step, error: unknown): Promise<Error | undefined> {
  if (error instanceof TimeLimitError) return error;
  try {
    const { command } = await step('ROLLBACK');
    return command === 'ROLLBACK' ? undefined : notCommitted();
  } catch (lost) {
    return lost instanceof Error ? lost : notCommitted();
  }
}

/** 64 bits of the subject, and of the table by its id, so that two tables in one database do not meet. */
const LOCK =
  'SELECT pg_try_advisory_xact_lock(hashtextextended($1, $2::text::regclass::oid::bigint)) AS locked';

function notCommitted(): StoreError {
  return new StoreError(
    'The transaction was not committed with its record. Its callback probably caught an SQL error, which leaves the ' +
      'transaction failed, or ended the transaction itself. Let SQL errors be thrown, or use a savepoint.',
  );
}

import { AbortedError, type CallError, type Outcome } from '../../errors';
import { advice, type CallContext } from '../../errors/failed-call';
import type { Operation } from '../../service/operations';
import type { ResolvedLimits } from '../options';

/** One attempt of a call, and what the attempts before it leave to say. */
export interface Attempt {
  readonly operation: Operation;
  /** Where it is sent to. */
  readonly url: string;
  readonly limits: ResolvedLimits;
  readonly signal: AbortSignal | undefined;
  /** 1 for the first attempt, 0 before it. */
  readonly number: number;
  /** What is left of the total time, in milliseconds. */
  readonly remainingMs: number;
  /** The error of the attempt before. */
  readonly before: CallError | undefined;
}

/**
 * How one attempt failed: what ky is given, to decide about another one by. Its `error` speaks for the whole call, its
 * `outcome` for this attempt alone.
 */
export class FailedAttempt extends Error {
  constructor(
    readonly error: CallError,
    readonly outcome: Outcome,
    /** The HTTP status, once one has come. */
    readonly httpStatus?: number,
  ) {
    super(error.message);
  }
}

/** What an error says of the whole call, after an attempt with this outcome: the worst outcome of all attempts. */
export function contextOf(attempt: Attempt, outcome: Outcome, uuid?: string): CallContext {
  const { operation, number, before } = attempt;
  return {
    operation: operation.name,
    attempts: number,
    outcome: before !== undefined && SEVERITY[before.outcome] > SEVERITY[outcome] ? before.outcome : outcome,
    // What a refusal quoted, another request may not have made.
    uuid: uuid ?? (before?.outcome === 'unknown' ? before.uuid : undefined),
  };
}

const SEVERITY: Record<Outcome, number> = { 'not-sent': 0, refused: 1, unknown: 2 };

/** The caller's signal ended the call: during an attempt, or in the wait for one. */
export function abortedError(attempt: Attempt, outcome: Outcome = 'not-sent', uuid?: string): AbortedError {
  const context = contextOf(attempt, outcome, uuid);
  const message = `The signal given to ${attempt.operation.name} ended it. ${advice(context)}`;
  return new AbortedError(message, { ...context, cause: attempt.signal?.reason });
}

import { AbortedError, type CallError, type Outcome } from '../../errors';
import { advice, type CallContext } from '../../errors/failed-call';
import type { Operation } from '../../service/operations';
import type { ResolvedLimits } from '../options';

/** One attempt of a call, and the error of the attempt before it. */
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
  /** The error of the previous attempt. */
  readonly before: CallError | undefined;
}

/**
 * How one attempt failed. ky receives it to decide whether to retry. `error` describes the whole call, `outcome` this
 * attempt alone.
 */
export class FailedAttempt extends Error {
  constructor(
    readonly error: CallError,
    readonly outcome: Outcome,
    /** The HTTP status, if one arrived. */
    readonly httpStatus?: number,
  ) {
    super(error.message);
  }
}

/** What an error reports about the whole call after an attempt with this outcome: the worst outcome of all attempts. */
export function contextOf(attempt: Attempt, outcome: Outcome, uuid?: string): CallContext {
  const { operation, number, before } = attempt;
  return {
    operation: operation.name,
    attempts: number,
    outcome: before !== undefined && SEVERITY[before.outcome] > SEVERITY[outcome] ? before.outcome : outcome,
    // An earlier uuid counts only if its attempt may have acted: a refusal may quote one that the call did not create.
    uuid: uuid ?? (before?.outcome === 'unknown' ? before.uuid : undefined),
  };
}

const SEVERITY: Record<Outcome, number> = { 'not-sent': 0, refused: 1, unknown: 2 };

/** The error for a call that the caller's signal ended, during an attempt or in the wait for one. */
export function abortedError(attempt: Attempt, outcome: Outcome = 'not-sent', uuid?: string): AbortedError {
  const context = contextOf(attempt, outcome, uuid);
  const message = `The signal given to ${attempt.operation.name} ended it. ${advice(context)}`;
  return new AbortedError(message, { ...context, cause: attempt.signal?.reason });
}

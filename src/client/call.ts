import type { Outcome, PaymentsError } from '../errors';
import type { CallContext } from '../errors/call-error';
import type { Operation } from './operations';
import type { ResolvedLimits } from './options';
import type { FailedAttempt } from './retry-policy';

/** One call of a method, over all its attempts: the deadline, the count, and what is known of its outcome. */
export class Call {
  readonly operation: Operation;
  readonly limits: ResolvedLimits;
  readonly signal: AbortSignal | undefined;

  /** How many attempts were begun. */
  attempts = 0;

  /** How the last attempt failed. */
  lastFailure: FailedAttempt | undefined;

  readonly #deadline: number;
  #worst: Outcome = 'not-sent';

  constructor(operation: Operation, limits: ResolvedLimits, signal: AbortSignal | undefined) {
    this.operation = operation;
    this.limits = limits;
    this.signal = signal;
    this.#deadline = performance.now() + limits.totalTimeoutMs;
  }

  /** What is left of the total time, in milliseconds. */
  get remainingMs(): number {
    return this.#deadline - performance.now();
  }

  /** What an error of an attempt with this outcome says of the whole call: the worst of all attempts counts. */
  context(outcome: Outcome = 'not-sent'): CallContext {
    if (SEVERITY[outcome] > SEVERITY[this.#worst]) this.#worst = outcome;
    return { outcome: this.#worst, operation: this.operation.name, attempts: this.attempts };
  }

  /** Remembers how an attempt failed, and gives the error back to be thrown. */
  failed(error: PaymentsError, outcome: Outcome): PaymentsError {
    this.lastFailure = { error, outcome };
    return error;
  }
}

const SEVERITY: Record<Outcome, number> = { 'not-sent': 0, refused: 1, unknown: 2 };

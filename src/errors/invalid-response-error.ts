import type { ValidationIssue } from '../shared/validation-issue';
import { type CallContext, FailedCall } from './failed-call';
import { brand } from './payments-error';

/**
 * The service answered with a success that cannot be used: not JSON, too large, or with essential fields missing or
 * invalid. The outcome is always `'unknown'`. If there is a `uuid`, the journey exists: query it, and do not create it
 * again.
 */
export class InvalidResponseError extends FailedCall {
  static {
    brand(this, 'InvalidResponseError');
  }

  /** Identifies this class; see `docs/errors.md#invalid_response` in the package. */
  declare readonly code: 'invalid_response';
  /** Always `'unknown'`: the response does not say what the service did. */
  declare readonly outcome: 'unknown';

  /** What is wrong with the body, field by field; never the values. */
  readonly issues: readonly ValidationIssue[];

  readonly #body: unknown;

  /** For your test doubles; the library creates its own errors. */
  constructor(
    message: string,
    context: Omit<CallContext, 'outcome'> & {
      readonly issues: readonly ValidationIssue[];
      readonly body: unknown;
    },
  ) {
    super('invalid_response', message, { ...context, outcome: 'unknown' });
    this.issues = context.issues;
    this.#body = context.body;
  }

  /**
   * The body: parsed if it is JSON, otherwise the text, as far as it was read. Not printed by logging: it may hold
   * personal data.
   */
  get body(): unknown {
    return this.#body;
  }
}

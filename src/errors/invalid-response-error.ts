import type { ValidationIssue } from '../shared/validation-issue';
import { type CallContext, FailedCall } from './failed-call';
import { brand } from './payments-error';

/**
 * The service answered with a success that cannot be used: no JSON, too large, or without what the operation is for.
 * The outcome is always `'unknown'`. When `uuid` is there, the journey exists: query it, and do not create it again.
 */
export class InvalidResponseError extends FailedCall {
  static {
    brand(this, 'InvalidResponseError');
  }

  /** Tells this class from the others; `docs/errors.md#invalid_response` in the package says more. */
  declare readonly code: 'invalid_response';
  /** Always `'unknown'`: the response does not say what the service did. */
  declare readonly outcome: 'unknown';

  /** What is wrong with the body, field by field; never the values. */
  readonly issues: readonly ValidationIssue[];

  readonly #body: unknown;

  /** For a double in your tests; the library makes its own. */
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
   * The body: parsed where it is JSON, the text otherwise, as far as it was read. Not printed by logging: it may hold
   * personal data.
   */
  get body(): unknown {
    return this.#body;
  }
}

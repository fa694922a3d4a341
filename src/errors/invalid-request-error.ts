import { brand, PaymentsError } from './payments-error';
import { summarize, type ValidationIssue } from './validation-issue';

/** An argument cannot be right, and nothing was sent. `issues` names each field and what is expected there. */
export class InvalidRequestError extends PaymentsError {
  static {
    brand(this, 'InvalidRequestError');
  }

  /** Tells this class from the others; `docs/errors.md#invalid_request` in the package says more. */
  declare readonly code: 'invalid_request';
  /** Always `'not-sent'`. */
  declare readonly outcome: 'not-sent';

  /** What is wrong, field by field; never the values. */
  readonly issues: readonly ValidationIssue[];

  /** For a double in your tests; the library makes its own. */
  constructor(subject: string, issues: readonly ValidationIssue[]) {
    super('invalid_request', `${subject} was refused before anything was sent. ${summarize(issues)}.`, {
      outcome: 'not-sent',
    });
    this.issues = issues;
  }
}

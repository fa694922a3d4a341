import { summarize, type ValidationIssue } from '../shared/validation-issue';
import { brand, PaymentsError } from './payments-error';

/**
 * A notification's body is no JSON object, contradicts its query flags, or lacks what identifies it (document
 * section 6). Nothing was guessed and nothing was done.
 */
export class InvalidNotificationError extends PaymentsError {
  static {
    brand(this, 'InvalidNotificationError');
  }

  /** Tells this class from the others; `docs/errors.md#invalid_notification` in the package says more. */
  declare readonly code: 'invalid_notification';
  /** Always `undefined`: a notification belongs to no call. */
  declare readonly outcome: undefined;

  /** What is wrong, field by field; never the values. */
  readonly issues: readonly ValidationIssue[];

  readonly #body: unknown;

  /** For a double in your tests; the library makes its own. */
  constructor(
    message: string,
    details: { readonly issues: readonly ValidationIssue[]; readonly body: unknown },
  ) {
    super('invalid_notification', `${message} ${summarize(details.issues)}.`);
    this.issues = details.issues;
    this.#body = details.body;
  }

  /** The body as it was given. Not printed by logging: it may hold personal data. */
  get body(): unknown {
    return this.#body;
  }
}

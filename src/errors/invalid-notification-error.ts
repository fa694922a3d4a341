import { summarize, type ValidationIssue } from '../shared/validation-issue';
import { brand, PaymentsError } from './payments-error';

/**
 * A notification's body is not a JSON object, contradicts its query flags, or lacks what identifies it (document
 * section 6). Nothing was guessed and nothing was done.
 */
export class InvalidNotificationError extends PaymentsError {
  static {
    brand(this, 'InvalidNotificationError');
  }

  /** Identifies this class; see `docs/errors.md#invalid_notification` in the package. */
  declare readonly code: 'invalid_notification';
  /** Always `undefined`: a notification belongs to no call. */
  declare readonly outcome: undefined;

  /** What is wrong, field by field; never the values. */
  readonly issues: readonly ValidationIssue[];

  readonly #body: unknown;

  /** For your test doubles; the library creates its own errors. */
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

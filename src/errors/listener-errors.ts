import { summarize, type ValidationIssue } from '../shared/validation-issue';
import { brand, PaymentsError } from './payments-error';

/** Why an `Authorization` header was not accepted. For your log only: telling the sender would help an attacker. */
export type AuthorizationFailure = 'missing' | 'wrong-scheme' | 'malformed' | 'mismatch';

/** The likely cause of each, and the way out. */
export const authorizationFailures: Readonly<Record<AuthorizationFailure, string>> = {
  missing: 'It has no Authorization header. A gateway or framework may have removed or renamed it.',
  'wrong-scheme':
    'Its Authorization header is not of the Basic scheme. A gateway may have put its own header there.',
  malformed:
    'Its Authorization header is not well-formed Basic authentication. It may have been cut on its way.',
  mismatch:
    'Its credentials are not yours. Check that apiKey and apiToken are those of this environment. During a rotation, ' +
    'pass both pairs.',
};

/** A notification did not prove that the service sent it (document section 5). Answer 401 and do nothing else. */
export class WebhookAuthenticationError extends PaymentsError {
  static {
    brand(this, 'WebhookAuthenticationError');
  }

  /** Identifies this class; see `docs/errors.md#webhook_authentication_failed` in the package. */
  declare readonly code: 'webhook_authentication_failed';
  /** Always `undefined`: a notification belongs to no call. */
  declare readonly outcome: undefined;

  /** Why the header was not accepted. */
  readonly reason: AuthorizationFailure;

  /** For your test doubles; the library creates its own errors. */
  constructor(reason: AuthorizationFailure) {
    super(
      'webhook_authentication_failed',
      `The notification was not accepted. ${authorizationFailures[reason]}`,
    );
    this.reason = reason;
  }
}

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

  /**
   * For your test doubles; the library creates its own errors.
   *
   * @param details - `isHarmless`: which names of the paths the message may show; all by default. `*` stands for another
   *   one, which may be personal data
   */
  constructor(
    message: string,
    details: {
      readonly issues: readonly ValidationIssue[];
      readonly body: unknown;
      readonly isHarmless?: ((name: PropertyKey) => boolean) | undefined;
    },
  ) {
    super('invalid_notification', `${message} ${summarize(details.issues, details.isHarmless)}.`);
    this.issues = details.issues;
    this.#body = details.body;
  }

  /** The body as it was given. Not printed by logging: it may hold personal data. */
  get body(): unknown {
    return this.#body;
  }
}

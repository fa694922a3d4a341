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

import { summarize, type ValidationIssue } from '../shared/validation-issue';
import { brand, PaymentsError } from './payments-error';

/**
 * An argument is not valid. `issues` names each field and what is expected there.
 *
 * Thrown by a call, it has the `outcome` `'not-sent'`: nothing was sent. Thrown by a helper that sends nothing
 * (`decodeQrCode`, `parseDateTime`, `amountFromMinorUnits`, `toMinorUnits`, a fixture), it has no `outcome`, because it
 * says nothing about any call: the journey whose QR code could not be decoded exists.
 */
export class InvalidRequestError extends PaymentsError {
  static {
    brand(this, 'InvalidRequestError');
  }

  /** Identifies this class; see `docs/errors.md#invalid_request` in the package. */
  declare readonly code: 'invalid_request';
  /** `'not-sent'` when a call threw it; `undefined` when a helper that sends nothing did. */
  declare readonly outcome: 'not-sent' | undefined;

  /** What is wrong, field by field; never the values. */
  readonly issues: readonly ValidationIssue[];

  /**
   * For your test doubles; the library creates its own errors.
   *
   * @param subject - what was refused, the first words of the message, e.g. `The request of createRecurringCheckout`
   * @param issues - what is wrong
   * @param options - `ofCall`: whether a call to the service throws it; `true` by default. `isHarmless`: which names of the
   *   paths the message may show; all by default. `*` stands for another one, which may be personal data
   */
  constructor(
    subject: string,
    issues: readonly ValidationIssue[],
    {
      ofCall = true,
      isHarmless,
    }: {
      readonly ofCall?: boolean | undefined;
      readonly isHarmless?: ((name: PropertyKey) => boolean) | undefined;
    } = {},
  ) {
    const verdict = ofCall ? 'was refused before anything was sent' : 'is not valid';
    super('invalid_request', `${subject} ${verdict}. ${summarize(issues, isHarmless)}.`, {
      outcome: ofCall ? 'not-sent' : undefined,
    });
    this.issues = issues;
  }
}

/** The error of a helper that sends nothing, about one of its arguments: without an `outcome`. */
export function invalidArgument(
  subject: string,
  issues: Readonly<Record<string, string>>,
): InvalidRequestError {
  const list = Object.entries(issues).map(([field, message]) => ({ path: [field], message }));
  return new InvalidRequestError(subject, list, { ofCall: false });
}

import type { DocumentedNotification } from '../../service/notifications';
import type { ReceivedNotification } from '../../service/notifications/notification';
import type { ValidationIssue } from '../../shared/validation-issue';
import type { AnyDefinition, DefinedNotification } from './define-notification';

/**
 * A notification of none of the documented kinds. The document does not show those of the recurring journey and of
 * scheduled payments (section 6.1). Describe the ones you receive with `defineNotification`.
 */
export interface UnrecognizedNotification extends ReceivedNotification {
  /**
   * `unrecognized:` and the SHA-256 of the body's JSON, with sorted fields, so that neither their order nor white space
   * matters. In a body with more than 5,000 fields and items, the fields keep the order they came in, because sorting
   * takes time and the sender decides how many there are.
   */
  readonly key: string;
  /** None of the documented kinds, and none of yours. */
  readonly kind: 'unrecognized';
  /** Why it is not of the kind it seems to be; missing if it resembles none. Only the handler sets this. */
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/**
 * A notification, told apart by `kind`.
 *
 * @typeParam Kinds - the merchant's own definitions
 */
export type Notification<Kinds extends readonly AnyDefinition[] = readonly []> =
  | DocumentedNotification
  | UnrecognizedNotification
  | DefinedNotification<Kinds[number]>;

import { ConfigurationError } from '../errors/configuration-error';
import { InvalidNotificationError, WebhookAuthenticationError } from '../errors/listener-errors';
import type { Credentials } from '../service/credentials';
import { isObject } from '../shared/objects';
import { checkAuthorization } from './authorization';
import { type AnyDefinition, checkKinds, type Notification } from './kinds';
import { type QuerySource, readJsonObject, recognize } from './recognize';
import { isHarmless } from './report-texts';

/** A notification as received. */
export interface NotificationInput<Kinds extends readonly AnyDefinition[] = readonly []> extends QuerySource {
  /** The body: text, bytes, or what a body parser made of it. */
  readonly body: unknown;
  /** Your own kinds, made with `defineNotification`. */
  readonly kinds?: Kinds | undefined;
}

/** A notification as received, with the header that proves that the service sent it. */
export interface SignedNotificationInput<Kinds extends readonly AnyDefinition[] = readonly []>
  extends NotificationInput<Kinds> {
  /** The value of the `Authorization` header. */
  readonly authorization: string | null | undefined;
}

/**
 * Parses a notification and recognizes its kind (document section 6). It does not check who sent it;
 * {@link constructNotification} does.
 *
 * @throws `InvalidNotificationError` if the body is not a JSON object, contradicts its query flags, or lacks the
 *   identity or state of its kind: text of at most 512 characters, without U+FFFD. All other fields are optional and
 *   may be null. An unknown field is kept. A field of another type than documented is left out of `payload` and named
 *   in `issues`.
 * @throws `ConfigurationError` if the input is not an object, or a kind of yours cannot work: an asynchronous schema
 */
export function parseNotification<const Kinds extends readonly AnyDefinition[] = readonly []>(
  input: NotificationInput<Kinds>,
): Notification<Kinds> {
  assertInput(input, 'parseNotification({ url, body })');
  if (input.kinds !== undefined) checkKinds(input.kinds);
  const { notification, issues } = recognize(readJsonObject(input.body), input, input.kinds);
  if (issues === undefined) return notification;
  const message = 'The notification does not fit the kind it seems to be.';
  throw new InvalidNotificationError(message, { issues, body: input.body, isHarmless });
}

/**
 * Checks who sent a notification, then parses it (document sections 5 and 6). For listeners where
 * `createWebhookHandler` does not fit. Unlike the handler, it does not detect duplicates: do that yourself, by `key`.
 *
 * @throws `WebhookAuthenticationError` if the credentials are not yours: answer 401
 * @throws `InvalidNotificationError` as `parseNotification` does: answer 400
 * @throws `ConfigurationError` as `parseNotification` does, and for credentials that cannot work
 */
export function constructNotification<const Kinds extends readonly AnyDefinition[] = readonly []>(
  input: SignedNotificationInput<Kinds>,
  credentials: Credentials | readonly Credentials[],
): Notification<Kinds> {
  assertInput(input, 'constructNotification({ authorization, url, body }, credentials)');
  const check = checkAuthorization(input.authorization, credentials);
  if (!check.ok) throw new WebhookAuthenticationError(check.reason);
  return parseNotification(input);
}

/** Refuses a body text that is passed alone, instead of as `body`. */
function assertInput(input: unknown, usage: string): void {
  if (!isObject(input) || !('body' in input)) {
    throw new ConfigurationError(`Expected \`${usage}\`: the body goes into \`body\`.`);
  }
}

import { ConfigurationError, InvalidNotificationError, WebhookAuthenticationError } from '../../errors';
import type { Credentials } from '../../service/credentials';
import { utf8 } from '../../shared/bytes';
import { isObject } from '../../shared/objects';
import { checkAuthorization } from '../authorization';
import type { AnyDefinition } from './define-notification';
import type { Notification } from './notification';
import type { QuerySource } from './query';
import { type JsonObject, recognize } from './recognize';

/** A notification as it came. */
export interface NotificationInput<Kinds extends readonly AnyDefinition[] = readonly []> extends QuerySource {
  /** The body: text, bytes, or what a body parser made of it. */
  readonly body: unknown;
  /** Your own kinds, made with `defineNotification`. */
  readonly kinds?: Kinds | undefined;
}

/** A notification as it came, with what proves that the service sent it. */
export interface SignedNotificationInput<Kinds extends readonly AnyDefinition[] = readonly []>
  extends NotificationInput<Kinds> {
  /** The value of the `Authorization` header. */
  readonly authorization: string | null | undefined;
}

/**
 * Parses a notification and tells its kind (document section 6). It does not check who sent it: that is
 * {@link constructNotification}.
 *
 * @throws `InvalidNotificationError` when the body is no JSON object, contradicts its query flags, or lacks what
 *   identifies a notification of its kind or is its state: text of at most 512 characters, without U+FFFD. Everything
 *   else is optional, may be null, and is kept when it is unknown; of another type than documented, it is left out of
 *   `payload` and named in `issues`.
 * @throws `ConfigurationError` when the input is no object, or the schema of a kind of yours is asynchronous
 */
export function parseNotification<const Kinds extends readonly AnyDefinition[] = readonly []>(
  input: NotificationInput<Kinds>,
): Notification<Kinds> {
  assertInput(input, 'parseNotification({ url, body })');
  const raw = readJsonObject(input.body);
  const result = recognize(raw, input, input.kinds);
  if (result.issues !== undefined) {
    const { issues } = result;
    throw new InvalidNotificationError('The notification is not what it seems to be.', {
      issues,
      body: input.body,
    });
  }
  return result.notification;
}

/**
 * Checks who sent a notification, then parses it (document sections 5 and 6). For listeners that
 * `createWebhookHandler` does not fit; what keeps a duplicate from acting twice is the handler's, or yours, by `key`.
 *
 * @throws `WebhookAuthenticationError` when the credentials are not yours: answer 401
 * @throws `InvalidNotificationError` as `parseNotification` does: answer 400
 * @throws `ConfigurationError` for credentials that cannot work, or an input that is no object
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

/** A body that is passed alone, without the URL it came to, has no `body`. */
function assertInput(input: unknown, usage: string): void {
  if (typeof input !== 'object' || input === null) {
    throw new ConfigurationError(`Expected \`${usage}\`: the body goes into \`body\`.`);
  }
}

/** The JSON object that a body holds, or is. */
export function readJsonObject(body: unknown): JsonObject {
  const value = parseJson(body);
  if (!isObject(value)) {
    const issues = [{ path: [], message: 'expected a JSON object' }];
    throw new InvalidNotificationError('The body cannot be read.', { issues, body });
  }
  return value;
}

function parseJson(body: unknown): unknown {
  const text = isBytes(body) ? utf8.decode(body) : body;
  if (typeof text !== 'string') return body;
  try {
    // `JSON.parse` refuses a byte order mark.
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

export function isBytes(body: unknown): body is ArrayBuffer | Uint8Array {
  return ArrayBuffer.isView(body) || body instanceof ArrayBuffer;
}

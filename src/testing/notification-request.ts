import { ConfigurationError } from '../errors';
import { checkWebhookUrl, listenerUrl } from '../sandbox/delivery/listener-url';
import { inventionTable } from '../sandbox/inventions';
import { queryFlags, type SandboxNotification } from '../sandbox/model/records';
import type { Credentials } from '../service/credentials';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import type { Overrides } from './fixtures/make-fixture';
import { notificationFixtures } from './fixtures/notifications';
import { DEFAULT_LISTENER, signedRequest } from './signed-request';

/** What `notificationRequest` takes for each kind: overrides of its fixture, or the whole body of `custom`. */
export type NotificationOverrides = {
  [Kind in keyof typeof notificationFixtures]: Overrides<ReturnType<(typeof notificationFixtures)[Kind]>>;
} & {
  /** The whole body: for kinds of your own, and for what your listener does not recognize. */
  custom: object;
};

/** How a notification is sent. */
export interface NotificationRequestOptions {
  /** Your listener; its own query is kept. Default: `https://merchant.example/webhooks`. */
  url?: string | undefined;
  /** The query flags. Default: those that the document shows for the kind; `''` is for a gateway that drops queries. */
  query?: string | undefined;
  /** Additional headers; one of the same name replaces the usual one. */
  headers?: Readonly<Record<string, string>> | undefined;
}

const NAMES: OptionNames<NotificationRequestOptions> = { url: true, query: true, headers: true };

/**
 * A notification as the service sends it, ready for your handler: a POST of JSON with Basic authorization and the
 * query flags of its kind (document sections 5 and 6). The body is the fixture of that kind with your overrides.
 *
 * @example
 * const request = notificationRequest('refund', { refund: { amount: 5 } }, credentials);
 * expect((await handler(request)).status).toBe(200);
 *
 * @throws `InvalidRequestError` when the overridden fixture does not fit the library's schema
 * @throws `ConfigurationError` for credentials or a `url` that cannot work
 */
export function notificationRequest<Kind extends keyof NotificationOverrides>(
  kind: Kind,
  overrides: NotificationOverrides[Kind],
  credentials: Credentials,
  options: NotificationRequestOptions = {},
): Request {
  const {
    url = DEFAULT_LISTENER,
    headers,
    query: givenQuery,
  } = readNamedOptions('notificationRequest', options, NAMES);
  checkWebhookUrl(url);
  const notification = fixtureNotification(kind, overrides);
  const query = givenQuery ?? notification.query;
  return signedRequest({
    url: listenerUrl(url, { query }),
    body: JSON.stringify(notification.payload),
    credentials,
    headers,
  });
}

/** The fixture of a kind with its query. Of `custom`, the overrides are the body. */
export function fixtureNotification(
  kind: keyof NotificationOverrides,
  overrides: object,
): SandboxNotification {
  if (kind === 'custom') return { kind, query: queryFlags[kind], payload: overrides };
  const kinds = Object.keys(notificationFixtures);
  if (!kinds.includes(kind)) {
    throw new ConfigurationError(`Expected a kind of notification: ${kinds.join(', ')} or custom.`);
  }
  const payload = notificationFixtures[kind](overrides);
  return kind === 'failedPayout'
    ? { kind: 'payout', query: inventionTable.failedPayoutQuery.value, payload }
    : { kind, query: queryFlags[kind], payload };
}

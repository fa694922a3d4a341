import { ConfigurationError } from '../errors';
import { checkWebhookUrl, listenerUrl } from '../sandbox/delivery/listener-url';
import { inventionTable } from '../sandbox/inventions';
import { queryFlags, type SandboxNotification } from '../sandbox/model/records';
import type { Credentials } from '../service/credentials';
import type { FailedPayout, SuccessfulPayout } from '../service/kinds/payout';
import type { RefundPayload } from '../service/kinds/refund';
import type { ReversalPayload } from '../service/kinds/reversal';
import type { SalePayload } from '../service/kinds/sale';
import {
  failedPayout,
  type PaymentPayload,
  payment,
  payout,
  refund,
  reversal,
  saleStatus,
} from './fixtures/notifications';
import type { Overrides } from './fixtures/overrides';
import { DEFAULT_LISTENER, signedRequest } from './signed-request';

/** What `notificationRequest` takes of each kind. */
export interface NotificationOverrides {
  /** A sale is paid. */
  payment: Overrides<PaymentPayload>;
  /** A sale has another status, `REVERSAL` by default. */
  saleStatus: Overrides<SalePayload>;
  /** Funds went back to the payer. */
  reversal: Overrides<ReversalPayload>;
  /** A refund was credited. */
  refund: Overrides<RefundPayload>;
  /** A payout was made. */
  payout: Overrides<SuccessfulPayout>;
  /** A payout failed. */
  failedPayout: Overrides<FailedPayout>;
  /** The whole body: for kinds of your own, and for what your listener does not recognize. */
  custom: object;
}

/** How a notification is sent. */
export interface NotificationRequestOptions {
  /** Your listener; its own query is kept. Default: `https://merchant.example/webhooks`. */
  url?: string | undefined;
  /** The query flags. Default: those that the document shows of the kind; `''` for a gateway that drops queries. */
  query?: string | undefined;
  /** More headers, or others in the place of the usual ones. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * A notification as the service sends it, ready for your handler: a POST of JSON with Basic authorization and the
 * query flags of its kind (document sections 5 and 6). The body is the fixture of that kind with your overrides.
 *
 * @example
 * const request = notificationRequest('refund', { refund: { amount: 5 } }, credentials);
 * expect((await handler(request)).status).toBe(200);
 *
 * @throws `InvalidRequestError` as the fixtures do
 * @throws `ConfigurationError` for credentials or a `url` that cannot work
 */
export function notificationRequest<Kind extends keyof NotificationOverrides>(
  kind: Kind,
  overrides: NotificationOverrides[Kind],
  credentials: Credentials,
  options: NotificationRequestOptions = {},
): Request {
  const { url = DEFAULT_LISTENER, headers } = options;
  checkWebhookUrl(url);
  const notification = compose(kind, overrides);
  const query = options.query ?? notification.query;
  return signedRequest({
    url: listenerUrl(url, { ...notification, query }) ?? url,
    body: JSON.stringify(notification.payload),
    credentials,
    headers,
  });
}

function compose(kind: keyof NotificationOverrides, overrides: object): SandboxNotification {
  switch (kind) {
    case 'payment':
      return { kind, query: queryFlags[kind], payload: payment(overrides) };
    case 'saleStatus':
      return { kind, query: queryFlags[kind], payload: saleStatus(overrides) };
    case 'reversal':
      return { kind, query: queryFlags[kind], payload: reversal(overrides) };
    case 'refund':
      return { kind, query: queryFlags[kind], payload: refund(overrides) };
    case 'payout':
      return { kind, query: queryFlags[kind], payload: payout(overrides) };
    case 'failedPayout':
      return {
        kind: 'payout',
        query: inventionTable.failedPayoutQuery.value,
        payload: failedPayout(overrides),
      };
    case 'custom':
      return { kind, query: queryFlags[kind], payload: overrides };
    default:
      throw new ConfigurationError(
        'Expected a kind of notification: payment, saleStatus, reversal, refund, payout, failedPayout or custom.',
      );
  }
}

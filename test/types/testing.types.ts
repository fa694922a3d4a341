/** Compiled by `npm run typecheck`, never run. */
import { type HttpHandler, http } from 'msw';
import type { setupServer } from 'msw/node';
import type { Fetch, PaymentsClient, RecurringCheckoutRequest, Transaction } from 'pix-automatic-sdk';
import type { startSandbox } from 'pix-automatic-sdk/sandbox';
import {
  fakeClock,
  fixtures,
  type MockService,
  mockService,
  notificationRequest,
} from 'pix-automatic-sdk/testing';
import type {
  createWebhookHandler,
  FailedPayout,
  Notification,
  RefundPayload,
  SuccessfulPayout,
} from 'pix-automatic-sdk/webhooks';
import type { NotificationOverrides } from '../../src/testing/notification-request';
import { type Equal, isNone, isTrue } from './equal';

declare const credentials: { apiKey: string; apiToken: string };

export function everyKindHasAFixture(): void {
  type Kind = Exclude<Notification['kind'], 'unrecognized'> | 'failedPayout' | 'custom';
  // Not `Equal`, so that the compiler's message names the kind.
  isNone<Exclude<Kind, keyof NotificationOverrides>>();
  isNone<Exclude<keyof NotificationOverrides, Kind>>();
}

export function fixturesAreOfTheLibrarysTypes(client: PaymentsClient, amount: number | undefined): void {
  client.createRecurringCheckout(fixtures.recurringCheckoutRequest());
  client.cancelScheduledPayment('i-1', fixtures.scheduledPaymentCancellationRequest());
  isTrue<Equal<ReturnType<typeof fixtures.recurringCheckoutRequest>, RecurringCheckoutRequest>>();
  isTrue<Equal<ReturnType<typeof fixtures.transaction>, Transaction>>();
  isTrue<Equal<ReturnType<typeof fixtures.refund>, RefundPayload>>();
  isTrue<Equal<ReturnType<typeof fixtures.payout>, SuccessfulPayout>>();
  isTrue<Equal<ReturnType<typeof fixtures.failedPayout>, FailedPayout>>();
  // A caller's value that may be missing can be passed directly.
  fixtures.transaction({ amount });
}

export function overridesArePartialToAnyDepth(): void {
  fixtures.refund({ refund: { amount: 5 } });
  fixtures.recurringCheckoutRequest({
    amount: 10,
    recurrence: { immediatePayment: true, calendar: { periodicity: 'WEEKLY' } },
  });
  fixtures.recurringCheckoutRequest({ amount: undefined, recurrence: { immediatePayment: false } });
  fixtures.transaction({
    shopper: null,
    refunds: { transactions: [{ uuid: 'r-1' }] },
    track: { any: 'thing' },
  });
  fixtures.reversal({ receipt: null, status: 'PENDING' });

  // @ts-expect-error: a misspelt field
  fixtures.transaction({ situatoin: 'PAID' });
  // @ts-expect-error: a misspelt field inside
  fixtures.refund({ refund: { ammount: 5 } });
  // @ts-expect-error: a misspelt field further inside
  fixtures.recurringCheckoutRequest({ recurrence: { calendar: { initialdate: '2027-01-01' } } });
  // @ts-expect-error: a misspelt field of an array's element
  fixtures.transaction({ refunds: { transactions: [{ uid: 'r-1' }] } });
  // @ts-expect-error: of another type
  fixtures.transaction({ amount: '59.70' });
  // @ts-expect-error: null where the type does not allow it
  fixtures.refund({ refund: { uuid: null } });
  // @ts-expect-error: null where requests do not have it
  fixtures.recurringCheckoutRequest({ shopper: null });
  // @ts-expect-error: a payment is one because it is PAID
  fixtures.payment({ newStatus: 'REVERSAL' });
  // @ts-expect-error: that is `failedPayout`
  fixtures.payout({ success: false });
  // @ts-expect-error: only a failed payout has one
  fixtures.payout({ error_code: 'PE0001' });
}

export function notificationsAreOfTheirKind(handler: ReturnType<typeof createWebhookHandler>): void {
  handler(notificationRequest('refund', { refund: { amount: 5 } }, credentials, { url: undefined }));
  notificationRequest('custom', { anything: ['goes'] }, credentials);
  // @ts-expect-error: a field of another kind
  notificationRequest('payment', { refund: { amount: 5 } }, credentials);
  // @ts-expect-error: no kind
  notificationRequest('refunds', {}, credentials);
  // @ts-expect-error: a misspelt option
  notificationRequest('refund', {}, credentials, { uri: 'https://merchant.example' });
}

export function mswsOwnHttpFits(
  setup: typeof setupServer,
  handler: ReturnType<typeof createWebhookHandler>,
): void {
  const clock = fakeClock();
  const service = mockService({ http, clock, deliverTo: handler, credentials: undefined });
  isTrue<Equal<typeof service, MockService<HttpHandler>>>();
  setup(...service.handlers);
  const named: MockService = service;
  setup(...named.handlers);
  // @ts-expect-error: a misspelt option
  mockService({ http, deliverto: handler });
  // Without msw there are no handlers, and `fetch` takes their place.
  isTrue<Equal<ReturnType<typeof mockService<HttpHandler>>['handlers'], HttpHandler[]>>();
  mockService({}).fetch satisfies Fetch;
}

/** The mocked service has every control of the sandbox, so that a test can move from one to the other. */
export function controlsAreThoseOfTheSandbox(
  service: MockService<HttpHandler>,
): Omit<Awaited<ReturnType<typeof startSandbox>>, never> {
  return service;
}

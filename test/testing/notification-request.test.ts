import { ConfigurationError, InvalidRequestError } from 'pix-automatic-sdk';
import { basicAuthorization, fixtures, notificationRequest } from 'pix-automatic-sdk/testing';
import {
  createWebhookHandler,
  defineNotification,
  salePayloadSchema,
  verifyAuthorization,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { credentials } from './support';

function openHandler() {
  const acted = vi.fn();
  const names = [
    'payment',
    'saleStatus',
    'reversal',
    'refund',
    'payout',
    'recurrence',
    'unrecognized',
    'charge',
  ] as const;
  const on = Object.fromEntries(names.map((name) => [name, acted]));
  const charge = defineNotification({
    kind: 'charge',
    match: (body) => 'instructionId' in body,
    schema: salePayloadSchema,
    subject: () => 'charge-1',
  });
  const handler = createWebhookHandler({ credentials, on, kinds: [charge], onReport: () => {} });
  return { handler, acted };
}

const listener = 'https://merchant.example/webhooks';

describe.each([
  ['payment', ''],
  ['saleStatus', ''],
  ['reversal', '?reversing=true&type=reversing'],
  ['refund', '?refund=true&type=refund'],
  ['payout', '?payout=true&type=payout'],
  ['failedPayout', '?payout=true'],
] as const)('a notification of kind %s', (kind, flags) => {
  it('is a POST of JSON to the listener, with the flags of the document (sections 6.2 to 6.5)', async () => {
    const request = notificationRequest(kind, {}, credentials);
    expect([request.method, request.url]).toEqual(['POST', listener + flags]);
    expect(request.headers.get('content-type')).toBe('application/json');
    expect(await request.json()).toEqual(fixtures[kind]());
  });

  it('is recognized by a handler, with the overrides, and refused with other credentials', async () => {
    const { handler, acted } = openHandler();
    const overrides = { referenceCode: 'mine' };
    const wrong = { ...credentials, apiToken: 'other' };
    expect((await handler(notificationRequest(kind, overrides, wrong))).status).toBe(401);
    expect(acted).not.toHaveBeenCalled();
    expect((await handler(notificationRequest(kind, overrides, credentials))).status).toBe(200);
    expect(acted).toHaveBeenCalledOnce();
    const [notification] = acted.mock.calls[0] ?? [];
    expect(notification.kind).toBe(kind === 'failedPayout' ? 'payout' : kind);
    const expected = kind === 'reversal' ? fixtures.reversal() : fixtures[kind](overrides);
    expect(notification.payload).toEqual({ ...expected, ...notification.raw });
    expect(notification.raw).toMatchObject({ ...expected, ...overrides });
  });
});

describe('a custom body', () => {
  it('is sent as it is, and received as the merchant’s own kind or as unrecognized', async () => {
    const { handler, acted } = openHandler();
    const unknown = { event: 'recurrence', nested: { any: ['thing'] } };
    await handler(notificationRequest('custom', unknown, credentials));
    expect(acted.mock.calls[0]?.[0]).toMatchObject({ kind: 'unrecognized', raw: unknown });
    await handler(notificationRequest('custom', { ...fixtures.payment(), instructionId: 'i' }, credentials));
    expect(acted.mock.calls[1]?.[0]).toMatchObject({ kind: 'charge' });
  });
});

describe('options', () => {
  it.each([
    [
      'url may have a query, and the flags are added to it',
      { url: 'http://127.0.0.1:3000/hooks?tenant=1#top' },
      'http://127.0.0.1:3000/hooks?tenant=1&refund=true&type=refund',
    ],
    ['query replaces the usual flags', { query: 'type=refund' }, `${listener}?type=refund`],
    ['query replaces the usual flags by none', { query: '' }, listener],
  ])('%s', (_claim, options, url) => {
    expect(notificationRequest('refund', {}, credentials, options).url).toBe(url);
  });

  it('headers adds or replaces headers', () => {
    const headers = { 'x-request-id': 'r-1', Authorization: 'Bearer x' };
    const request = notificationRequest('refund', {}, credentials, { headers });
    expect(request.headers.get('x-request-id')).toBe('r-1');
    expect(request.headers.get('authorization')).toBe('Bearer x');
  });

  it.each([
    ['refund', {}, { ...credentials, apiKey: '' }, {}, ConfigurationError],
    ['refund', {}, credentials, { url: '/hooks' }, ConfigurationError],
    ['refunds', {}, credentials, {}, ConfigurationError],
    ['refund', { refund: { uuid: '' } }, credentials, {}, InvalidRequestError],
  ] as const)(
    'that are invalid are refused, and so are invalid arguments: %s %j %j %j',
    (kind, overrides, pair, options, error) => {
      expect(() => notificationRequest(kind as 'refund', overrides, pair, options)).toThrow(error);
    },
  );
});

describe('basicAuthorization', () => {
  it('is Base64 of key, colon and token, as UTF-8', () => {
    expect(basicAuthorization({ apiKey: 'clé', apiToken: 'a:b' })).toBe(
      `Basic ${Buffer.from('clé:a:b', 'utf8').toString('base64')}`,
    );
    expect(verifyAuthorization(basicAuthorization(credentials), credentials)).toBe(true);
  });
});

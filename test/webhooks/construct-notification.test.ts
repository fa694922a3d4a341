import {
  constructNotification,
  InvalidNotificationError,
  WebhookAuthenticationError,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { authorization, basic, credentials, everythingPrintedOf, queries, refundPayload } from './support';

const other = { apiKey: 'S3CRET-key', apiToken: 'S3CRET-token' };

describe('constructNotification', () => {
  it('gives the notification when the credentials are right', () => {
    const input = { authorization, url: queries.refund, body: JSON.stringify(refundPayload()) };
    expect(constructNotification(input, credentials)).toMatchObject({
      kind: 'refund',
      key: 'refund:r-1:PAID',
    });
    expect(constructNotification(input, [other, credentials]).kind).toBe('refund');
  });

  it.each([
    ['missing', undefined],
    ['wrong-scheme', 'Bearer S3CRET'],
    ['malformed', 'Basic S3CRET!'],
    ['mismatch', basic(other)],
  ])('throws WebhookAuthenticationError with the reason %s, and shows no credential', (reason, header) => {
    const input = { authorization: header, body: refundPayload() };
    let thrown: unknown;
    try {
      constructNotification(input, credentials);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(WebhookAuthenticationError);
    expect(thrown).toMatchObject({ code: 'webhook_authentication_failed', reason });
    const printed = everythingPrintedOf(thrown);
    for (const secret of ['S3CRET', 'UzNDUkV', credentials.apiKey, credentials.apiToken, 'r-1']) {
      expect(printed).not.toContain(secret);
    }
  });

  it('verifies before it parses: a bad body with bad credentials is an authentication error', () => {
    for (const body of ['no JSON', '', null, [], { refund: {}, newStatus: 7 }]) {
      const input = { authorization: basic(other), body };
      expect(() => constructNotification(input, credentials)).toThrow(WebhookAuthenticationError);
      expect(() => constructNotification({ ...input, authorization }, credentials)).toThrow(
        InvalidNotificationError,
      );
    }
  });

  it.each([undefined, null, '{}'])('refuses a body passed alone, and says where it belongs: %j', (input) => {
    expect(() => constructNotification(input as never, credentials)).toThrow(
      expect.objectContaining({
        code: 'configuration',
        message: expect.stringContaining(
          '`constructNotification({ authorization, url, body }, credentials)`',
        ),
      }),
    );
  });

  it('does not touch the body before the credentials are right', () => {
    const touched: unknown[] = [];
    const body = new Proxy(
      {},
      {
        get: (_, name) => touched.push(name),
        has: (_, name) => touched.push(name) > 0,
        getPrototypeOf: () => {
          touched.push('prototype');
          return null;
        },
      },
    );
    expect(() => constructNotification({ authorization: basic(other), body }, credentials)).toThrow(
      WebhookAuthenticationError,
    );
    expect(touched).toEqual([]);
  });
});

import { ConfigurationError, toLambda } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { authorization, createListener, salePayload } from './support';

describe('toLambda', () => {
  // `test/hosts` runs it with each gateway's events. Here is what these do not have.
  it('throws for an argument that is not a handler', () => {
    expect(() => toLambda({} as never)).toThrow(ConfigurationError);
  });

  it.each([{}, { requestContext: {}, headers: null, body: null }])(
    'answers 405 to an event that is no HTTP request',
    async (event) => {
      const { handler } = createListener();
      expect(await toLambda(handler)(event)).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } });
    },
  );

  it('reads a body of Base64 as bytes, and checks their size', async () => {
    const { handler, acted } = createListener({ maxBodyBytes: 1_000 });
    const event = { httpMethod: 'POST', headers: { Authorization: authorization }, isBase64Encoded: true };
    const send = (text: string) =>
      toLambda(handler)({ ...event, body: Buffer.from(text).toString('base64') });
    expect((await send(JSON.stringify({ ...salePayload(), referenceCode: 'João' }))).statusCode).toBe(200);
    expect(acted).toHaveLength(1);
    expect((await send(' '.repeat(1_001))).statusCode).toBe(413);
  });

  it('is named in the report of a handler that was exported without it', async () => {
    const { handler, reports } = createListener();
    const event = { version: '2.0', headers: { authorization }, body: '{}' };
    expect((await handler(event as never)).status).toBe(500);
    expect(reports).toMatchObject([
      { code: 'internal', message: expect.stringContaining('toLambda(handler)') },
    ]);
  });
});

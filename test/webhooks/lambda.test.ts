import { ConfigurationError, toLambda } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { queries, refundPayload, salePayload } from './payloads';
import { authorization, codesOf, createListener, linesOf } from './support';

// `test/hosts` runs it with whole events of each gateway.

it('toLambda throws for an argument that is not a handler', () => {
  expect(() => toLambda({} as never)).toThrow(ConfigurationError);
});

describe('an event that toLambda does not know', () => {
  it.each([
    ...[null, undefined, 'text', {}, { requestContext: null, headers: null, body: null }],
    { key1: 1, '123.456.789-09': 1 },
    { Records: [{ eventSource: 'S3CRET 1', body: '{}' }] },
    { Records: [null] },
    { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} },
    { requestContext: { connectionId: 'c-1', eventType: 'MESSAGE' } },
    { version: '2.0', method: 'POST', path: '/', requestContext: {} },
  ])('is reported without anything of it, and answered 500: %j', async (event) => {
    const { handler, acted, reports } = createListener();
    const answer = await toLambda(handler)(event as never);
    expect(answer).toMatchObject({
      statusCode: 500,
      body: 'Internal error',
      headers: { 'content-length': '14' },
    });
    expect([linesOf(reports), acted]).toEqual([['internal 500'], []]);
    expect(reports[0]?.message).toContain('other than an event of API Gateway');
    expect(reports[0]?.message).toContain('`handler.handle({ method, url, headers, body })`');
    expect(reports[0]?.message).not.toMatch(/S3CRET|123/);
  });

  it('says that AWS takes the answer for a success, where it would delete the messages', async () => {
    const { handler, reports } = createListener();
    await toLambda(handler)({ Records: [] } as never);
    expect(reports[0]?.message).toContain('does not deliver it again');
  });

  it.each(['GET', 'PUT'])('does not include a %s, which is answered 405', async (httpMethod) => {
    const { handler, reports } = createListener();
    expect(await toLambda(handler)({ httpMethod, headers: null, body: null })).toMatchObject({
      statusCode: 405,
    });
    expect(codesOf(reports)).toEqual(['method_not_allowed']);
  });
});

describe('the Authorization that counts in an event with single and multi-value headers', () => {
  const wrong = 'Basic d3Jvbmc6d3Jvbmc=';
  const event = { httpMethod: 'POST', body: JSON.stringify(salePayload()) };
  it.each([
    ['the single one', authorization, [wrong, authorization], 200],
    ['the single one', wrong, [authorization], 401],
    ['the only one of the list, without a single one', undefined, [authorization], 200],
    ['none of several', undefined, [wrong, authorization], 401],
    ['none of several', undefined, [authorization, authorization], 401],
  ])('is %s: %j and %j', async (_, single, several, statusCode) => {
    const headers = single === undefined ? {} : { authorization: single };
    const signed = { ...event, headers, multiValueHeaders: { authorization: several } };
    expect(await toLambda(createListener().handler)(signed)).toMatchObject({ statusCode });
  });
});

const http = { http: { method: 'POST' } };
const flags = { refund: 'true', type: 'refund' };
it.each([
  ['2.0', { requestContext: http, rawPath: '/', rawQueryString: queries.refund.slice(1) }],
  ['1.0', { httpMethod: 'POST', path: '/', queryStringParameters: flags }],
  ['1.0 with lists', { httpMethod: 'POST', multiValueQueryStringParameters: { type: ['mine', 'refund'] } }],
  ['a load balancer', { httpMethod: 'POST', queryStringParameters: flags, requestContext: { elb: {} } }],
])('in an event in the form of %s a payment with the flag of a refund is none', async (_, event) => {
  const { handler, acted } = createListener();
  const signed = { ...event, headers: { Authorization: authorization } };
  const send = (body: object) => toLambda(handler)({ ...signed, body: JSON.stringify(body) });
  const accepted = { statusCode: 200, headers: { 'content-length': '2' } };
  expect(await send(refundPayload())).toMatchObject(accepted);
  expect(await send(salePayload())).toMatchObject({ statusCode: 400 });
  expect(acted).toEqual(['refund:r-1:PAID']);
});

const q = { q: 'é&=' };
const lists = { q: ['%C3%A9', '2'], none: undefined };
const balancer = { requestContext: { elb: {} }, httpMethod: 'POST', path: '/c' };
it.each([
  ['API Gateway’s 2.0', { requestContext: http, rawPath: '/a' }, '/a?'],
  ['API Gateway’s 1.0', { httpMethod: 'POST', path: '/b', queryStringParameters: q }, '/b?q=%C3%A9%26%3D'],
  // It has not decoded them.
  ['a load balancer', { ...balancer, multiValueQueryStringParameters: lists }, '/c?q=%C3%A9&q=2'],
])('the URL has the path and the query of %s', async (_, event, url) => {
  const seen: string[] = [];
  const getAuthorization = (head: { url: string }) => void seen.push(head.url);
  await toLambda(createListener({ getAuthorization }).handler)(event);
  expect(seen).toEqual([url]);
});

it('a load balancer with multi-value headers gets multi-value headers, and no others', async () => {
  const { handler } = createListener();
  const multiValueHeaders = { authorization: [authorization] };
  const event = { httpMethod: 'POST', multiValueHeaders, body: JSON.stringify(salePayload()) };
  const answer = await toLambda(handler)(event);
  expect(answer).toMatchObject({ statusCode: 200, multiValueHeaders: { 'content-length': ['2'] } });
  expect(answer).not.toHaveProperty('headers');
  expect(await toLambda(handler)({ ...event, headers: {} })).not.toHaveProperty('multiValueHeaders');
});

it('a body of Base64 is read as bytes, and their size is checked', async () => {
  const { handler, acted } = createListener({ maxBodyBytes: 1_000 });
  const event = { httpMethod: 'POST', headers: { Authorization: authorization }, isBase64Encoded: true };
  const send = async (text: string) =>
    (await toLambda(handler)({ ...event, body: Buffer.from(text).toString('base64') })).statusCode;
  expect(await send(JSON.stringify({ ...salePayload(), referenceCode: 'João' }))).toBe(200);
  expect([await send(' '.repeat(1_001)), acted.length]).toEqual([413, 1]);
});

describe('a body of Base64', () => {
  const text = JSON.stringify(salePayload());
  const maxBodyBytes = Buffer.byteLength(text) + 10;
  const padded = (bytes: number) => Buffer.from(text.padEnd(bytes)).toString('base64');
  const post = { httpMethod: 'POST', headers: { authorization }, isBase64Encoded: true };
  const decoding = () => {
    const spy = vi.spyOn(globalThis, 'atob');
    onTestFinished(() => spy.mockRestore());
    return spy;
  };

  it.each([0, 1, 2])(
    'of exactly the limit is decoded, and one of a byte more is not: limit + %d',
    async (more) => {
      const limit = maxBodyBytes + more;
      const { handler, reports } = createListener({ maxBodyBytes: limit });
      const lambda = toLambda(handler);
      expect(await lambda({ ...post, body: padded(limit) })).toMatchObject({ statusCode: 200 });
      const unpadded = padded(limit).replaceAll('=', '');
      expect(await lambda({ ...post, body: unpadded })).toMatchObject({ statusCode: 200 });
      const atob = decoding();
      expect(await lambda({ ...post, body: padded(limit + 1) })).toMatchObject({ statusCode: 413 });
      expect([codesOf(reports), atob.mock.calls]).toEqual([['body_too_large'], []]);
    },
  );

  it.each([
    [401, { headers: {} }],
    [405, { httpMethod: 'PUT' }],
  ])('is not decoded before the answer %d', async (statusCode, changes) => {
    const atob = decoding();
    const event = { ...post, body: padded(maxBodyBytes), ...changes };
    expect(await toLambda(createListener().handler)(event)).toMatchObject({ statusCode });
    expect(atob).not.toHaveBeenCalled();
  });

  it('is what `handle` takes too, with `isBase64Encoded`', async () => {
    const { handler, acted } = createListener();
    const request = { method: 'POST', url: '/', headers: { authorization }, body: padded(maxBodyBytes) };
    expect((await handler.handle({ ...request, isBase64Encoded: true })).status).toBe(200);
    expect(acted).toHaveLength(1);
    expect((await handler.handle({ ...request, isBase64Encoded: false })).status).toBe(400);
  });
});

it('a body that is no Base64 is answered 400, and 401 without credentials', async () => {
  const { handler, reports } = createListener();
  const event = { httpMethod: 'POST', isBase64Encoded: true, body: JSON.stringify(salePayload()) };
  expect(await toLambda(handler)(event)).toMatchObject({ statusCode: 401 });
  const signed = { ...event, headers: { authorization } };
  expect(await toLambda(handler)(signed)).toMatchObject({ statusCode: 400 });
  expect(codesOf(reports)).toEqual(['unauthorized', 'invalid_body']);
});

it('toLambda is named in the report of a handler that was exported without it', async () => {
  const { handler, reports } = createListener();
  const event = { version: '2.0', headers: { authorization }, body: '{}' };
  expect((await handler(event as never)).status).toBe(500);
  const message = expect.stringContaining('toLambda(handler)');
  expect(reports).toMatchObject([{ code: 'internal', message }]);
});

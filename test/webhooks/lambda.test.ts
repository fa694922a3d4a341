import { ConfigurationError, toLambda } from 'pix-automatic-sdk/webhooks';
import { expect, it } from 'vitest';
import { queries, refundPayload, salePayload } from './payloads';
import { authorization, codesOf, createListener } from './support';

// `test/hosts` runs it with whole events of each gateway.

it('toLambda throws for an argument that is not a handler', () => {
  expect(() => toLambda({} as never)).toThrow(ConfigurationError);
});

const notHttp = { requestContext: {}, headers: null, body: null };
it.each([{}, notHttp])('an event that is no HTTP request is answered 405: %j', async (event) => {
  const { handler } = createListener();
  expect(await toLambda(handler)(event)).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } });
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

import { inspect } from 'node:util';
import { ApiError, type Fetch, InvalidRequestError, InvalidResponseError } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { dropConnection, reply, startHttpServer, unusedPort } from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import { apiKey, apiToken, clientFor, failureOf, withoutBackOff } from './support';

beforeEach(withoutBackOff);
afterEach(() => vi.restoreAllMocks());

const refund = { method: 'POST', path: '/v1.1/refunds', body: { amount: 10, note: undefined } };
const find = {
  method: 'GET',
  path: '/v1.1/transactions',
  query: { referenceCode: 'order 1/é', page: 2, all: true },
};

it('client.request sends method, path, query and body with the credentials, and gives the parsed body', async () => {
  const server = await startHttpServer(reply(200, { status: 0, refunds: [1, 2] }), reply(200, []));
  const client = clientFor({ url: `${server.url}/prefix/` });
  expect(await client.request(refund)).toEqual({ status: 0, refunds: [1, 2] });
  expect(await client.request(find)).toEqual([]);
  const [post, get] = server.requests;
  expect(post).toMatchObject({ method: 'POST', url: '/prefix/v1.1/refunds', body: '{"amount":10}' });
  expect(post?.headers).toMatchObject({ 'x-api-key': apiKey, 'x-api-token': apiToken, connection: 'close' });
  expect(post?.headers['content-type']).toBe('application/json');
  expect(get).toMatchObject({ method: 'GET', body: '' });
  expect(get?.url).toBe('/prefix/v1.1/transactions?referenceCode=order+1%2F%C3%A9&page=2&all=true');
});

it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'delete'])('a %s is sent', async (method) => {
  const server = await startHttpServer(reply(200, { method }));
  expect(await clientFor(server).request({ method, path: '/x' })).toEqual({ method });
  expect(server.requests[0]?.method).toBe(method.toUpperCase());
});

it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'a %s without a body is sent once on 421, although the platform’s fetch may send a request again on 421',
  async (method) => {
    const server = await startHttpServer(reply(421));
    const thrown = await failureOf(clientFor(server).request({ method, path: '/x' }));
    expect(thrown).toMatchObject({ httpStatus: 421, outcome: 'refused', attempts: 1 });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body).toBe('');
  },
);

it.each([200, 202, 204])('an empty %d gives undefined', async (status) => {
  const server = await startHttpServer(reply(status));
  expect(await clientFor(server).request(refund)).toBeUndefined();
});

describe('a request that cannot be sent as it is', () => {
  it.each([
    ['path', { path: 'v1.1/x' }],
    ['path', { path: '' }],
    ['path', { path: '//elsewhere.example/x' }],
    ['path', { path: 'https://elsewhere.example/x' }],
    ['path', { path: '/x?y=1' }],
    ['path', { path: '/x#y' }],
    ['path', { path: '/a/../x' }],
    ['path', { path: '/a/%2e%2E/x' }],
    ['path', { path: '/a/.' }],
    ['path', { path: '/a\\..\\x' }],
    ['path', { path: '/a\n' }],
    ['path', { path: '/é' }],
    ['path', { path: 7 as never }],
    ['method', { method: 'CONNECT', path: '/x' }],
    ['method', { method: 'TRACE', path: '/x' }],
    ['method', { method: 'G ET', path: '/x' }],
    ['method', { method: '', path: '/x' }],
    ['method', { method: undefined as never, path: '/x' }],
    ['body', { method: 'GET', path: '/x', body: {} }],
    ['query.amount', { path: '/x', query: { amount: Number('29,90') } }],
    ['query.list', { path: '/x', query: { list: [1] as never } }],
    ['query', { path: '/x', query: new URLSearchParams({ referenceCode: 'order-1' }) as never }],
    ['query', { path: '/x', query: new Map([['referenceCode', 'order-1']]) as never }],
    ['query', { path: '/x', query: 'referenceCode=order-1' as never }],
    ['query', { path: '/x', query: ['order-1'] as never }],
    ['amount', { path: '/x', body: { amount: Number('29,90') } }],
    // Forgotten calls and `await`s, and what JSON makes an empty object of.
    ['sent.', { path: '/x', body: () => ({ amount: 1 }) }],
    ['sent.', { path: '/x', body: Symbol('x') }],
    ['sent.', { path: '/x', body: Promise.resolve({ amount: 1 }) }],
    ['refund', { path: '/x', body: { refund: Promise.resolve({ amount: 1 }) } }],
    ['refund', { path: '/x', body: { refund: new Map([['amount', 1]]) } }],
    ['refunds.0', { path: '/x', body: { refunds: [new Set([1])] } }],
  ])('is refused with its %s, before anything is sent: %j', async (field, request) => {
    const server = await startHttpServer(reply(200, {}));
    const thrown = await failureOf(clientFor(server).request({ method: 'POST', ...request }));
    expect(thrown).toBeInstanceOf(InvalidRequestError);
    expect(thrown).toMatchObject({ outcome: 'not-sent' });
    expect(thrown.message).toMatch(new RegExp(`${field}:? expected`));
    expect(server.requests).toEqual([]);
  });

  it('such as one with a schema that is none, is refused', async () => {
    const thrown = await failureOf(
      clientFor({ url: 'https://x.example' }).request({ ...find, schema: {} as never }),
    );
    expect(thrown.code).toBe('configuration');
  });
});

describe('a schema', () => {
  const schema = z.object({ uuid: z.string(), amount: z.number() });

  it('validates the response, and gives the call its type', async () => {
    const server = await startHttpServer(reply(200, { uuid: 'u', amount: 1, extra: 1 }));
    const result = await clientFor(server).request({ ...find, schema });
    expectTypeOf(result).toEqualTypeOf<{ uuid: string; amount: number }>();
    expect(result).toEqual({ uuid: 'u', amount: 1 });
  });

  it('that refuses a success makes an InvalidResponseError with paths, the uuid, and no values', async () => {
    const server = await startHttpServer(reply(200, { uuid: 'uuid-1', amount: '52998224725' }));
    const thrown = await failureOf(clientFor(server).request({ ...refund, schema }));
    expect(thrown).toBeInstanceOf(InvalidResponseError);
    expect(thrown).toMatchObject({
      outcome: 'unknown',
      uuid: 'uuid-1',
      operation: 'POST /v1.1/refunds',
      issues: [{ path: ['amount'], message: 'refused by your schema' }],
    });
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('52998224725');
  });

  it('may be asynchronous, and one that throws leaves the outcome unknown', async () => {
    const server = await startHttpServer(reply(200, { uuid: 'uuid-1', amount: 1 }));
    const later = (validate: () => never) =>
      ({ '~standard': { version: 1, vendor: 'x', validate } }) as never;
    const works = later((async () => ({ value: 'read' })) as never);
    expect(await clientFor(server).request({ ...refund, schema: works })).toBe('read');
    const throws = later(() => {
      throw new Error('52998224725');
    });
    const thrown = await failureOf(clientFor(server).request({ ...refund, schema: throws }));
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown', uuid: 'uuid-1' });
  });

  const schemaThat = (validate: (value: unknown) => unknown) =>
    ({ '~standard': { version: 1, vendor: 'x', validate } }) as never;

  it('that never ends is within the time limit of the call, and can be aborted', async () => {
    const server = await startHttpServer(reply(200, { uuid: 'uuid-1' }));
    const hangs = { ...refund, schema: schemaThat(() => new Promise(() => undefined)) };
    const timedOut = clientFor(server).request(hangs, { totalTimeoutMs: 200 });
    expect(await failureOf(timedOut)).toMatchObject({ code: 'timeout', outcome: 'unknown', uuid: 'uuid-1' });
    const controller = new AbortController();
    const { signal } = controller;
    const aborts = { ...refund, schema: schemaThat(() => new Promise(() => controller.abort())) };
    const aborted = clientFor(server).request(aborts, { signal });
    expect(await failureOf(aborted)).toMatchObject({ code: 'aborted', outcome: 'unknown', uuid: 'uuid-1' });
    expect(server.requests).toHaveLength(2);
  });

  it('whose result is a promise that rejects leaves the outcome unknown', async () => {
    const server = await startHttpServer(reply(200, { uuid: 'uuid-1' }));
    const schema = schemaThat(() => ({ value: Promise.reject(new Error('52998224725')) }));
    expect(await failureOf(clientFor(server).request({ ...refund, schema }))).toMatchObject({
      code: 'invalid_response',
      outcome: 'unknown',
      uuid: 'uuid-1',
    });
  });
});

describe('a failure', () => {
  it('has the operation, the outcome, and the uuid of a response that is cut', async () => {
    const text = JSON.stringify({ response: { uuid: 'uuid-1', padding: 'x'.repeat(100) } });
    const server = await startRawServer((socket) => socket.end(rawAnswer('200 OK', text).slice(0, -5)));
    const onResponse = vi.fn();
    const thrown = await failureOf(clientFor(server, { onResponse }).request(refund));
    expect(thrown).toMatchObject({
      code: 'connection_failed',
      outcome: 'unknown',
      uuid: 'uuid-1',
      operation: 'POST /v1.1/refunds',
      attempts: 1,
    });
    const event = { operation: 'POST /v1.1/refunds', method: 'POST', urlTemplate: '/v1.1/refunds' };
    expect(onResponse).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(event));
    expect(thrown.message).toContain('It may have gone through: find out before you make it again.');
  });

  it('has no uuid where two differ', async () => {
    const server = await startHttpServer(reply(500, { uuid: 'uuid-1', response: { uuid: 'uuid-2' } }));
    expect((await failureOf(clientFor(server).request(refund)))['uuid']).toBeUndefined();
  });

  it('by a body whose status is not 0 is an ApiError', async () => {
    const server = await startHttpServer(reply(200, { status: 999 }));
    expect(await failureOf(clientFor(server).request(refund))).toMatchObject({
      code: 'api_error',
      status: 999,
      outcome: 'unknown',
    });
  });

  it.each(['<!doctype html><html>', '{"a":', 'text'])('by a success that is not JSON: %s', async (text) => {
    const server = await startHttpServer(reply(200, text));
    const thrown = await failureOf(clientFor(server).request(find));
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown' });
  });

  it('by a number that is cut is not taken for a shorter number', async () => {
    const server = await startRawServer((socket) => socket.end(rawAnswer('200 OK', '1234').slice(0, -1)));
    expect(await failureOf(clientFor(server).request(refund))).toMatchObject({ code: 'connection_failed' });
  });

  it.each([
    ['a path', encodeURI],
    ['a form', (text: string) => new URLSearchParams([['', text]]).toString().slice(1)],
    ['every byte', (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
  ])('does not show a credential that is in the path, encoded as %s', async (_, encode) => {
    const server = await startHttpServer(reply(404));
    const secret = 'é+b/c=12345 (6)*~7890';
    const client = clientFor(server, { apiToken: secret });
    const thrown = await failureOf(client.request({ method: 'GET', path: `/x/${encode(secret)}/y` }));
    expect(thrown).toMatchObject({ operation: 'GET /x/[redacted]/y' });
    expect(thrown.message).not.toContain(encode(secret));
  });

  it('does not show a credential that is in the path, percent-encoded or not', async () => {
    const server = await startHttpServer(reply(404));
    const secret = 'a+b/c=1234567890';
    const client = clientFor(server, { apiKey: secret });
    const thrown = await failureOf(
      client.request({ method: 'GET', path: `/x/${encodeURIComponent(secret)}/a+b/c=1234567890` }),
    );
    expect(thrown).toMatchObject({ operation: 'GET /x/[redacted]/[redacted]' });
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toMatch(/a%2Bb|a\+b/);
  });
});

describe('retries', () => {
  it('of a GET follow every failure that may pass', async () => {
    const server = await startHttpServer(dropConnection, reply(503), reply(200, {}));
    expect(await clientFor(server).request(find)).toEqual({});
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'of a %s follow a 429 alone, over the platform’s fetch',
    async (method) => {
      const server = await startHttpServer(reply(429), reply(200, {}), reply(503));
      expect(await clientFor(server).request({ method, path: '/x' })).toEqual({});
      expect(await failureOf(clientFor(server).request({ method, path: '/x' }))).toMatchObject({
        attempts: 1,
      });
      const url = `http://127.0.0.1:${await unusedPort()}`;
      expect(await failureOf(clientFor({ url }).request({ method, path: '/x' }))).toMatchObject({
        attempts: 1,
        outcome: 'not-sent',
      });
      const fetch: Fetch = async () => new Response('', { status: 429 });
      expect(await failureOf(clientFor({ url }, { fetch }).request({ method, path: '/x' }))).toMatchObject({
        attempts: 1,
        httpStatus: 429,
      });
    },
  );
});

describe('requestId', () => {
  it.each([
    [{ 'x-request-id': 'a1', 'request-id': 'b', 'x-correlation-id': 'c' }, 'a1'],
    [{ 'request-id': 'b1', 'x-correlation-id': 'c' }, 'b1'],
    [{ 'x-correlation-id': 'c1' }, 'c1'],
    [{ 'x-request-id': `id-${apiKey}` }, 'id-[redacted]'],
    [{ 'x-request-id': 'x'.repeat(201) }, undefined],
    [{}, undefined],
  ])('is on an ApiError and in onResponse, from the headers %j', async (headers, requestId) => {
    const server = await startHttpServer(reply(500, '', headers), reply(200, { status: -1 }, headers));
    const onResponse = vi.fn();
    const client = clientFor(server, { onResponse });
    for (const httpStatus of [500, 200]) {
      expect(await failureOf(client.request(refund))).toMatchObject({ httpStatus, requestId });
    }
    expect(onResponse.mock.calls.map(([event]) => event.requestId)).toEqual([requestId, requestId]);
  });
});

describe('serviceErrors', () => {
  it('are those of the body, and the message names the fields but not what is said about them', async () => {
    const errors = [
      { field: 'shopper.document.number', message: '52998224725 is no CPF' },
      { field: 'a value 52998224725', message: 'm' },
      { message: 'all of it' },
      { code: 7 },
      'text',
      null,
    ];
    const server = await startHttpServer(reply(422, { message: 'invalid', errors }));
    const thrown = await failureOf(clientFor(server).request(refund));
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown['serviceErrors']).toEqual(errors.slice(0, 3));
    expect(thrown.message).toContain(
      'It names these fields: shopper.document.number, see `error.serviceErrors`',
    );
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('52998224725');
  });

  it.each([undefined, null, 'text', { field: 'a' }, [], [[]]])(
    'are empty for errors that are %j',
    async (errors) => {
      const server = await startHttpServer(reply(400, { errors }));
      const thrown = await failureOf(clientFor(server).request(refund));
      expect(thrown['serviceErrors']).toEqual([]);
      expect(thrown.message).not.toContain('fields');
    },
  );

  it('are at most 20', async () => {
    const server = await startHttpServer(
      reply(400, { errors: Array.from({ length: 50 }, () => ({ field: 'f' })) }),
    );
    expect((await failureOf(clientFor(server).request(refund)))['serviceErrors']).toHaveLength(20);
  });
});

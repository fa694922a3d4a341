import fc from 'fast-check';
import {
  type Fetch,
  InvalidRequestError,
  type PaymentsClient,
  scheduledPaymentCancellationRequestSchema as schema,
} from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { pathOf, requestBody } from '../../src/client/request';
import { operations } from '../../src/service/operations';
import { scheduledPaymentCancellationRequestObject as object } from '../../src/service/operations/cancel-scheduled-payment';
import { dropConnection, type Respond, reply, startHttpServer, unusedPort } from '../helpers/http-server';
import { seedRandomTests } from '../helpers/random-seed';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import * as values from '../values/support';
import {
  apiKey,
  apiToken,
  cancellationAnswer,
  checkoutAnswer,
  checkoutRequest,
  clientFor,
  endOf,
  failureOf,
  withoutBackOff,
} from './support';

seedRandomTests();
beforeEach(withoutBackOff);
afterEach(() => {
  vi.restoreAllMocks();
  Reflect.deleteProperty(Object.prototype, 'extraFields');
});

const { cancelScheduledPayment: cancel, getTransaction } = operations;

/** The JSON of a cancellation. */
const sent = (request: unknown, extraFields?: unknown): unknown =>
  JSON.parse(requestBody(cancel, schema, object, request as never, { extraFields: extraFields as never }));

/** A client of a service that gives these responses, and the requests that it got. */
async function serve(...responses: Respond[]) {
  const server = await startHttpServer(...responses);
  return { client: clientFor(server), requests: server.requests };
}

describe('a field that the document has at another place is refused, with both places', () => {
  it.each<[string, string, object, object]>([
    ['periodicity', 'recurrence.calendar.periodicity', { periodicity: 'MONTHLY' }, {}],
    ['number', 'shopper.document.number or shopper.phone.number', { number: '1' }, {}],
    ['recurrence.currency', 'currency', {}, { currency: 'BRL' }],
    ['recurrence.recurrenceAmount', 'recurrence.amount.recurrenceAmount', {}, { recurrenceAmount: 1 }],
  ])('%s: expected at %s', async (place, right, top, inRecurrence) => {
    const { client, requests } = await serve(reply(200, checkoutAnswer()));
    const request = checkoutRequest();
    const recurrence = { ...request.recurrence, ...inRecurrence };
    const { message, outcome } = await failureOf(
      client.createRecurringCheckout({ ...request, ...top, recurrence }),
    );
    expect(message).toContain(`${place}: expected at ${right}`);
    expect([outcome, requests.length]).toEqual(['not-sent', 0]);
  });

  it('but any other field is sent, and so is one in an object that the document does not show', async () => {
    const { client, requests } = await serve(reply(200, checkoutAnswer()));
    const more = { newField: 1, split: { number: 1, periodicity: 'x' }, periodicity: null };
    await client.createRecurringCheckout({ ...checkoutRequest(), ...more });
    expect(JSON.parse(String(requests[0]?.body))).toMatchObject(more);
  });
});

describe('the body of a call', () => {
  class Cancellation {
    reason = 'r';
    get inherited() {
      return 'marked-secret';
    }
  }
  const hidden = (shown: object) => ({ secret: 'marked-secret', toJSON: () => shown });
  const evil = JSON.parse('{"__proto__":{"polluted":1}}');

  it.each([
    ['unknown fields', { reason: 'r', a: { b: [1, null] } }, undefined, { a: { b: [1, null] } }],
    ['nothing for null', { reason: 'r' }, null, {}],
    ['extraFields beside its own', { reason: 'r', a: [1] }, { c: { d: 1 } }, { a: [1], c: { d: 1 } }],
    ['the own fields of a class, and no accessors', new Cancellation(), { novel: 1 }, { novel: 1 }],
    ['what the toJSON of a request gives', hidden({ reason: 'r' }), { novel: 1 }, { novel: 1 }],
    ['what the toJSON of extraFields gives', { reason: 'r' }, hidden({ novel: 1 }), { novel: 1 }],
    ['a date as text', { reason: 'r', a: new Date(0) }, {}, { a: '1970-01-01T00:00:00.000Z' }],
  ])('has %s', (_, request, extraFields, expected) => {
    expect(sent(request, extraFields)).toEqual({ reason: 'r', ...expected });
  });

  it('sends a field named __proto__ as a field, and it pollutes nothing', () => {
    const extraFields = { ...evil, a: evil, ...JSON.parse('{"__proto__":{"x":1}}') };
    const json = requestBody(cancel, schema, object, { reason: 'r' }, { extraFields });
    expect(json).toContain('"a":{"__proto__":{"polluted":1}}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    // Nor does it supply a field that the request lacks.
    expect(() => sent({}, JSON.parse('{"__proto__":{"reason":"r"}}'))).toThrow(InvalidRequestError);
  });

  const lost = 'expected plain JSON, which a function, a symbol, a promise or a map is not';
  const plain = 'expected plain JSON: no cycles';
  const twice = 'put this one into the request';
  // What else JSON would lose is in test/values/to-json.test.ts.
  it.each([
    ['a field of the wrong type', { reason: 7 }, undefined, ['reason'], 'expected a string'],
    ['an extra field that the request has', { reason: 'r', a: 1 }, { a: 2 }, ['a'], twice],
    ['an extra field of the document', { a: 1 }, { reason: 'r' }, ['reason'], twice],
    ['a toJSON that lies', { toJSON: () => ({ reason: 7 }) }, undefined, ['reason'], 'expected a string'],
    ['nothing', undefined, undefined, [], 'expected an object, `{ reason: … }`, got undefined'],
    ['null', null, undefined, [], 'expected an object'],
    ['text', 'text', undefined, [], 'expected an object'],
    ['text beside extraFields', 'text', { novel: 1 }, [], 'expected an object'],
    ['a list', [], undefined, [], 'expected an object'],
    ['extraFields that are a map', { reason: 'r' }, new Map(), [], lost],
    ['a toJSON that throws', { reason: 'r' }, { toJSON: () => JSON.parse('CPF 52998224725') }, [], plain],
  ])('is refused, with the path of what is wrong: %s', (_, request, extraFields, path, message) => {
    const error = values.failureOf(() => sent(request, extraFields));
    expect(error).toBeInstanceOf(InvalidRequestError);
    const issues = [{ path, message: expect.stringContaining(message) }];
    expect(error).toMatchObject({ outcome: 'not-sent', issues });
    expect(error.message).toMatch(/^The request of cancelScheduledPayment was refused (?!.*529)/);
    expect(error.cause).toBeUndefined();
  });

  it.each([['text'], [7], [true], [['list']], [new Date(0)], [{ toJSON: () => 'ab' }]])(
    'extraFields that are %j are refused',
    (extraFields) => {
      const error = values.failureOf(() => sent({ reason: 'r' }, extraFields));
      expect([error['code'], error.message]).toEqual([
        'configuration',
        expect.stringContaining('`extraFields`'),
      ]);
    },
  );

  it('gets no extraFields from a polluted prototype', () => {
    Reflect.set(Object.prototype, 'extraFields', { novel: 'polluted' });
    expect(JSON.parse(requestBody(cancel, schema, object, { reason: 'r' }, {}))).toEqual({ reason: 'r' });
  });

  it('is what both calls with a body send, checked as it is sent', async () => {
    const { client, requests } = await serve(reply(200, cancellationAnswer()), reply(200, checkoutAnswer()));
    const extraFields = { novel: 1 };
    await client.cancelScheduledPayment('i-1', { reason: 'r' }, { extraFields });
    await client.createRecurringCheckout(checkoutRequest(), { extraFields });
    const bodies = requests.map(({ body }) => JSON.parse(body));
    expect(bodies).toEqual([{ reason: 'r' }, checkoutRequest()].map((body) => ({ ...body, ...extraFields })));
    const ours = { extraFields: { maxAge: 30, recurrence: {} } };
    const error = await failureOf(client.createRecurringCheckout(checkoutRequest(), ours));
    const issues = [{ path: ['maxAge'] }, { path: ['recurrence'] }];
    expect(error).toMatchObject({ code: 'invalid_request', issues });
    expect(requests).toHaveLength(2);
  });
});

describe('a path parameter', () => {
  it.each([
    ['uuid-1', 'uuid-1'],
    ['...', '...'],
    ['.a', '.a'],
    ['a..', 'a..'],
    ['../x', '..%2Fx'],
    ['%2e%2e', '%252e%252e'],
    ['a?b#c', 'a%3Fb%23c'],
    [' ', '%20'],
    ["$&$'", "%24%26%24'"],
    ['\u{1f3e0}', '%F0%9F%8F%A0'],
  ])('of %j is encoded as %s', (identifier, encoded) => {
    expect(pathOf(getTransaction, identifier)).toBe(`/v1.1/transactions/${encoded}`);
    const path = `/v1.1/pix-automatic/scheduled-payments/${encoded}/cancel`;
    expect(pathOf(cancel, identifier)).toBe(path);
  });

  it.each([
    [undefined, 'expected a string, got undefined'],
    [7, 'expected a string, got a number'],
    [['uuid-1'], 'expected a string, got a list'],
    [{ toString: () => '../x' }, 'expected a string, got an object'],
    ['', 'expected a non-empty string'],
    ['.', 'expected an identifier, not a dot segment of a path'],
    ['..', 'expected an identifier, not a dot segment of a path'],
    ['a\ud800b', 'expected well-formed Unicode'],
    ['\udc00', 'expected well-formed Unicode'],
  ])('of %j is refused, says why, and nothing is sent', async (given, message) => {
    const { client, requests } = await serve(reply(200, { status: 0 }));
    const identifier = given as string;
    const query = await failureOf(client.getTransaction(identifier));
    expect(query).toMatchObject({ outcome: 'not-sent', issues: [{ path: ['transactionUUID'], message }] });
    expect(query.message).toContain('The call of getTransaction was refused');
    const cancellation = await failureOf(client.cancelScheduledPayment(identifier, { reason: 'r' }));
    const issues = [{ path: ['instructionId'], message }];
    expect(cancellation).toMatchObject({ code: 'invalid_request', issues });
    expect(requests).toEqual([]);
  });

  it('of any characters is decoded by the service as it was given', async () => {
    const { client, requests } = await serve(reply(200, { status: 0 }));
    const special = fc.constantFrom('.', '/', '\\', '%', '2', 'e', '?', '#', '\u0000', ';', '$', '&');
    const identifier = fc
      .oneof(fc.string({ minLength: 1, unit: 'binary' }), fc.string({ minLength: 1, unit: special }))
      .filter((value) => value !== '.' && value !== '..');
    const property = fc.asyncProperty(identifier, async (value) => {
      await client.getTransaction(value);
      const segments = requests.at(-1)?.url.split('/') ?? [];
      expect(segments.slice(0, 3)).toEqual(['', 'v1.1', 'transactions']);
      expect(segments.slice(3).map(decodeURIComponent)).toEqual([value]);
    });
    await fc.assert(property, { numRuns: 200 });
    // 200 requests take a second, and much longer on a busy machine.
  }, 120_000);
});

describe('client.request', () => {
  const refund = { method: 'POST', path: '/v1.1/refunds', body: { amount: 10, note: undefined } };
  const query = { referenceCode: 'order 1/é', page: 2, all: true };
  const find = { method: 'GET', path: '/v1.1/transactions', query };
  const nowhere = { url: 'https://x.example' };

  it('sends method, path, query and body with the credentials, and gives the parsed body', async () => {
    const server = await startHttpServer(reply(200, { status: 0, refunds: [1, 2] }), reply(200, []));
    const client = clientFor({ url: `${server.url}/prefix/` });
    expect(await client.request(refund)).toEqual({ status: 0, refunds: [1, 2] });
    expect(await client.request(find)).toEqual([]);
    const headers = { 'x-api-key': apiKey, 'x-api-token': apiToken, connection: 'close' };
    const sentAs = { 'content-type': 'application/json', ...headers };
    const search = 'referenceCode=order+1%2F%C3%A9&page=2&all=true';
    expect(server.requests).toMatchObject([
      { method: 'POST', url: '/prefix/v1.1/refunds', body: '{"amount":10}', headers: sentAs },
      { method: 'GET', url: `/prefix/v1.1/transactions?${search}`, body: '', headers },
    ]);
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'delete'])(
    'sends a %s, once on 421 although fetch may repeat it',
    async (method) => {
      const { client, requests } = await serve(reply(200, { method }), reply(421));
      const request = { method, path: '/x', query: { left: undefined } };
      expect(await client.request(request)).toEqual({ method });
      expect(await failureOf(client.request(request))).toMatchObject({ outcome: 'refused', attempts: 1 });
      const got = { method: method.toUpperCase(), url: '/x', body: '' };
      // Without a stream as its body, the platform's fetch sends a query again on 421.
      expect(requests).toMatchObject(Array(method === 'GET' ? 3 : 2).fill(got));
    },
  );

  it('sends a HEAD, which can have no body and no stream', async () => {
    const { client, requests } = await serve(reply(200));
    expect(await client.request({ method: 'HEAD', path: '/x' })).toBeUndefined();
    expect(requests).toMatchObject([{ method: 'HEAD', body: '' }]);
  });

  it.each(['RETRACE', 'TRACER'])('sends a %s, whose name only contains a forbidden one', async (method) => {
    const fetch = vi.fn<Fetch>(async () => Response.json({}));
    await clientFor(nowhere, { fetch }).request({ method, path: '/x', query: {} });
    expect(fetch.mock.calls).toMatchObject([['https://x.example/x', { method }]]);
  });

  it.each([200, 202, 204])('gives undefined for an empty %d', async (status) => {
    expect(await (await serve(reply(status))).client.request(refund)).toBeUndefined();
  });

  const paths = `v1.1/x  //elsewhere.example/x https://elsewhere.example/x /x?y=1 /x#y /a/../x /a/%2e%2E/x /a/. /a\\..\\x /é`;

  it.each([
    ...[...paths.split(' '), '/a\n', 7].map((path) => ['path', { path }]),
    ...['CONNECT', 'TRACE', 'G ET', '', undefined].map((method) => ['method', { method, path: '/x' }]),
    ['path', { path: ['/x'] }],
    ['body', { method: 'GET', path: '/x', body: {} }],
    ['body', { method: 'HEAD', path: '/x', body: {} }],
    ['query.\\*', { path: '/x', query: { amount: Number('29,90') } }],
    ['query.\\*', { path: '/x', query: { list: [1] } }],
    ['query', { path: '/x', query: new URLSearchParams({ referenceCode: 'order-1' }) }],
    ['query', { path: '/x', query: new Map([['referenceCode', 'order-1']]) }],
    ['query', { path: '/x', query: 'referenceCode=order-1' }],
    ['query', { path: '/x', query: ['order-1'] }],
    ['sent.', { path: '/x', body: new URLSearchParams('amount=1') }],
    // Forgotten calls and `await`s.
    ['sent.', { path: '/x', body: () => ({ amount: 1 }) }],
    ['sent.', { path: '/x', body: Promise.resolve({ amount: 1 }) }],
    ['\\*', { path: '/x', body: { refund: Promise.resolve({ amount: 1 }) } }],
    ['\\*', { path: '/x', body: { amount: () => 1 } }],
  ] as Array<[string, object]>)(
    'is refused with its %s, before anything is sent: %j',
    async (field, request) => {
      const { client, requests } = await serve(reply(200, {}));
      const thrown = await failureOf(client.request({ method: 'POST', ...request } as never));
      expect(thrown).toBeInstanceOf(InvalidRequestError);
      expect(thrown).toMatchObject({ outcome: 'not-sent' });
      expect(thrown.message).toMatch(/^The (?:call|body) of client\.request was refused /);
      expect(thrown.message).toMatch(new RegExp(`${field}:? expected`));
      expect(requests).toEqual([]);
    },
  );

  it('shows no name of its query or body in a message', async () => {
    const client = clientFor(nowhere);
    const ofQuery = await failureOf(client.request({ ...find, query: { cpf_123: Number.NaN } }));
    expect(ofQuery).toMatchObject({ issues: [{ path: ['query', 'cpf_123'] }] });
    expect(ofQuery.message).toContain('query.*: expected a string, a finite number');
    const ofBody = await failureOf(client.request({ ...refund, body: { cpf_123: [() => 1] } }));
    expect(ofBody).toMatchObject({ issues: [{ path: ['cpf_123', 0] }] });
    expect(ofBody.message).toContain('*.0: expected plain JSON');
    const request = { reason: 'r', cpf_123: Number.NaN };
    const ofRequest = await failureOf(client.cancelScheduledPayment('id', request));
    expect(ofRequest.message).toContain(' *: expected a finite number');
  });

  it('is retried like a query if it is a GET', async () => {
    const { client } = await serve(dropConnection, reply(503), reply(200, {}));
    expect(await client.request(find)).toEqual({});
  });

  it.each(['POST', 'PATCH', 'DELETE'])(
    'is retried as a %s on 429 alone, over the platform’s fetch',
    async (method) => {
      const request = { method, path: '/x' };
      const end = (client: PaymentsClient) => endOf(client.request(request), {});
      const { client } = await serve(reply(429), reply(200, {}), reply(503));
      expect(await end(client)).toBe('answer');
      expect(await end(client)).toBe('api_error 503: unknown after 1');
      const unused = { url: `http://127.0.0.1:${await unusedPort()}` };
      expect(await end(clientFor(unused))).toBe('connection_failed: not-sent after 1');
      const fetch: Fetch = async () => new Response('', { status: 429 });
      expect(await end(clientFor(unused, { fetch }))).toBe('api_error 429: refused after 1');
    },
  );

  it.each([
    ['a cut', rawAnswer('200 OK', '{"uuid":"uuid-1","x":1}').slice(0, -5), 'connection_failed', 'uuid-1'],
    ['two uuids', rawAnswer('500 x', '{"uuid":"u-1","response":{"uuid":"u-2"}}'), 'api_error', undefined],
    ['a body whose status is not 0', rawAnswer('200 OK', '{"status":999}'), 'api_error', undefined],
    ['HTML', rawAnswer('200 OK', '<!doctype html><html>'), 'invalid_response', undefined],
    ['text', rawAnswer('200 OK', 'text'), 'invalid_response', undefined],
    ['a number that is cut', rawAnswer('200 OK', '1234').slice(0, -1), 'connection_failed', undefined],
  ])('has the operation, the outcome and the uuid on its error after %s', async (_, answer, code, uuid) => {
    const server = await startRawServer((socket) => socket.end(answer));
    const onResponse = vi.fn();
    const thrown = await failureOf(clientFor(server, { onResponse }).request(refund));
    const operation = 'POST /v1.1/refunds';
    expect(thrown).toMatchObject({ code, outcome: 'unknown', uuid, operation, attempts: 1 });
    expect(thrown.message).toContain('It may have gone through: find out before you make it again.');
    const event = { operation, method: 'POST', urlTemplate: '/v1.1/refunds' };
    expect(onResponse).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(event));
  });

  describe('with a schema', () => {
    const schema = z.object({ uuid: z.string(), amount: z.number() });
    const schemaThat = (validate: (value: unknown) => unknown) =>
      ({ '~standard': { version: 1, vendor: 'x', validate } }) as never;

    it('validates the response, and gives the call its type', async () => {
      const { client } = await serve(reply(200, { uuid: 'u', amount: 1, extra: 1 }));
      const result = await client.request({ ...find, schema });
      expectTypeOf(result).toEqualTypeOf<{ uuid: string; amount: number }>();
      expect(result).toEqual({ uuid: 'u', amount: 1 });
      const later = schemaThat(async () => ({ value: 'read' }));
      expect(await client.request({ ...refund, schema: later })).toBe('read');
    });

    it.each([{}, null])('that is none is refused: %j', async (none) => {
      const call = clientFor(nowhere).request({ ...find, schema: none as never });
      const { code, message } = await failureOf(call);
      expect(code).toBe('configuration');
      expect(message).toContain('Expected `schema` to be a Standard Schema, such as one of zod, valibot or');
    });

    const leak = () => JSON.parse('52998224725 CPF');
    const refuses = (path?: unknown) => () => ({ issues: [{ path, message: '52998224725' }] });
    const refused = 'refused by your schema';
    const unreadable = 'expected a value that the schema can read';
    const inList = ['payers', 'maria', 0, 'x'];

    // The schema may name a field after a value, which is on the error and not in its message.
    it.each([
      ['refuses the response', refuses(['a', { key: 'b' }]), ['a', 'b'], '*.*', refused],
      ['refuses it without a path', refuses(), [], '', refused],
      ['refuses it in a list', refuses(inList), inList, '*.*.0.*', refused],
      ['gives objects as keys', refuses([{ key: { toString: () => 'x' } }]), ['x'], '*', refused],
      ['gives keys that throw', refuses([{ key: { toString: leak } }]), [], '', unreadable],
      ['gives a path that is no list', refuses(7), [], '', unreadable],
      ['gives issues that are no list', () => ({ issues: 7 }), [], '', unreadable],
      ['throws', leak, [], '', unreadable],
      ['rejects', async () => leak(), [], '', unreadable],
      ['gives a rejection', () => ({ value: (async () => leak())() }), [], '', unreadable],
    ])('that %s makes an InvalidResponseError with the uuid, and no values', async (...row) => {
      const [, validate, path, shown, message] = row;
      const { client } = await serve(reply(200, { uuid: 'uuid-1', amount: '52998224725' }));
      const thrown = await failureOf(client.request({ ...refund, schema: schemaThat(validate) }));
      const expected = { code: 'invalid_response', outcome: 'unknown', uuid: 'uuid-1' };
      expect(thrown).toMatchObject({ ...expected, issues: [{ path, message }] });
      expect(thrown.message).toContain(` ${shown}${shown && ': '}${message}`);
      expect(thrown.message + JSON.stringify(thrown)).not.toContain('52998224725');
    });

    it('that never ends is within the time limit of the call, and can be aborted', async () => {
      const { client, requests } = await serve(reply(200, { uuid: 'uuid-1' }));
      const hangs = { ...refund, schema: schemaThat(() => new Promise(() => undefined)) };
      const timedOut = client.request(hangs, { totalTimeoutMs: 1_500 });
      expect(await endOf(timedOut, {})).toBe('timeout: unknown after 1 uuid-1');
      const controller = new AbortController();
      const aborts = { ...refund, schema: schemaThat(() => new Promise(() => controller.abort())) };
      const aborted = client.request(aborts, { signal: controller.signal });
      expect(await endOf(aborted, {})).toBe('aborted: unknown after 1 uuid-1');
      expect(requests).toHaveLength(2);
    });
  });
});

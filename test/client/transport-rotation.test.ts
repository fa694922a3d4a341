import { confirmPayment, type Fetch, PaymentsClient, type PaymentsClientOptions } from 'pix-automatic-sdk';
import { fixtures } from 'pix-automatic-sdk/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred } from '../helpers/deferred';
import {
  dropConnection,
  type Respond,
  reply,
  startHttpServer,
  type TestServer,
} from '../helpers/http-server';
import {
  apiKey,
  apiToken,
  changing,
  clientFor,
  endOf,
  failOnWarnings,
  failureOf,
  operations,
  withoutBackOff,
} from './support';

const [create, query] = operations;
const previous = { apiKey: 'older-pair-1f9c04e2', apiToken: 'older-pair-77ab3d10' };
const older = `${previous.apiKey} ${previous.apiToken}`;

beforeEach(withoutBackOff);
failOnWarnings();

/** A service that accepts one key only. */
const accepting =
  (key: () => string, answer: unknown, status = 401): Respond =>
  (response, request) => {
    const accepts = request.headers['x-api-key'] === key();
    reply(accepts ? 200 : status, accepts ? answer : '')(response, request);
  };

const during = (server: TestServer, options: Partial<PaymentsClientOptions> = {}) =>
  clientFor(server, { previous, ...options });

/** Which pair each request had: `new old old`. */
const pairsOf = ({ requests }: Pick<TestServer, 'requests'>) =>
  requests
    .map(({ headers }) => `${headers['x-api-key']} ${headers['x-api-token']}`)
    .map((pair) => (pair === `${apiKey} ${apiToken}` ? 'new' : pair === older ? 'old' : pair))
    .join(' ');

describe.each(operations)('$name during a rotation', ({ call, answer, method }) => {
  it.each([401, 403])('is sent again with the other pair after a %d, with the same body', async (status) => {
    const onRetry = vi.fn();
    const server = await startHttpServer(accepting(() => previous.apiKey, answer(), status));
    expect(await call(during(server, { onRetry, maxRetries: 0 }))).toEqual(answer());
    expect(pairsOf(server)).toBe('new old');
    const [first, second] = server.requests;
    expect(second).toMatchObject({ method, url: first?.url, body: first?.body });
    const event = { status, errorCode: 'api_error', attempt: 1, delayMs: 0 };
    expect(onRetry).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(event));
  });

  // What the service answers, with a bar between two calls, and which pairs each call used.
  it.each([
    ['401 200 | 200 | 401 200 | 200', 0, 'new old: answer | old: answer | old new: answer | new: answer'],
    ['401 503 | 401 200', 0, 'new old: api_error 503: unknown after 2 | new old: answer'],
    ['401 407 | 401 200', 0, 'new old: api_error 407: refused after 2 | new old: answer'],
    ['401 400 | 401 200', 0, 'new old: api_error 400: refused after 2 | new old: answer'],
    ['401 429 | 401 200', 0, 'new old: api_error 429: refused after 2 | new old: answer'],
    ['401 401', 2, 'new old: api_error 401: refused after 2'],
    ['403 200 | 200', 0, 'new old: answer | old: answer'],
    ['403 403', 2, 'new old: api_error 403: refused after 2'],
    ['401 403', 2, 'new old: api_error 403: refused after 2'],
    ['429 401 429 429', 2, 'new new old old: api_error 429: refused after 4'],
    ['429 429', 1, 'new new: api_error 429: refused after 2'],
  ])(
    'uses the pair first that got a 2xx, and each once, for the statuses %s with a maxRetries of %d',
    async (calls, maxRetries, ends) => {
      const statuses = calls.match(/\d+/g)?.map(Number) ?? [];
      const server = await startHttpServer(
        ...statuses.map((status) => reply(status, status === 200 ? answer() : '')),
      );
      const client = during(server, { maxRetries });
      const seen: string[] = [];
      for (const _ of calls.split('|')) {
        const before = server.requests.length;
        const ended = await endOf(call(client), answer());
        seen.push(`${pairsOf({ requests: server.requests.slice(before) })}: ${ended}`);
      }
      expect(seen.join(' | ')).toBe(ends);
      expect(server.requests).toHaveLength(statuses.length);
    },
  );

  it.each([401, 403])('says that both pairs were refused, with a %d', async (status) => {
    const server = await startHttpServer(reply(403), reply(status));
    await expect(call(during(server))).rejects.toThrow('Both pairs were refused');
  });

  it('does not begin the other attempt once the deadline is over', async () => {
    let now = 1_000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const server = await startHttpServer((response, request) => {
      now += 1_000;
      reply(401)(response, request);
    });
    const ended = await endOf(call(during(server, { totalTimeoutMs: 1_000 })), {});
    clock.mockRestore();
    expect(ended).toBe('api_error 401: refused after 1');
    expect(server.requests).toHaveLength(1);
  });

  it.each([undefined, { apiKey, apiToken }])(
    'is not sent again after a 401 with %j as previous',
    async (pair) => {
      const server = await startHttpServer(reply(401), reply(200, answer()));
      const ended = await endOf(call(clientFor(server, { previous: pair })), {});
      expect(ended).toBe('api_error 401: refused after 1');
    },
  );

  it('shows neither pair, whatever the service quotes', async () => {
    const secrets = [apiKey, apiToken, previous.apiKey, previous.apiToken];
    const location = `https://${previous.apiKey}.${previous.apiToken}.example`;
    const body = { response: { uuid: previous.apiToken }, uuid: previous.apiToken };
    const server = await startHttpServer(reply(302, body, { location, 'x-request-id': secrets.join('-') }));
    const { uuid, message, requestId } = await failureOf(call(during(server)));
    expect(uuid).toBeUndefined();
    for (const secret of secrets) expect(`${message} ${requestId}`).not.toContain(secret);
    expect(requestId).toContain('[redacted]');
  });
});

describe.each(operations)('$name over a fetch of the caller’s', ({ call, answer, method }) => {
  it(`is ${method === 'GET' ? '' : 'not '}sent again with the other pair: it may have sent it before`, async () => {
    const server = await startHttpServer(reply(401), reply(200, answer()));
    const fetch: Fetch = (url, init) => globalThis.fetch(url, init);
    const ended = await endOf(call(during(server, { fetch })), answer());
    expect(ended).toBe(method === 'GET' ? 'answer' : 'api_error 401: refused after 1');
    expect(pairsOf(server)).toBe(method === 'GET' ? 'new old' : 'new');
  });
});

it('a call that began before another one found the accepted pair does not undo that', async () => {
  let accepted = apiKey;
  const held = deferred();
  const server = await startHttpServer(async (response, request) => {
    const isFirst = server.requests.length === 1;
    const key = request.headers['x-api-key'];
    const status = key === accepted ? 200 : 401;
    if (isFirst) await held.promise;
    reply(status, query.answer())(response, request);
  });
  const client = during(server);
  const slow = query.call(client);
  await expect.poll(() => server.requests.length).toBe(1);
  accepted = previous.apiKey;
  await query.call(client);
  held.resolve();
  await slow;
  await query.call(client);
  expect(pairsOf(server)).toBe('new new old old');
});

describe('previous', () => {
  const baseUrl = 'https://service.example';

  it.each([
    [{ apiKey: '', apiToken }, '`previous.apiKey` to be a non-empty string'],
    [{ apiKey: 'key' }, '`previous.apiToken` to be a non-empty string'],
    [{ apiKey: 'a:b', apiToken }, '`previous.apiKey` to be without a colon'],
    [{ apiKey: 'key', apiToken: 'line\n' }, '`previous.apiToken` to be without white space'],
    ['key:token', '`previous: { apiKey, apiToken }`, got a string'],
  ])('is refused when it is %j', (pair, message) => {
    const options = { baseUrl, apiKey, apiToken, previous: pair as never };
    expect(() => new PaymentsClient(options)).toThrow(message);
  });

  const env = {
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_API_TOKEN: apiToken,
    PAYMENTS_API_KEY_PREVIOUS: previous.apiKey,
    PAYMENTS_API_TOKEN_PREVIOUS: previous.apiToken,
  };

  it('comes from PAYMENTS_API_KEY_PREVIOUS and PAYMENTS_API_TOKEN_PREVIOUS with fromEnv', async () => {
    const server = await startHttpServer(accepting(() => previous.apiKey, query.answer()));
    const client = PaymentsClient.fromEnv({ ...env, PAYMENTS_BASE_URL: server.url });
    expect(await query.call(client)).toEqual(query.answer());
  });

  it('needs both variables, and an option counts more than they', async () => {
    const half = { ...env, PAYMENTS_BASE_URL: baseUrl, PAYMENTS_API_TOKEN_PREVIOUS: '' };
    expect(() => PaymentsClient.fromEnv(half)).toThrow('PAYMENTS_API_TOKEN_PREVIOUS');
    const server = await startHttpServer(accepting(() => 'third', query.answer()));
    const third = { previous: { apiKey: 'third', apiToken } };
    const client = PaymentsClient.fromEnv({ ...env, PAYMENTS_BASE_URL: server.url }, third);
    expect(await query.call(client)).toEqual(query.answer());
  });
});

it('confirmPayment confirms with the new pair in the client before the service has switched', async () => {
  const payload = fixtures.payment();
  const { saleToken: uuid, amount, currency, referenceCode } = payload;
  const paid = { uuid, amount, currency, referenceCode, situation: 'PAID', refunds: undefined };
  const transaction = { ...fixtures.transaction(), ...paid };
  const server = await startHttpServer(accepting(() => previous.apiKey, transaction));
  const confirmation = await confirmPayment(during(server), { kind: 'payment', payload });
  expect(confirmation).toMatchObject({ confirmed: true, differences: [] });
});

it('a refusal after a failure of another kind does not say that both pairs were refused', async () => {
  const server = await startHttpServer(reply(503), reply(403));
  const { message } = await failureOf(query.call(clientFor(server)));
  expect(server.requests).toHaveLength(2);
  expect(message).toContain('with HTTP 403. Check that');
});

it('a 401 that names the journey is not answered by another attempt', async () => {
  const server = await startHttpServer(reply(401, create.answer()), reply(200, create.answer()));
  expect(await endOf(create.call(during(server)), {})).toBe('api_error 401: unknown after 1 uuid-1');
  expect(server.requests).toHaveLength(1);
});

it.each(changing)('$name leaves no unhandled rejection when the second attempt fails', async ({ call }) => {
  const server = await startHttpServer(reply(401), dropConnection);
  expect(await endOf(call(during(server)), {})).toBe('connection_failed: unknown after 2');
});

it('a journey is created once, whatever pair the service accepts', async () => {
  const server = await startHttpServer(accepting(() => previous.apiKey, create.answer()));
  await Promise.all([1, 2, 3].map(() => create.call(during(server))));
  expect(pairsOf(server).match(/old/g)).toHaveLength(3);
});

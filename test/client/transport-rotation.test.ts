import { confirmPayment, type Fetch, PaymentsClient, type PaymentsClientOptions } from 'pix-automatic-sdk';
import { fixtures } from 'pix-automatic-sdk/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Respond, reply, startHttpServer, type TestServer } from '../helpers/http-server';
import { apiKey, apiToken, changing, clientFor, failureOf, operations, withoutBackOff } from './support';

const [create, query] = operations;
const previous = { apiKey: 'older-pair-1f9c04e2', apiToken: 'older-pair-77ab3d10' };

beforeEach(withoutBackOff);

/** A service that accepts one key only. */
function accepting(key: () => string, answer: unknown): Respond {
  return (response, request) =>
    reply(request.headers['x-api-key'] === key() ? 200 : 401, answer)(response, request);
}

const during = (server: TestServer, options: Partial<PaymentsClientOptions> = {}) =>
  clientFor(server, { previous, ...options });

const keysOf = ({ requests }: TestServer) => requests.map(({ headers }) => headers['x-api-key']);

describe.each(operations)('$name during a rotation', ({ call, answer, method }) => {
  it('is sent again with the other pair after a 401, with the same body', async () => {
    const onRetry = vi.fn();
    const server = await startHttpServer(accepting(() => previous.apiKey, answer()));
    expect(await call(during(server, { onRetry, maxRetries: 0 }))).toEqual(answer());
    const [first, second] = server.requests;
    expect(first?.headers).toMatchObject({ 'x-api-key': apiKey, 'x-api-token': apiToken });
    expect(second?.headers).toMatchObject({
      'x-api-key': previous.apiKey,
      'x-api-token': previous.apiToken,
    });
    expect(server.requests).toHaveLength(2);
    expect(second).toMatchObject({ method, url: first?.url, body: first?.body });
    expect(onRetry).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ status: 401, errorCode: 'api_error', attempt: 1, delayMs: 0 }),
    );
  });

  it('uses the pair first that got a 2xx, and finds the way back when the service has switched', async () => {
    let accepted = previous.apiKey;
    const server = await startHttpServer(accepting(() => accepted, answer()));
    const client = during(server);
    for (let calls = 0; calls < 3; calls += 1) expect(await call(client)).toEqual(answer());
    expect(keysOf(server)).toEqual([apiKey, previous.apiKey, previous.apiKey, previous.apiKey]);
    accepted = apiKey;
    for (let calls = 0; calls < 2; calls += 1) expect(await call(client)).toEqual(answer());
    expect(keysOf(server).slice(4)).toEqual([previous.apiKey, apiKey, apiKey]);
  });

  it.each([503, 407, 400, 429])('does not use the pair first that got a %d', async (status) => {
    const server = await startHttpServer(reply(401), reply(status), reply(401), reply(200, answer()));
    const client = during(server, { maxRetries: 0 });
    expect(await failureOf(call(client))).toMatchObject({ httpStatus: status, attempts: 2 });
    expect(await call(client)).toEqual(answer());
    expect(keysOf(server)).toEqual([apiKey, previous.apiKey, apiKey, previous.apiKey]);
  });

  it('is refused when both pairs are: each is tried once', async () => {
    const server = await startHttpServer(reply(401));
    const thrown = await failureOf(call(during(server)));
    expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 401, outcome: 'refused', attempts: 2 });
    expect(thrown.message).toContain('Both pairs were refused');
    expect(keysOf(server)).toEqual([apiKey, previous.apiKey]);
  });

  it('has its maxRetries beside the attempt with the other pair', async () => {
    const server = await startHttpServer(reply(429), reply(401), reply(429), reply(429));
    const thrown = await failureOf(call(during(server, { maxRetries: 2 })));
    expect(thrown).toMatchObject({ httpStatus: 429, attempts: 4 });
    expect(keysOf(server)).toEqual([apiKey, apiKey, previous.apiKey, previous.apiKey]);
  });

  it('has no retry more than maxRetries while no pair is refused', async () => {
    const server = await startHttpServer(reply(429));
    expect(await failureOf(call(during(server, { maxRetries: 1 })))).toMatchObject({ attempts: 2 });
    expect(keysOf(server)).toEqual([apiKey, apiKey]);
  });

  it('does not begin the other attempt once the deadline is over', async () => {
    const fetch = vi.spyOn(performance, 'now');
    let now = 1_000;
    fetch.mockImplementation(() => now);
    const server = await startHttpServer((response, request) => {
      now += 1_000;
      reply(401)(response, request);
    });
    const thrown = await failureOf(call(during(server, { totalTimeoutMs: 1_000 })));
    fetch.mockRestore();
    expect(thrown).toMatchObject({ httpStatus: 401, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it('is not sent again after a 401 without `previous`, or with the same pair as `previous`', async () => {
    for (const pair of [undefined, { apiKey, apiToken }]) {
      const server = await startHttpServer(reply(401), reply(200, answer()));
      const thrown = await failureOf(call(clientFor(server, { previous: pair })));
      expect(thrown).toMatchObject({ httpStatus: 401, attempts: 1 });
    }
  });

  it('shows neither pair, whatever the service quotes', async () => {
    const quoted = `${apiKey} ${apiToken} ${previous.apiKey} ${previous.apiToken}`;
    const answer = reply(
      302,
      { response: { uuid: previous.apiToken }, uuid: previous.apiToken },
      {
        location: `https://${previous.apiKey}.${previous.apiToken}.example`,
        'x-request-id': quoted.replaceAll(' ', '-'),
      },
    );
    const server = await startHttpServer(answer);
    const thrown = await failureOf(call(during(server)));
    expect(thrown['uuid']).toBeUndefined();
    for (const text of [thrown.message, String(thrown['requestId'])]) {
      for (const secret of [apiKey, apiToken, previous.apiKey, previous.apiToken]) {
        expect(text).not.toContain(secret);
      }
    }
    expect(thrown['requestId']).toContain('[redacted]');
  });
});

describe.each(operations)('$name over a fetch of the caller’s', ({ call, answer, method }) => {
  it(`is ${method === 'GET' ? '' : 'not '}sent again with the other pair: it may have sent it before`, async () => {
    const server = await startHttpServer(accepting(() => previous.apiKey, answer()));
    const fetch: Fetch = (url, init) => globalThis.fetch(url, init);
    const called = call(during(server, { fetch }));
    if (method === 'GET') expect(await called).toEqual(answer());
    else expect(await failureOf(called)).toMatchObject({ httpStatus: 401, attempts: 1 });
    expect(server.requests).toHaveLength(method === 'GET' ? 2 : 1);
  });
});

it('a call that began before another one found the accepted pair does not undo that', async () => {
  let accepted = apiKey;
  let release: () => void = () => undefined;
  const server = await startHttpServer(async (response, request) => {
    const isFirst = server.requests.length === 1;
    const key = request.headers['x-api-key'];
    const status = key === accepted ? 200 : 401;
    if (isFirst) await new Promise<void>((resolve) => (release = resolve));
    reply(status, query.answer())(response, request);
  });
  const client = during(server);
  const slow = query.call(client);
  await expect.poll(() => server.requests.length).toBe(1);
  accepted = previous.apiKey;
  await query.call(client);
  release();
  await slow;
  await query.call(client);
  expect(keysOf(server)).toEqual([apiKey, apiKey, previous.apiKey, previous.apiKey]);
});

describe('previous', () => {
  const baseUrl = 'https://service.example';

  it.each([
    [{ apiKey: '', apiToken }, '`previous.apiKey` to be a non-empty string'],
    [{ apiKey: 'key' }, '`previous.apiToken` to be a non-empty string'],
    [{ apiKey: 'a:b', apiToken }, '`previous.apiKey` to be without a colon'],
    [{ apiKey: 'key', apiToken: 'line\n' }, '`previous.apiToken` to be without white space'],
    ['key:token', '`previous.apiKey` to be a non-empty string'],
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
    const client = PaymentsClient.fromEnv(
      { ...env, PAYMENTS_BASE_URL: server.url },
      { previous: { apiKey: 'third', apiToken } },
    );
    expect(await query.call(client)).toEqual(query.answer());
  });
});

it('confirmPayment confirms with the new pair in the client before the service has switched', async () => {
  const payload = fixtures.payment();
  const { saleToken, amount, currency, referenceCode } = payload;
  const transaction = {
    ...fixtures.transaction(),
    refunds: undefined,
    uuid: saleToken,
    situation: 'PAID',
    amount,
    currency,
    referenceCode,
  };
  const server = await startHttpServer(accepting(() => previous.apiKey, transaction));
  const confirmation = await confirmPayment(during(server), { kind: 'payment', payload });
  expect(confirmation).toMatchObject({ confirmed: true, differences: [] });
});

it.each(changing)('$name leaves no unhandled rejection when the second attempt fails', async ({ call }) => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const server = await startHttpServer(reply(401), (response) => response.socket?.destroy());
  const thrown = await failureOf(call(during(server)));
  expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', attempts: 2 });
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

it('a journey is created once, whatever pair the service accepts', async () => {
  const server = await startHttpServer(accepting(() => previous.apiKey, create.answer()));
  await Promise.all([1, 2, 3].map(() => create.call(during(server))));
  expect(keysOf(server).filter((key) => key === previous.apiKey)).toHaveLength(3);
});

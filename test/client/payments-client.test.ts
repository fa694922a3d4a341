import { PaymentsClient, VERSION } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { dropConnection, reply, startHttpServer } from '../helpers/http-server';
import {
  apiKey,
  apiToken,
  checkoutAnswer,
  checkoutRequest,
  clientFor,
  failureOf,
  operations,
} from './support';

describe('on the wire', () => {
  it.each(operations)('$name sends $method $path with exactly the documented headers', async (operation) => {
    const server = await startHttpServer(reply(200, operation.answer()));
    expect(await operation.call(clientFor(server))).toEqual(operation.answer());

    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect([request?.method, request?.url]).toEqual([operation.method, operation.path]);
    const hasBody = operation.method !== 'GET';
    const { host, 'content-length': length, ...headers } = request?.headers ?? {};
    expect(host).toBe(`127.0.0.1:${server.port}`);
    expect(length).toBe(hasBody ? String(Buffer.byteLength(request?.body ?? '')) : undefined);
    expect(headers).toEqual({
      accept: 'application/json',
      'x-api-key': apiKey,
      'x-api-token': apiToken,
      'user-agent': `pix-automatic-sdk/${VERSION}`,
      'accept-encoding': 'identity',
      connection: hasBody ? 'close' : 'keep-alive',
      // Added by the platform's fetch.
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
      ...(hasBody
        ? { 'content-type': 'application/json' }
        : { 'cache-control': 'no-cache', pragma: 'no-cache' }),
    });
  });

  it('a checkout sends every documented field of section 2.1 as it was given', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const request = { ...checkoutRequest(), amount: 0 };
    await clientFor(server).createRecurringCheckout(request);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(request);
  });

  it('a cancellation sends the reason alone, in any script, and a query sends no body', async () => {
    const server = await startHttpServer(reply(200, { status: 0 }));
    const client = clientFor(server);
    await client.cancelScheduledPayment('i-1', { reason: 'mudança 引越し 🏠' });
    await client.getTransaction('uuid-1');
    expect(server.requests.map(({ body }) => body)).toEqual(['{"reason":"mudança 引越し 🏠"}', '']);
  });

  it.each(['', '/', '/gateway', '/gateway/', '/a/b%20c//'])('the base path %j is kept', async (basePath) => {
    const server = await startHttpServer(reply(200, {}));
    await clientFor({ url: server.url + basePath }).getTransaction('uuid-1');
    expect(server.requests[0]?.url).toBe(`${basePath.replace(/\/+$/, '')}/v1.1/transactions/uuid-1`);
  });

  it('credentials of Latin-1 characters arrive byte by byte', async () => {
    const server = await startHttpServer(reply(200, {}));
    await clientFor(server, { apiKey: 'clé', apiToken: 'señal ÿ:1' }).getTransaction('uuid-1');
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': 'clé', 'x-api-token': 'señal ÿ:1' });
  });

  it('one client serves many calls at once', async () => {
    const server = await startHttpServer((response, { url }) => {
      response.end(JSON.stringify({ uuid: url.split('/').pop() }));
    });
    const client = clientFor(server);
    const uuids = Array.from({ length: 30 }, (_, index) => `uuid-${index}`);
    const transactions = await Promise.all(uuids.map((uuid) => client.getTransaction(uuid)));
    expect(transactions.map(({ uuid }) => uuid)).toEqual(uuids);
  });
});

describe('fromEnv', () => {
  const env = {
    PAYMENTS_BASE_URL: 'https://service.example',
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_API_TOKEN: apiToken,
  };
  const composeNetwork = { ...env, PAYMENTS_BASE_URL: 'http://sandbox:4010' };

  it('reads the base URL and the current credentials, and takes all other options', async () => {
    const server = await startHttpServer(reply(200, {}));
    const rotation = { PAYMENTS_API_KEY_PREVIOUS: 'old-key', PAYMENTS_API_TOKEN_PREVIOUS: 'old-token' };
    const all = { ...env, ...rotation, PAYMENTS_BASE_URL: server.url };
    await PaymentsClient.fromEnv(all, { userAgent: 'shop/7' }).getTransaction('uuid-1');
    const headers = { 'x-api-key': apiKey, 'x-api-token': apiToken, 'user-agent': 'shop/7' };
    expect(server.requests[0]?.headers).toMatchObject(headers);
  });

  it('reads process.env when no environment is given, and names what is missing', () => {
    const message = expect.stringContaining('PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_API_TOKEN');
    const error = expect.objectContaining({ code: 'configuration', message });
    expect(() => PaymentsClient.fromEnv()).toThrow(error);
  });

  it('allows http:// to another host with PAYMENTS_ALLOW_INSECURE_HTTP=true, and with no other value', () => {
    const fromEnv = (value?: string, options?: { allowInsecureHttp?: boolean | undefined }) =>
      PaymentsClient.fromEnv({ ...composeNetwork, PAYMENTS_ALLOW_INSECURE_HTTP: value }, options);
    expect(fromEnv('true')).toBeInstanceOf(PaymentsClient);
    expect(fromEnv('true', { allowInsecureHttp: undefined })).toBeInstanceOf(PaymentsClient);
    for (const value of [undefined, '', 'false', '0', '1', 'TRUE', 'yes', 'true ']) {
      expect(() => fromEnv(value), String(value)).toThrow(/`baseUrl`.+PAYMENTS_ALLOW_INSECURE_HTTP=true/);
    }
    // The code counts more than the environment.
    expect(fromEnv(undefined, { allowInsecureHttp: true })).toBeInstanceOf(PaymentsClient);
    expect(() => fromEnv('true', { allowInsecureHttp: false })).toThrow(/`baseUrl`/);
  });
});

describe('the stack of an error', () => {
  it.each([
    ['ApiError', reply(500, {})],
    ['ConnectionError', dropConnection],
  ])('of %s has a frame of the caller, and no credential', async (name, respond) => {
    const { url } = await startHttpServer(respond);
    const client = clientFor({ url }, { maxRetries: 0 });
    const theCaller = async () => client.getTransaction('uuid-1');
    const { name: thrown, stack } = await failureOf(theCaller());
    expect(thrown).toBe(name);
    expect(stack).toMatch(/theCaller \(.*payments-client\.test\.ts:\d+/);
    expect(stack).not.toMatch(new RegExp(`${apiKey}|${apiToken}`));
  });
});

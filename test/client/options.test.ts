import { inspect } from 'node:util';
import { ConfigurationError, PaymentsClient, type PaymentsClientOptions } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { apiKey, apiToken, clientFor, failureOf } from './support';

const baseUrl = 'https://service.example';

function refusal(options: object): ConfigurationError {
  try {
    new PaymentsClient({ baseUrl, apiKey, apiToken, ...options } as PaymentsClientOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
    return error as ConfigurationError;
  }
  throw new Error('Expected the options to be refused');
}

describe('baseUrl', () => {
  it.each([
    ['undefined', undefined],
    ['a number', 7],
    ['empty', ''],
    ['a path', '/v1'],
    ['a host', 'service.example'],
    ['without a host', 'https://'],
  ])('that is %s is refused', (_, value) => {
    expect(refusal({ baseUrl: value }).message).toContain('absolute URL');
  });

  it.each([
    'http://service.example',
    'http://10.0.0.1',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    // A name server decides where these lead.
    'http://api.localhost',
    'http://localhost.',
    'http://xlocalhost',
    'http://[::2]',
    'ftp://127.0.0.1',
    'file:///etc/passwd',
    'ws://localhost',
  ])('%s is refused, because the credentials would travel unencrypted', (value) => {
    expect(refusal({ baseUrl: value }).message).toContain('https');
  });

  it.each([
    'http://localhost',
    'http://127.0.0.1:8080',
    'http://127.9.9.9',
    'http://[::1]:1',
    'http://0x7f.1',
    'https://service.example',
  ])('%s is accepted', (value) => {
    expect(new PaymentsClient({ baseUrl: value, apiKey, apiToken })).toBeInstanceOf(PaymentsClient);
  });

  it('with http:// for another host needs exactly allowInsecureHttp: true', () => {
    const url = 'http://service.example';
    expect(clientFor({ url }, { allowInsecureHttp: true })).toBeInstanceOf(PaymentsClient);
    refusal({ baseUrl: url, allowInsecureHttp: 'yes' });
    refusal({ baseUrl: 'ftp://service.example', allowInsecureHttp: true });
  });

  it.each([
    ['a line break inside', 'https://service.exam\nple'],
    ['a line break in the path', 'https://service.example/v1\r\n/x'],
    ['a line break at its end', 'https://service.example\n'],
    ['a tab inside', 'https://service.\texample'],
    ['a space at its start', ' https://service.example'],
    ['a space inside', 'https://service.example/a b'],
    ['a NUL at its end', 'https://service.example\u0000'],
    ['a no-break space at its end', 'https://service.example\u00a0'],
    ['credentials and a line break', 'https://marked-user:marked-secret@service.example\n'],
  ])('with %s is refused, because a URL parser would silently drop or encode it', (_, value) => {
    const { message } = refusal({ baseUrl: value });
    expect(message).toContain('without white space');
    expect(message).not.toMatch(/marked-(user|secret)/);
  });

  it.each([
    'https://service.example/?',
    'https://service.example/#',
    'https://service.example?a=1',
    'https://service.example/v#x',
  ])('%s is refused, because paths are appended', (value) => {
    expect(refusal({ baseUrl: value }).message).toContain('query or a fragment');
  });

  it.each([
    'https://marked-user@service.example',
    'https://:marked-secret@service.example',
    'https://marked-user:marked-secret@service.example/?a',
    'http://marked-user:marked-secret@service.example',
    // Credentials passed as `baseUrl` by mistake; a URL parser accepts the first as a URL.
    'marked-user:marked-secret',
    'marked-secret',
  ])('is never quoted with its user name and password: %s', (value) => {
    expect(inspect(refusal({ baseUrl: value }), { showHidden: true })).not.toMatch(/marked-(user|secret)/i);
  });
});

describe.each(['apiKey', 'apiToken'])('%s', (name) => {
  it.each([
    ['undefined', undefined],
    ['a number', 7],
    ['empty', ''],
    ['with a line break at its end', 'marked-secret\n'],
    ['with a space at its start', ' marked-secret'],
    ['with a tab at its end', 'marked-secret\t'],
    ['with a no-break space at its end', 'marked-secret\u00a0'],
    ['with a byte order mark at its start', '\ufeffmarked-secret'],
    ['with a line break inside', 'marked\r\nx-evil: marked-secret'],
    ['with a NUL', 'marked\u0000secret'],
    ['with a DEL', 'marked\u007fsecret'],
    ['with a C1 control character', 'marked\u0085secret'],
    ['with an invisible character', 'marked\u200bsecret'],
    ['with a character beyond Latin-1', 'marked-secret-€'],
  ])('that is %s is refused, and not shown', (_, value) => {
    const error = refusal({ [name]: value });
    expect(error.message).toContain(`\`${name}\``);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/marked|secret/);
  });
});

it('a colon is refused in apiKey, where it would end the user name, and allowed in apiToken', () => {
  const error = refusal({ apiKey: 'marked:secret' });
  expect(error.message).toContain('colon');
  expect(error.message).not.toMatch(/marked|secret/);
  expect(clientFor({ url: baseUrl }, { apiToken: 'a:b' })).toBeInstanceOf(PaymentsClient);
});

describe('limits', () => {
  it.each(['timeoutMs', 'totalTimeoutMs', 'maxResponseBytes'])('%s must be above 0', (name) => {
    for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', 2 ** 53]) {
      expect(refusal({ [name]: value }).message).toContain(`\`${name}\``);
    }
  });

  it.each(['timeoutMs', 'totalTimeoutMs'])(
    '%s must fit a timer, which would otherwise fire at once',
    (name) => {
      refusal({ [name]: 2 ** 31 });
      expect(clientFor({ url: baseUrl }, { [name]: 2 ** 31 - 1 })).toBeInstanceOf(PaymentsClient);
    },
  );

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '2'])('maxRetries %s is refused', (maxRetries) => {
    expect(refusal({ maxRetries }).message).toContain('`maxRetries`');
  });

  it.each(['', 'a\nb', 'olá'])('userAgent %j is refused', (userAgent) => {
    expect(refusal({ userAgent }).message).toContain('`userAgent`');
  });

  it('the limits of a call are checked before anything is sent', async () => {
    const server = await startHttpServer(reply(200, {}));
    const client = clientFor(server);
    for (const options of [{ timeoutMs: 0 }, { totalTimeoutMs: -1 }, { maxRetries: 1.5 }]) {
      expect(await failureOf(client.getTransaction('uuid-1', options))).toBeInstanceOf(ConfigurationError);
    }
    expect(server.requests).toEqual([]);
  });

  it('options of undefined count as not given', async () => {
    const server = await startHttpServer(reply(200, {}));
    const nothing = {
      timeoutMs: undefined,
      totalTimeoutMs: undefined,
      maxRetries: undefined,
      signal: undefined,
    };
    const client = clientFor(server, {
      ...nothing,
      fetch: undefined,
      userAgent: undefined,
      maxResponseBytes: undefined,
      allowInsecureHttp: undefined,
      onRequest: undefined,
    });
    expect(await client.getTransaction('uuid-1', nothing)).toEqual({});
  });
});

describe('fromEnv', () => {
  const env = { PAYMENTS_BASE_URL: baseUrl, PAYMENTS_API_KEY: apiKey, PAYMENTS_API_TOKEN: apiToken };

  it('reads the base URL and the credentials from the environment', async () => {
    const server = await startHttpServer(reply(200, {}));
    const client = PaymentsClient.fromEnv({ ...env, PAYMENTS_BASE_URL: server.url }, { userAgent: 'shop/7' });
    await client.getTransaction('uuid-1');
    expect(server.requests[0]?.headers).toMatchObject({
      'x-api-key': apiKey,
      'x-api-token': apiToken,
      'user-agent': 'shop/7',
    });
  });

  it('reads process.env when no environment is given', () => {
    const message = expect.stringContaining('PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_API_TOKEN');
    expect(() => PaymentsClient.fromEnv()).toThrow(
      expect.objectContaining({ code: 'configuration', message }),
    );
  });

  it.each(Object.keys(env))('names %s when it is missing or empty', (name) => {
    for (const value of [undefined, '']) {
      expect(() => PaymentsClient.fromEnv({ ...env, [name]: value })).toThrow(
        new RegExp(`Expected the environment to have ${name}\\.`),
      );
    }
  });

  const composeNetwork = { ...env, PAYMENTS_BASE_URL: 'http://sandbox:4010' };

  it('allows http:// to another host with PAYMENTS_ALLOW_INSECURE_HTTP=true, and with no other value', () => {
    const fromEnv = (value?: string, options?: { allowInsecureHttp?: boolean | undefined }) =>
      PaymentsClient.fromEnv({ ...composeNetwork, PAYMENTS_ALLOW_INSECURE_HTTP: value }, options);
    expect(fromEnv('true')).toBeInstanceOf(PaymentsClient);
    expect(fromEnv('true', { allowInsecureHttp: undefined })).toBeInstanceOf(PaymentsClient);
    for (const value of [undefined, '', 'false', '0', '1', 'TRUE', 'yes', 'true ']) {
      expect(() => fromEnv(value), String(value)).toThrow(/`baseUrl`.+PAYMENTS_ALLOW_INSECURE_HTTP=true/);
    }
  });

  it('prefers the allowInsecureHttp of the code to that of the environment', () => {
    expect(PaymentsClient.fromEnv(composeNetwork, { allowInsecureHttp: true })).toBeInstanceOf(
      PaymentsClient,
    );
    const allowed = { ...composeNetwork, PAYMENTS_ALLOW_INSECURE_HTTP: 'true' };
    expect(() => PaymentsClient.fromEnv(allowed, { allowInsecureHttp: false })).toThrow(/`baseUrl`/);
  });

  it('ignores the previous pair of a rotation', async () => {
    const server = await startHttpServer(reply(200, {}));
    const rotation = { PAYMENTS_API_KEY_PREVIOUS: 'old-key', PAYMENTS_API_TOKEN_PREVIOUS: 'old-token' };
    const client = PaymentsClient.fromEnv({ ...env, ...rotation, PAYMENTS_BASE_URL: server.url });
    await client.getTransaction('uuid-1');
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': apiKey, 'x-api-token': apiToken });
  });

  it('does not show an invalid value in its message', () => {
    expect(() => PaymentsClient.fromEnv({ ...env, PAYMENTS_API_TOKEN: 'marked-secret\n' })).toThrow(
      /^(?!.*marked)/s,
    );
  });
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

import { inspect } from 'node:util';
import {
  PaymentsClient,
  PaymentsError,
  recurringCheckoutRequestSchema,
  transactionSchema,
} from 'pix-automatic-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { Secrets } from '../../src/service/credentials';
import {
  dropConnection,
  type Respond,
  reply,
  stall,
  startHttpServer,
  unusedPort,
} from '../helpers/http-server';
import { startRawServer } from '../helpers/raw-server';
import { checkoutAnswer, checkoutRequest, clientFor, failureOf, operations, withoutBackOff } from './support';

// Mixed case, because a host name comes back in lower case.
const apiKey = 'MarkedKey7f3a';
const apiToken = 'MarkedToken9c1d';
const credentials = { apiKey, apiToken };
const cpf = '52998224725';
const email = 'marked.person@example.com';

const [create, query, cancel] = operations;

afterEach(() => vi.restoreAllMocks());

/** Everything that a logger, a crash reporter or a debugger prints of a value. */
function everythingPrinted(value: unknown): string {
  const parts = [
    inspect(value, { depth: 9, showHidden: true }),
    inspect(value, { depth: 9, showHidden: true, getters: false, compact: false }),
    String(value),
    JSON.stringify(value),
    JSON.stringify(value, Object.getOwnPropertyNames(value ?? {})),
  ];
  for (let error = value; error instanceof Error; error = error.cause) {
    parts.push(
      error.message,
      error.stack ?? '',
      error.name,
      inspect(Object.getOwnPropertyDescriptors(error)),
    );
  }
  return parts.join('\n');
}

function expectNoSecretIn(value: unknown): void {
  const printed = everythingPrinted(value);
  expect(printed).not.toMatch(/markedkey|markedtoken/i);
  expect(printed).not.toContain(Buffer.from(`${apiKey}:${apiToken}`).toString('base64'));
  expect(printed).not.toContain(cpf);
  expect(printed).not.toContain(email);
}

const echo = {
  status: 400,
  message: `${apiKey} ${apiToken} ${cpf} ${email}`,
  [apiKey]: apiToken,
  nested: { headers: { 'x-api-key': apiKey, 'x-api-token': apiToken }, shopper: { document: cpf } },
};

const echoes: Array<[what: string, respond: Respond]> = [
  ['a 401 with the credentials in its body', reply(401, echo)],
  ['a 400 with personal data in its body', reply(400, echo)],
  ['a 429', reply(429, echo, { 'retry-after': '600' })],
  ['a 500 with text', reply(500, `${apiKey} ${apiToken} ${cpf}`)],
  [
    'a 302 with the credentials in the host',
    reply(302, echo, { location: `https://${apiKey}.${apiToken}.example/${apiToken}` }),
  ],
  [
    'a 302 with the credentials as user-info',
    reply(302, echo, { location: `https://${apiKey}:${apiToken}@other.example/` }),
  ],
  [
    'a 403 with the credentials in its headers',
    reply(403, '', { 'x-echo': apiKey, [apiToken]: '1', 'www-authenticate': apiToken }),
  ],
  ['a body status other than 0', reply(200, { ...echo, status: 999 })],
  [
    'a success that cannot be used',
    reply(200, { ...echo, status: null, uuid: [apiKey], situation: [cpf], response: { uuid: apiToken } }),
  ],
  [
    'a uuid that is a credential',
    reply(200, { status: null, uuid: 7, response: { uuid: `x-${apiToken.toUpperCase()}` } }),
  ],
  ['a status of the wrong type', reply(200, { ...echo, uuid: [cpf], status: [apiKey] })],
  ['truncated JSON', reply(200, JSON.stringify(echo).slice(0, -1))],
  ['an array', reply(200, [echo])],
  ['a dropped connection', dropConnection],
  ['a timeout', stall],
];

describe.each(operations)('a printed error of $name shows no credential and no personal data', ({ call }) => {
  it.each(echoes)('after %s', async (_, respond) => {
    withoutBackOff();
    const server = await startHttpServer(respond);
    const client = clientFor(server, { ...credentials, timeoutMs: 150, maxRetries: 1 });
    const error = await failureOf(call(client));
    expectNoSecretIn(error);
    expect(error.cause).toBeUndefined();
  });

  it.each([
    ['credentials in the status text', `HTTP/1.1 400 ${apiKey} ${apiToken}\r\ncontent-length: 0\r\n\r\n`],
    ['credentials in a broken status line', `HTTP/9 ${apiKey} ${apiToken}\r\n\r\n`],
    [
      'credentials in a broken header',
      `HTTP/1.1 200 OK\r\n${apiKey}\r\n${apiToken}: ${apiToken}\u0000\r\n\r\n`,
    ],
    [
      'credentials in a broken chunk',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${apiKey}\r\n${apiToken}`,
    ],
  ])('after %s', async (_, bytes) => {
    const server = await startRawServer((socket) => socket.end(bytes));
    expectNoSecretIn(await failureOf(call(clientFor(server, { ...credentials, maxRetries: 0 }))));
  });

  it('after a refused connection', async () => {
    withoutBackOff();
    const url = `http://127.0.0.1:${await unusedPort()}`;
    expectNoSecretIn(await failureOf(call(clientFor({ url }, credentials))));
  });

  it('after an error of a custom fetch that holds the request', async () => {
    const fetch = (url: string, init: object) =>
      Promise.reject(
        Object.assign(new Error(`${apiKey} failed`), { url, init, code: apiToken, request: init }),
      );
    expectNoSecretIn(
      await failureOf(call(clientFor({ url: 'https://service.example' }, { ...credentials, fetch }))),
    );
  });

  it('after an abort', async () => {
    const server = await startHttpServer(stall);
    const signal = AbortSignal.timeout(50);
    expectNoSecretIn(await failureOf(call(clientFor(server, credentials), { signal })));
  });
});

it('the body of a response can be read from the error, although nothing prints it', async () => {
  const server = await startHttpServer(
    reply(400, echo),
    reply(200, { response: { uuid: 'u-1', amount: cpf } }),
  );
  const client = clientFor(server, credentials);
  const error = await failureOf(create.call(client));
  expect(error['body']).toEqual(echo);
  expect(error['serviceMessage']).toBe(echo.message);
  expect(Object.keys(error)).not.toContain('body');
  const second = await failureOf(create.call(client));
  expect(second['body']).toEqual({ response: { uuid: 'u-1', amount: cpf } });
});

it('the message about a redirect names the origin with the credentials redacted', async () => {
  const location = `https://${apiKey}.other.example:8443/x`;
  const server = await startHttpServer(reply(302, '', { location }));
  const error = await failureOf(query.call(clientFor(server, credentials)));
  expect(error.message).toContain('https://[redacted].other.example:8443,');
});

it('a credential with regular-expression characters is redacted literally', async () => {
  const odd = '(a+)+$.*z';
  expect(new Secrets({ apiKey: 'k-key', apiToken: odd }).redact(`/x-${odd}-y/`)).toBe('/x-[redacted]-y/');
});

it('the words of a message stay, also where a short credential is one of them', async () => {
  const server = await startHttpServer(reply(401), reply(404));
  const client = clientFor(server, { apiKey: 'key', apiToken: 'path' });
  const { message } = await failureOf(query.call(client));
  expect(message).toContain('Check that `apiKey` and `apiToken` belong to this `baseUrl`');
  expect((await failureOf(query.call(client))).message).toContain('and the path prefix of `baseUrl`');
});

it('a credential in the path of a 404 is not in the message, percent-encoded or not', async () => {
  const odd = 'sécret/tøken+1234';
  const server = await startHttpServer(reply(404));
  const client = clientFor(
    { url: `${server.url}/${encodeURIComponent(odd)}` },
    { apiKey: 'a+b/c=d-1234567', apiToken: 't' },
  );
  const error = await failureOf(client.getTransaction('a+b/c=d-1234567'));
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/a%2Bb|a\+b|s%C3%A9cret|sécret/);
});

it('a uuid that contains a short credential by chance is not redacted', async () => {
  const server = await startHttpServer(reply(500, { response: { uuid: '7d1f2a90-3c54' } }));
  const error = await failureOf(create.call(clientFor(server, { apiKey: '7d1f2a90', apiToken: '54' })));
  expect(error['uuid']).toBe('7d1f2a90-3c54');
});

it('a uuid is dropped when it contains a credential of 12 or more characters', () => {
  const uuidWith = (secret: string) =>
    new Secrets({ apiKey: secret, apiToken: 'x' }).dropIfSecret(`7-${secret.toUpperCase()}-3`);
  expect(uuidWith('0123456789a')).toBe('7-0123456789A-3');
  expect(uuidWith('0123456789ab')).toBeUndefined();
});

it('a uuid that quotes a whole credential is left off the error', async () => {
  const server = await startHttpServer(reply(500, { response: { uuid: `x-${apiToken.toUpperCase()}` } }));
  const error = await failureOf(create.call(clientFor(server, credentials)));
  expect(error['uuid']).toBeUndefined();
});

describe('no credential is shown', () => {
  it('by a printed client, before and after a call', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const client = clientFor(server, credentials);
    expectNoSecretIn(client);
    await create.call(client);
    expectNoSecretIn(client);
    expectNoSecretIn({ client });
    expect(Object.keys(client)).toEqual([]);
    expect(structuredClone(client)).toEqual({});
  });

  it('by the events that observers receive', async () => {
    withoutBackOff();
    const events: unknown[] = [];
    const observe = (event: unknown) => events.push(event);
    const server = await startHttpServer(reply(429, echo), reply(400, echo));
    const client = clientFor(server, {
      ...credentials,
      onRequest: observe,
      onResponse: observe,
      onRetry: observe,
    });
    await failureOf(client.cancelScheduledPayment(cpf, { reason: email }));
    expect(events).toHaveLength(5);
    expectNoSecretIn(events);
  });
});

describe('the error for a refused value does not show it', () => {
  const wrong = {
    currency: cpf,
    referenceCode: [cpf],
    amount: cpf,
    maxAge: cpf,
    callbackURL: `ftp://${cpf}`,
    shopper: { id: 7, email: { email }, name: [cpf], document: { type: 1, number: 52998224725 }, phone: cpf },
    recurrence: {
      immediatePayment: cpf,
      amount: { recurrenceAmount: cpf },
      calendar: { initialDate: cpf, finalDate: email, periodicity: 7 },
      retry: cpf,
    },
  };
  const client = new PaymentsClient({ baseUrl: 'https://service.example', ...credentials });

  it('in a request', async () => {
    const error = await failureOf(client.createRecurringCheckout(wrong as never));
    expect(error['issues']).toHaveLength(17);
    expectNoSecretIn(error);
  });

  it('in an identifier', async () => {
    expectNoSecretIn(await failureOf(client.getTransaction(`${cpf}\ud800`)));
    expectNoSecretIn(await failureOf(client.cancelScheduledPayment('i', { reason: [cpf, email] as never })));
  });

  it('when the host configures its own zod to show it', async () => {
    z.config({
      customError: (issue) => `shown: ${JSON.stringify(issue.input)}`,
      localeError: (issue) => `shown: ${JSON.stringify(issue.input)}`,
    });
    try {
      expect(z.safeParse(z.string(), 7).error?.issues[0]?.message).toBe('shown: 7');

      const error = await failureOf(client.createRecurringCheckout(wrong as never));
      expectNoSecretIn(error);
      expect(everythingPrinted(error)).not.toContain('shown');

      const server = await startHttpServer(
        reply(200, { status: 0, uuid: [email], situation: [cpf], amount: cpf }),
      );
      const answer = await failureOf(query.call(clientFor(server, credentials)));
      expectNoSecretIn(answer);
      expect(answer['issues']).toEqual([
        { path: ['uuid'], message: 'expected a string, got an array' },
        { path: ['situation'], message: 'expected a string, got an array' },
      ]);

      for (const schema of [recurringCheckoutRequestSchema, transactionSchema]) {
        const result = await schema['~standard'].validate({ ...wrong, situation: [cpf] });
        expect(result.issues).toBeDefined();
        expectNoSecretIn(result);
        expect(everythingPrinted(result)).not.toContain('shown');
      }
    } finally {
      z.config({ customError: undefined, localeError: undefined } as never);
    }
  });
});

it('an error of the SDK never has an error of the platform as its cause', async () => {
  const server = await startHttpServer(dropConnection);
  const error = await failureOf(cancel.call(clientFor(server, credentials)));
  expect(error).toBeInstanceOf(PaymentsError);
  expect('cause' in error).toBe(false);
});

it('a valid request carries the marked values, so that these tests search for values that exist', async () => {
  const server = await startHttpServer(reply(200, checkoutAnswer()));
  await clientFor(server, credentials).createRecurringCheckout(checkoutRequest());
  expect(server.requests[0]?.headers['x-api-key']).toBe(apiKey);
  expect(server.requests[0]?.body).toContain(cpf);
});

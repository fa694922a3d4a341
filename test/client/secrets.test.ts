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

/** All that a logger, a crash reporter or a debugger prints of a value. */
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
  ['headers', reply(403, '', { 'x-echo': apiKey, [apiToken]: '1', 'www-authenticate': apiToken })],
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

describe.each(operations)(
  'no credential and no personal data is in what is printed of the error of $name',
  ({ call }) => {
    it.each(echoes)('%s', async (_, respond) => {
      withoutBackOff();
      const server = await startHttpServer(respond);
      const client = clientFor(server, { ...credentials, timeoutMs: 150, maxRetries: 1 });
      const error = await failureOf(call(client));
      expectNoSecretIn(error);
      expect(error.cause).toBeUndefined();
    });

    it.each([
      ['the status text', `HTTP/1.1 400 ${apiKey} ${apiToken}\r\ncontent-length: 0\r\n\r\n`],
      ['a broken status line', `HTTP/9 ${apiKey} ${apiToken}\r\n\r\n`],
      ['a broken header', `HTTP/1.1 200 OK\r\n${apiKey}\r\n${apiToken}: ${apiToken}\u0000\r\n\r\n`],
      ['a broken chunk', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${apiKey}\r\n${apiToken}`],
    ])('%s', async (_, bytes) => {
      const server = await startRawServer((socket) => socket.end(bytes));
      expectNoSecretIn(await failureOf(call(clientFor(server, { ...credentials, maxRetries: 0 }))));
    });

    it('a refused connection', async () => {
      withoutBackOff();
      const url = `http://127.0.0.1:${await unusedPort()}`;
      expectNoSecretIn(await failureOf(call(clientFor({ url }, credentials))));
    });

    it('a fetch of the merchant whose error holds the request', async () => {
      const fetch = (url: string, init: object) =>
        Promise.reject(
          Object.assign(new Error(`${apiKey} failed`), { url, init, code: apiToken, request: init }),
        );
      expectNoSecretIn(
        await failureOf(call(clientFor({ url: 'https://service.example' }, { ...credentials, fetch }))),
      );
    });

    it('an abort', async () => {
      const server = await startHttpServer(stall);
      const signal = AbortSignal.timeout(50);
      expectNoSecretIn(await failureOf(call(clientFor(server, credentials), { signal })));
    });
  },
);

it('what the service wrote is there to read, though nothing prints it', async () => {
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

it('a redirect’s message names the origin without the credentials in it', async () => {
  const location = `https://${apiKey}.other.example:8443/x`;
  const server = await startHttpServer(reply(302, '', { location }));
  const error = await failureOf(query.call(clientFor(server, credentials)));
  expect(error.message).toContain('https://[redacted].other.example:8443,');
});

it('a credential with characters that mean something in a pattern is taken out as it is', async () => {
  const odd = '(a+)+$.*z';
  const server = await startHttpServer(reply(404));
  const client = new PaymentsClient({ baseUrl: `${server.url}/x-${odd}-y`, apiKey: 'k-key', apiToken: odd });
  const error = await failureOf(create.call(client));
  expect(error.message).toContain('/x-[redacted]-y/v1.1/');
});

it('a uuid that a short credential is part of by chance is given as it came, not redacted', async () => {
  const server = await startHttpServer(reply(500, { response: { uuid: '7d1f2a90-3c54' } }));
  const error = await failureOf(create.call(clientFor(server, { apiKey: '7d1f2a90', apiToken: '54' })));
  expect(error['uuid']).toBe('7d1f2a90-3c54');
});

it('a credential counts as quoted from 12 characters on', () => {
  const uuidWith = (secret: string) =>
    new Secrets({ apiKey: secret, apiToken: 'x' }).uuid(`7-${secret.toUpperCase()}-3`);
  expect(uuidWith('0123456789a')).toBe('7-0123456789A-3');
  expect(uuidWith('0123456789ab')).toBeUndefined();
});

it('a uuid that quotes a whole credential is none', async () => {
  const server = await startHttpServer(reply(500, { response: { uuid: `x-${apiToken.toUpperCase()}` } }));
  const error = await failureOf(create.call(clientFor(server, credentials)));
  expect(error['uuid']).toBeUndefined();
});

describe('no credential is in what is printed of the client', () => {
  it('before and after a call', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const client = clientFor(server, credentials);
    expectNoSecretIn(client);
    await create.call(client);
    expectNoSecretIn(client);
    expectNoSecretIn({ client });
    expect(Object.keys(client)).toEqual([]);
    expect(structuredClone(client)).toEqual({});
  });

  it('and none in what observers see', async () => {
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

describe('what is refused is not shown', () => {
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

  it('by a host whose own zod is configured to show it', async () => {
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

it('no error of the platform is the cause of one of ours', async () => {
  const server = await startHttpServer(dropConnection);
  const error = await failureOf(cancel.call(clientFor(server, credentials)));
  expect(error).toBeInstanceOf(PaymentsError);
  expect('cause' in error).toBe(false);
});

it('a request that is right is sent with what it holds, so that these tests look for what was there', async () => {
  const server = await startHttpServer(reply(200, checkoutAnswer()));
  await clientFor(server, credentials).createRecurringCheckout(checkoutRequest());
  expect(server.requests[0]?.headers['x-api-key']).toBe(apiKey);
  expect(server.requests[0]?.body).toContain(cpf);
});

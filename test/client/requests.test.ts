import fc from 'fast-check';
import { InvalidRequestError, PaymentsClient, VERSION } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { seedRandomTests } from '../helpers/random-seed';
import {
  apiKey,
  apiToken,
  cancellationAnswer,
  checkoutAnswer,
  checkoutRequest,
  clientFor,
  failureOf,
  operations,
  transactionAnswer,
} from './support';

seedRandomTests();

describe('on the wire', () => {
  it.each(operations)('$name sends $method $path with exactly the documented headers', async (operation) => {
    const server = await startHttpServer(reply(200, operation.answer()));
    await operation.call(clientFor(server));

    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request?.method).toBe(operation.method);
    expect(request?.url).toBe(operation.path);
    const hasBody = operation.method !== 'GET';
    const { host, connection, 'content-length': length, ...headers } = request?.headers ?? {};
    expect(host).toBe(`127.0.0.1:${server.port}`);
    expect(connection).toBe(hasBody ? 'close' : 'keep-alive');
    expect(length).toBe(hasBody ? String(Buffer.byteLength(request?.body ?? '')) : undefined);
    expect(headers).toEqual({
      accept: 'application/json',
      'x-api-key': apiKey,
      'x-api-token': apiToken,
      'user-agent': `pix-automatic-sdk/${VERSION}`,
      'accept-encoding': 'identity',
      // Added by the platform's fetch.
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
      ...(hasBody ? {} : { 'cache-control': 'no-cache', pragma: 'no-cache' }),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    });
  });

  it('a checkout sends every documented field of section 2.1 as it was given', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const request = { ...checkoutRequest(), amount: 0 };
    await clientFor(server).createRecurringCheckout(request);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(request);
  });

  it('a cancellation sends the reason alone, and a query sends no body', async () => {
    const server = await startHttpServer(reply(200, { status: 0 }));
    const client = clientFor(server);
    await client.cancelScheduledPayment('i-1', { reason: 'moved house' });
    await client.getTransaction('uuid-1');
    expect(server.requests.map(({ body }) => body)).toEqual(['{"reason":"moved house"}', '']);
  });

  it('a body in any script arrives as UTF-8', async () => {
    const server = await startHttpServer(reply(200, cancellationAnswer()));
    await clientFor(server).cancelScheduledPayment('i-1', { reason: 'mudança 引越し 🏠' });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ reason: 'mudança 引越し 🏠' });
  });

  it.each(['', '/', '/gateway', '/gateway/', '/a/b%20c//'])('the base path %j is kept', async (basePath) => {
    const server = await startHttpServer(reply(200, {}));
    await clientFor({ url: server.url + basePath }).getTransaction('uuid-1');
    expect(server.requests[0]?.url).toBe(`${basePath.replace(/\/+$/, '')}/v1.1/transactions/uuid-1`);
  });

  it('the userAgent option replaces the default User-Agent', async () => {
    const server = await startHttpServer(reply(200, {}));
    await clientFor(server, { userAgent: 'shop/7' }).getTransaction('uuid-1');
    expect(server.requests[0]?.headers['user-agent']).toBe('shop/7');
  });

  it('credentials of Latin-1 characters arrive byte by byte', async () => {
    const server = await startHttpServer(reply(200, {}));
    await clientFor(server, { apiKey: 'clé', apiToken: 'señal ÿ:1' }).getTransaction('uuid-1');
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': 'clé', 'x-api-token': 'señal ÿ:1' });
  });

  it('the result has the field names of the document', async () => {
    const server = await startHttpServer(reply(200, transactionAnswer()));
    expect(await clientFor(server).getTransaction('uuid-1')).toEqual(transactionAnswer());
  });
});

describe('path parameters', () => {
  it('an identifier of any characters is decoded by the service as it was given', async () => {
    const server = await startHttpServer(reply(200, { status: 0 }));
    const client = clientFor(server);
    const identifier = fc
      .oneof(
        fc.string({ minLength: 1, unit: 'binary' }),
        fc.string({
          minLength: 1,
          maxLength: 6,
          unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', '?', '#'),
        }),
        fc.constantFrom('../x', '..%2f', '%2e%2e', '...', '.. ', '$&', "$'", 'a/../../b', ';', ' ', '\u0000'),
      )
      .filter((value) => value !== '.' && value !== '..');
    await fc.assert(
      fc.asyncProperty(identifier, async (value) => {
        await client.getTransaction(value);
        await client.cancelScheduledPayment(value, { reason: 'r' });
        const [query, cancellation] = server.requests.slice(-2).map(({ url }) => url.split('/'));
        expect(query).toEqual(['', 'v1.1', 'transactions', expect.any(String)]);
        expect(decodeURIComponent(query?.[3] ?? '')).toBe(value);
        expect(cancellation).toEqual([
          '',
          'v1.1',
          'pix-automatic',
          'scheduled-payments',
          expect.any(String),
          'cancel',
        ]);
        expect(decodeURIComponent(cancellation?.[4] ?? '')).toBe(value);
      }),
      { numRuns: 200 },
    );
    // 400 requests take two seconds, and much longer on a busy machine.
  }, 120_000);

  it.each([
    ['empty', ''],
    ['a dot', '.'],
    ['two dots', '..'],
    ['half of a surrogate pair', 'a\ud800'],
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['an object with a toString', { toString: () => '../x' }],
  ])('an identifier that is %s is refused and nothing is sent', async (_, identifier) => {
    const server = await startHttpServer(reply(200, { status: 0 }));
    const client = clientFor(server);
    const calls = [
      client.getTransaction(identifier as string),
      client.cancelScheduledPayment(identifier as string, { reason: 'r' }),
    ];
    const errors = await Promise.all(calls.map(failureOf));
    for (const [index, error] of errors.entries()) {
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' });
      expect(error['issues']).toMatchObject([{ path: [index === 0 ? 'transactionUUID' : 'instructionId'] }]);
    }
    expect(server.requests).toEqual([]);
  });
});

describe('extra fields', () => {
  it('unknown fields of a request are sent on, at every depth', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const base = checkoutRequest();
    const request = {
      ...base,
      novel: 1,
      shopper: { ...base.shopper, novel: { deep: [1] }, document: { ...base.shopper.document, novel: null } },
      recurrence: { ...base.recurrence, calendar: { ...base.recurrence.calendar, novel: 'x' } },
    };
    await clientFor(server).createRecurringCheckout(request);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(request);
  });

  it('extraFields are merged deep, win over the request, and undefined leaves a field out', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const extraFields = {
      novel: { a: 1 },
      maxAge: undefined,
      shopper: { document: { number: '1', issuer: 'SSP' }, phone: 'none' as unknown },
      recurrence: { calendar: { periodicity: 'WEEKLY' } },
    };
    delete (extraFields.shopper as { phone?: unknown }).phone;
    await clientFor(server).createRecurringCheckout(checkoutRequest(), { extraFields });

    const expected: Record<string, unknown> = {
      ...checkoutRequest(),
      novel: { a: 1 },
      shopper: {
        ...checkoutRequest().shopper,
        document: { type: 'CPF', number: '1', issuer: 'SSP' },
      },
      recurrence: {
        ...checkoutRequest().recurrence,
        calendar: { ...checkoutRequest().recurrence.calendar, periodicity: 'WEEKLY' },
      },
    };
    delete expected['maxAge'];
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(expected);
  });

  it('extraFields reach the body of a cancellation', async () => {
    const server = await startHttpServer(reply(200, cancellationAnswer()));
    const options = { extraFields: { requestedBy: 'shopper' } };
    await clientFor(server).cancelScheduledPayment('i-1', { reason: 'r' }, options);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ reason: 'r', requestedBy: 'shopper' });
  });

  it('neither the request nor extraFields is changed', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const request = deepFreeze(checkoutRequest());
    const extraFields = deepFreeze({ shopper: { document: { issuer: 'SSP' } }, list: [{ a: 1 }] });
    await clientFor(server).createRecurringCheckout(request, { extraFields });
    expect(request).toEqual(checkoutRequest());
    expect(extraFields).toEqual({ shopper: { document: { issuer: 'SSP' } }, list: [{ a: 1 }] });
  });

  it('a request is checked after extraFields are merged into it', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const options = { extraFields: { recurrence: { immediatePayment: true } } };
    const error = await failureOf(clientFor(server).createRecurringCheckout(checkoutRequest(), options));
    expect(error['issues']).toMatchObject([{ path: ['amount'] }]);
    expect(server.requests).toEqual([]);
  });

  it('a field named __proto__ pollutes nothing and is sent as a field', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const extraFields = JSON.parse('{"__proto__":{"polluted":1},"shopper":{"__proto__":{"polluted":1}}}');
    await clientFor(server).createRecurringCheckout(checkoutRequest(), { extraFields });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(server.requests[0]?.body).toContain('"__proto__":{"polluted":1}');
  });

  it('a __proto__ in extraFields supplies no field that the request lacks', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const { currency: _, ...request } = checkoutRequest();
    const extraFields = JSON.parse('{"__proto__":{"currency":"BRL"}}');
    const call = clientFor(server).createRecurringCheckout(request as never, { extraFields });
    expect(await failureOf(call)).toBeInstanceOf(InvalidRequestError);
    expect(server.requests).toEqual([]);
  });

  it('extraFields that are an object of a class are merged like a plain object', async () => {
    class Extra {
      novel = 1;
    }
    const server = await startHttpServer(reply(200, cancellationAnswer()));
    const options = { extraFields: new Extra() as unknown as Record<string, unknown> };
    await clientFor(server).cancelScheduledPayment('i-1', { reason: 'r' }, options);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ reason: 'r', novel: 1 });
  });
});

describe('requests that are objects of a class', () => {
  class Cancellation {
    reason = 'moved house';
  }
  /** Its reason is an accessor of the prototype, so JSON leaves it out. */
  class AccessorCancellation {
    get reason() {
      return 'moved house';
    }
  }
  class SelfWriting {
    reason = 'as a field';
    toJSON() {
      return { reason: 7 };
    }
  }

  it.each([undefined, { novel: 1 }])(
    'are sent with their own fields (extraFields: %j)',
    async (extraFields) => {
      const server = await startHttpServer(reply(200, cancellationAnswer()));
      await clientFor(server).cancelScheduledPayment('i-1', new Cancellation(), { extraFields });
      expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ reason: 'moved house', ...extraFields });
    },
  );

  it.each([
    ['an accessor of the prototype', new AccessorCancellation()],
    ['a toJSON that writes something else', new SelfWriting()],
  ])('are checked in the form that would be sent: %s', async (_, request) => {
    const server = await startHttpServer(reply(200, cancellationAnswer()));
    const error = await failureOf(clientFor(server).cancelScheduledPayment('i-1', request));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error['issues']).toMatchObject([{ path: ['reason'] }]);
    expect(server.requests).toEqual([]);
  });
});

describe('requests that JSON cannot hold', () => {
  it.each([
    ['a cycle', () => Object.assign({ reason: 'r' }, { self: {} as unknown }, null), true],
    ['a BigInt', () => ({ reason: 'r', n: 1n }), false],
    [
      'a toJSON that throws',
      () => ({
        reason: 'r',
        toJSON: () => {
          throw new Error('CPF 52998224725');
        },
      }),
      false,
    ],
  ])('%s is refused without the platform’s message', async (_, make, cyclic) => {
    const request = make() as { reason: string; self?: unknown };
    if (cyclic) request.self = request;
    const client = new PaymentsClient({ baseUrl: 'https://service.example', apiKey, apiToken });
    const error = await failureOf(client.cancelScheduledPayment('i-1', request));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error.message).toContain('no cycles and no BigInt');
    expect(error.message).not.toContain('52998224725');
    expect(error.cause).toBeUndefined();
  });

  it.each([[undefined], [null], ['text'], [7], [[]], [() => 1]])(
    '%s instead of a request is refused',
    async (request) => {
      const client = new PaymentsClient({ baseUrl: 'https://service.example', apiKey, apiToken });
      expect(await failureOf(client.createRecurringCheckout(request as never))).toBeInstanceOf(
        InvalidRequestError,
      );
      expect(await failureOf(client.cancelScheduledPayment('i-1', request as never))).toBeInstanceOf(
        InvalidRequestError,
      );
    },
  );
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

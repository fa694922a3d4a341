import { afterEach, describe, expect, it } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { cancellationAnswer, checkoutAnswer, checkoutRequest, clientFor, failureOf } from './support';

const polluted = Object.prototype as unknown as Record<string, unknown>;
afterEach(() => {
  for (const name of ['extraFields']) delete polluted[name];
});

/** The JSON body that a cancellation sends. */
async function sent(request: object, options?: object): Promise<unknown> {
  const server = await startHttpServer(reply(200, cancellationAnswer()));
  await clientFor(server).cancelScheduledPayment('i-1', request as { reason: string }, options);
  return JSON.parse(server.requests[0]?.body ?? '');
}

async function refusalOf(request: object, options: object) {
  const server = await startHttpServer(reply(200, cancellationAnswer()));
  const call = clientFor(server).cancelScheduledPayment('i-1', request as { reason: string }, options);
  const error = await failureOf(call);
  expect(server.requests).toEqual([]);
  expect(error.outcome).toBe('not-sent');
  return error;
}

describe('extraFields, merged into the JSON of a request,', () => {
  /** A merchant's entity whose toJSON decides which fields are public. */
  class Customer {
    name = 'Maria';
    passwordHash = 'marked-secret';
    readonly #email = 'maria@example.com';
    toJSON() {
      return { name: this.name, email: this.#email };
    }
  }

  it('send no field that toJSON hides, and send the private fields that it shows', async () => {
    const server = await startHttpServer(reply(200, checkoutAnswer()));
    const request = { ...checkoutRequest(), shopper: new Customer() };
    await clientFor(server).createRecurringCheckout(request, { extraFields: { shopper: { novel: 1 } } });
    const body = server.requests[0]?.body ?? '';
    expect(JSON.parse(body).shopper).toEqual({ name: 'Maria', email: 'maria@example.com', novel: 1 });
    expect(body).not.toContain('marked-secret');
  });

  it('are added to the result of the toJSON of a whole request', async () => {
    class Cancellation {
      readonly internal = 'marked-secret';
      readonly #reason = 'moved house';
      toJSON() {
        return { reason: this.#reason };
      }
    }
    const body = await sent(new Cancellation(), { extraFields: { novel: 1 } });
    expect(body).toEqual({ reason: 'moved house', novel: 1 });
  });

  it('do not send the accessors of a class', async () => {
    class Cancellation {
      reason = 'moved house';
      get inherited() {
        return 'marked-secret';
      }
    }
    expect(await sent(new Cancellation(), { extraFields: { novel: 1 } })).toEqual({
      reason: 'moved house',
      novel: 1,
    });
  });

  it('go through their own toJSON once, at every depth', async () => {
    let calls = 0;
    class Extra {
      secret = 'marked-secret';
      toJSON(key: string) {
        calls += 1;
        return { key, at: new Date(0), nested: new Customer() };
      }
    }
    const body = await sent({ reason: 'r', novel: { kept: 1 } }, { extraFields: { novel: new Extra() } });
    expect(body).toEqual({
      reason: 'r',
      novel: {
        kept: 1,
        key: 'novel',
        at: '1970-01-01T00:00:00.000Z',
        nested: { name: 'Maria', email: 'maria@example.com' },
      },
    });
    expect(calls).toBe(1);
  });

  it('may be an object with a toJSON', async () => {
    const extraFields = { secret: 'marked-secret', toJSON: () => ({ novel: 1 }) };
    expect(await sent({ reason: 'r' }, { extraFields })).toEqual({ reason: 'r', novel: 1 });
  });

  it('call a toJSON that copies itself into its result once', async () => {
    let calls = 0;
    const extraFields = {
      toJSON() {
        calls += 1;
        return { ...this, calls };
      },
    };
    expect(await sent({ reason: 'r' }, { extraFields })).toEqual({ reason: 'r', calls: 1 });
  });

  it('go through toJSON in lists too', async () => {
    const extraFields = { list: [new Customer(), undefined, new Date(0)] };
    expect(await sent({ reason: 'r', list: [1] }, { extraFields })).toEqual({
      reason: 'r',
      list: [{ name: 'Maria', email: 'maria@example.com' }, null, '1970-01-01T00:00:00.000Z'],
    });
  });

  it.each([undefined, () => 1, Symbol('s')])('of %s leave a field out, at every depth', async (nothing) => {
    const request = { reason: 'r', novel: { a: 1, b: 2, c: { d: 3 } } };
    const extraFields = { novel: { a: nothing, c: { d: nothing, e: nothing } } };
    expect(await sent(request, { extraFields })).toEqual({ reason: 'r', novel: { b: 2, c: {} } });
  });

  it('leave a field out when its toJSON returns undefined', async () => {
    const extraFields = { novel: { toJSON: () => undefined } };
    expect(await sent({ reason: 'r', novel: 1 }, { extraFields })).toEqual({ reason: 'r' });
  });

  it('send null as null', async () => {
    expect(await sent({ reason: 'r', novel: { a: 1 } }, { extraFields: { novel: null } })).toEqual({
      reason: 'r',
      novel: null,
    });
  });
});

it.each([undefined, null])('extraFields that are %s add nothing', async (extraFields) => {
  expect(await sent({ reason: 'r' }, { extraFields })).toEqual({ reason: 'r' });
});

it.each([['text'], [7], [true], [['list']]])(
  'extraFields that are %j are refused, and nothing is sent',
  async (extraFields) => {
    const error = await refusalOf({ reason: 'r' }, { extraFields });
    expect(error).toMatchObject({ code: 'configuration' });
    expect(error.message).toContain('`extraFields`');
  },
);

it.each([
  ['a cycle', () => Object.assign({}, { self: null as unknown }), true],
  ['a BigInt', () => ({ n: 1n }), false],
  ['a toJSON that throws', () => ({ toJSON: () => JSON.parse('CPF 52998224725') }), false],
])('extraFields with %s are refused without the platform’s message', async (_, make, cyclic) => {
  const extra = make() as { self?: unknown };
  if (cyclic) extra.self = extra;
  const error = await refusalOf({ reason: 'r' }, { extraFields: { extra } });
  expect(error).toMatchObject({ code: 'invalid_request' });
  expect(error.cause).toBeUndefined();
  expect(error.message).toContain('no cycles and no BigInt');
  expect(error.message).not.toContain('52998224725');
});

describe('a polluted prototype', () => {
  it('adds no extraFields to a request', async () => {
    polluted['extraFields'] = { novel: 'polluted' };
    expect(await sent({ reason: 'r' })).toEqual({ reason: 'r' });
    expect(await sent({ reason: 'r' }, { timeoutMs: 5_000 })).toEqual({ reason: 'r' });
  });
});

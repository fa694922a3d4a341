import { confirmPayment, PaymentsClient, reconcile, VERSION } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { resolveLimits, resolveOptions, resolveSignal } from '../../src/client/options';
import { reply, startHttpServer } from '../helpers/http-server';
import * as values from '../values/support';
import { clientFor, failureOf, operations } from './support';

const given = { baseUrl: 'https://service.example', apiKey: 'k', apiToken: 't' };
const [create] = operations;
const elsewhere = { url: 'https://service.example' };
const env = { PAYMENTS_BASE_URL: 'https://service.example', PAYMENTS_API_KEY: 'k', PAYMENTS_API_TOKEN: 't' };
const refusal = (options: object) => values.failureOf(() => new PaymentsClient({ ...given, ...options }));

it('resolveOptions fills in the documented defaults', () => {
  expect(resolveOptions(given)).toEqual({
    ...given,
    limits: { timeoutMs: 30_000, totalTimeoutMs: 90_000, maxRetries: 2 },
    maxResponseBytes: 1_048_576,
    fetch: undefined,
    userAgent: `pix-automatic-sdk/${VERSION}`,
  });
});

it.each([undefined, null, 'https://service.example', 7])('%j instead of options is refused', (wrong) => {
  expect(values.failureOf(() => resolveOptions(wrong as never)).message).toMatch(
    /Expected `new PaymentsClient\(.+`PaymentsClient\.fromEnv\(\)`.+ from the environment\./,
  );
});

it.each([
  ['baseUrl', [undefined, 'http://service.example']],
  ['apiKey', [undefined, 'k\n', 'k:t']],
  ['apiToken', [undefined, ' t']],
  ['timeoutMs', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', 2 ** 31]],
  ['totalTimeoutMs', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', 2 ** 31]],
  ['maxResponseBytes', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', 2 ** 53]],
  ['maxRetries', [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '2']],
  ['userAgent', ['', 'a\nb', 'olá', Symbol('s'), 7, {}]],
  ['fetch', [{}, 'fetch', null, 1]],
  ['onRequest', [{}, 'log', 1]],
  ['onResponse', [{}, 'log', 1]],
  ['onRetry', [{}, 'log', 1]],
] as Array<[string, unknown[]]>)('%s is refused and named where it is one of %o', (name, wrong) => {
  for (const value of wrong) {
    expect(refusal({ [name]: value })).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
    expect(refusal({ [name]: value }).message).toContain(`\`${name}\``);
  }
});

it.each([
  ['fetch', '(url, init) => Promise<Response>'],
  ['onRequest', '(event) => void'],
  ['userAgent', 'Expected `userAgent` to have only printable ASCII'],
])('%s is refused with the form that it must have: %s', (name, form) => {
  expect(refusal({ [name]: 1 }).message).toContain(form);
});

it('allowInsecureHttp must be exactly true, and a time limit fits a timer', () => {
  const baseUrl = 'http://service.example';
  expect(refusal({ baseUrl, allowInsecureHttp: 'yes' }).message).toContain('`baseUrl`');
  const longest = 2 ** 31 - 1;
  const options = { allowInsecureHttp: true, timeoutMs: longest, totalTimeoutMs: longest };
  expect(new PaymentsClient({ ...given, baseUrl, ...options })).toBeInstanceOf(PaymentsClient);
});

it.each([undefined, null])('observers that are %s count as none', async (none) => {
  const server = await startHttpServer(reply(200, { uuid: 'uuid-1' }));
  const observers = { onRequest: none, onResponse: none, onRetry: none };
  expect(await clientFor(server, observers as never).getTransaction('uuid-1')).toEqual({ uuid: 'uuid-1' });
});

it('options of undefined count as not given', async () => {
  const server = await startHttpServer(reply(200, {}));
  const names =
    'timeoutMs totalTimeoutMs maxRetries signal fetch userAgent maxResponseBytes allowInsecureHttp onRequest';
  const nothing = Object.fromEntries(names.split(' ').map((name) => [name, undefined]));
  expect(await clientFor(server, nothing).getTransaction('uuid-1', nothing)).toEqual({});
});

it('the limits of a call replace the limits of the client, one by one', () => {
  const defaults = { timeoutMs: 1, totalTimeoutMs: 2, maxRetries: 3 };
  for (const limits of [{}, { timeoutMs: 7 }, { totalTimeoutMs: 7 }, { maxRetries: 0 }]) {
    expect(resolveLimits(limits, defaults)).toEqual({ ...defaults, ...limits });
  }
});

it('the limits of a call are checked before anything is sent', async () => {
  const server = await startHttpServer(reply(200, {}));
  for (const options of [{ timeoutMs: 0 }, { totalTimeoutMs: -1 }, { maxRetries: 1.5 }]) {
    const thrown = await failureOf(clientFor(server).getTransaction('uuid-1', options));
    expect(thrown).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
  }
  expect(server.requests).toEqual([]);
});

const throwing = (name: string) =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get() {
      throw new Error('marked-secret');
    },
  });

it.each<[string, () => unknown]>([
  ['the client', () => new PaymentsClient(throwing('baseUrl') as never)],
  ['the previous pair', () => clientFor(elsewhere, { previous: throwing('apiKey') as never })],
  ['fromEnv', () => PaymentsClient.fromEnv(env, throwing('timeoutMs'))],
  ['a call', () => clientFor(elsewhere).getTransaction('uuid-1', throwing('signal'))],
  ['a call with a body', () => create.call(clientFor(elsewhere), throwing('extraFields') as never)],
  ['client.request', () => clientFor(elsewhere).request(throwing('path') as never)],
  ['reconcile', () => reconcile(clientFor(elsewhere), [], throwing('signal')).next()],
  ['confirmPayment', () => confirmPayment(clientFor(elsewhere), {} as never, throwing('signal'))],
])('a getter of the options of %s that throws is refused in our words', async (_, run) => {
  const thrown = await failureOf((async () => run())());
  expect(thrown).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
  expect(thrown.message).toContain('An option cannot be read');
  expect(thrown.message).not.toContain('marked-secret');
});

it.each([null, 7])('%j instead of an environment is refused in our words', (nothing) => {
  const thrown = values.failureOf(() => PaymentsClient.fromEnv(nothing as never));
  expect(thrown.code).toBe('configuration');
  expect(thrown.message).toContain('Expected `env` to be an object of environment variables');
});

describe('a signal', () => {
  it('is used as it is, and undefined and null count as no signal', () => {
    const { signal } = new AbortController();
    expect(resolveSignal(signal)).toBe(signal);
    expect(resolveSignal(undefined)).toBeUndefined();
    expect(resolveSignal(null)).toBeUndefined();
  });

  const payment = { kind: 'payment', payload: { saleToken: 'uuid-1', newStatus: 'PAID' } } as const;
  type Call = (client: PaymentsClient, signal: never) => Promise<unknown>;
  const calls: Record<string, Call> = {
    getTransaction: (client, signal) => client.getTransaction('uuid-1', { signal }),
    confirmPayment: (client, signal) => confirmPayment(client, payment, { signal }),
    reconcile: (client, signal) => reconcile(client, ['uuid-1'], { signal }).next(),
  };
  const aborted = false;
  const addEventListener = () => undefined;
  const removeEventListener = addEventListener;
  const wrong = [{}, 'abort', throwing('aborted'), new AbortController(), { aborted }, { addEventListener }];
  wrong.push({ aborted, addEventListener }, { aborted, removeEventListener });
  wrong.push({ addEventListener, removeEventListener });

  it.each(Object.entries(calls))('that is none is refused by %s, and nothing is sent', async (_, call) => {
    const server = await startHttpServer(reply(200, { uuid: 'uuid-1', situation: 'PAID' }));
    for (const signal of wrong) {
      const thrown = await failureOf(call(clientFor(server), signal as never));
      expect(thrown).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
      expect(thrown.message).toContain('Expected `signal` to be an AbortSignal');
    }
    expect(server.requests).toEqual([]);
  });
});

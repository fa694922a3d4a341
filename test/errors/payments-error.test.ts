import { inspect } from 'node:util';
import * as sdk from 'pix-automatic-sdk';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as common from '../../src/errors';
import * as ofOrders from '../../src/orders/errors';
import { body, context, type Errors, makers, names, secret } from './makers';

const { ApiError, PaymentsError } = sdk;
const ours: Errors = { ...common, ...ofOrders, ...sdk };
let theirs: Errors;

beforeAll(async () => {
  vi.resetModules();
  theirs = { ...(await import('../../src/errors')), ...(await import('../../src/orders/errors')) };
  expect(theirs.ApiError).not.toBe(ApiError);
});

describe('codes and names, which merchants test for,', () => {
  it.each([
    ['ConfigurationError', 'configuration', 'not-sent'],
    ['InvalidRequestError', 'invalid_request', 'not-sent'],
    ['ApiError', 'api_error', 'unknown'],
    ['InvalidResponseError', 'invalid_response', 'unknown'],
    ['ConnectionError', 'connection_failed', 'unknown'],
    ['TimeoutError', 'timeout', 'unknown'],
    ['AbortedError', 'aborted', 'unknown'],
    ['WebhookAuthenticationError', 'webhook_authentication_failed', undefined],
    ['InvalidNotificationError', 'invalid_notification', undefined],
    ['StoreError', 'store_failed', undefined],
    ['OrderBusyError', 'order_busy', 'not-sent'],
    ['OrderConflictError', 'order_conflict', 'not-sent'],
  ] as const)('%s has the code %s', (name, code, outcome) => {
    const error = makers[name](ours);
    expect(error).toMatchObject({ code, outcome });
    expect(error.name).toBe(name === 'AbortedError' ? 'AbortError' : name);
    expect(error.toString()).toMatch(new RegExp(`^${error.name}: `));
    expect(error.stack).toContain(error.message);
  });
});

describe('instanceof', () => {
  it.each(names)('%s is distinct from all other classes, in both copies of the package', (name) => {
    for (const error of [makers[name](ours), makers[name](theirs)]) {
      expect(error).toBeInstanceOf(Error);
      for (const copy of [ours, theirs]) {
        expect(error).toBeInstanceOf(copy.PaymentsError);
        for (const other of names) expect(error instanceof copy[other]).toBe(other === name);
      }
    }
  });

  const aborted = new DOMException('m', 'AbortError');
  it.each<unknown>([
    undefined,
    null,
    7,
    'text',
    {},
    [],
    () => 1,
    new Error('m'),
    aborted,
    Object.create(null),
  ])('%s is not a PaymentsError', (value) => {
    expect(value instanceof PaymentsError).toBe(false);
    expect(value instanceof ApiError).toBe(false);
  });

  it('a class that a merchant derives matches only its own instances', () => {
    class Refused extends ApiError {}
    const refused = new Refused('m', { ...context, httpStatus: 400, body });
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toBeInstanceOf(theirs.ApiError);
    expect(refused).toBeInstanceOf(PaymentsError);
    expect(makers.ApiError(ours)).not.toBeInstanceOf(Refused);
    expect(makers.ApiError(theirs)).not.toBeInstanceOf(Refused);
    expect(refused.name).toBe('ApiError');
  });
});

describe('personal data can be read from an error, and nothing prints it', () => {
  const printed = (value: unknown) =>
    [
      inspect(value, { depth: 9, showHidden: true }),
      JSON.stringify(value),
      String(value),
      (value as Error).stack,
      ...Object.getOwnPropertyNames(value).map((key) => String(Reflect.get(value as object, key))),
    ].join('\n');

  it.each([
    ['ApiError', 'body', body],
    ['ApiError', 'serviceMessage', secret],
    ['InvalidResponseError', 'body', body],
    ['InvalidNotificationError', 'body', body],
  ] as const)('in %s.%s', (name, field, value) => {
    const error = makers[name](ours);
    expect(Reflect.get(error, field)).toBe(value);
    expect(Object.hasOwn(error, field)).toBe(false);
    expect(printed(error)).not.toContain(secret);
    expect(structuredClone(error)).not.toHaveProperty(field);
    expect({ ...error }).not.toHaveProperty(field);
  });
});

it('an error as JSON has what a log needs, and a cause only if one was given', () => {
  const error = new ApiError('m', { ...context, httpStatus: 429, body, retryAfterMs: 1_000 });
  const fields = { code: 'api_error', httpStatus: 429, status: 999, retryAfterMs: 1_000 };
  expect(JSON.parse(JSON.stringify(error))).toEqual({ ...context, ...fields });
  expect('cause' in makers.TimeoutError(ours)).toBe(false);
  expect(makers.AbortedError(ours).cause).toBe('why');
});

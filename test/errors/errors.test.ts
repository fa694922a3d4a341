import { inspect } from 'node:util';
import {
  AbortedError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  InvalidResponseError,
  isCallError,
  PaymentsError,
  TimeoutError,
} from 'pix-automatic-sdk';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { InvalidNotificationError, StoreError, WebhookAuthenticationError } from '../../src/errors';
import { advice } from '../../src/errors/call-errors';
import { JourneyBusyError, JourneyConflictError } from '../../src/journal/errors';
import { summarize } from '../../src/shared/validation-issue';
import { body, context, type Errors, makers, names, secret, transaction } from './makers';

const ours: Errors = {
  AbortedError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  InvalidNotificationError,
  InvalidRequestError,
  InvalidResponseError,
  isCallError,
  JourneyBusyError,
  JourneyConflictError,
  PaymentsError,
  StoreError,
  TimeoutError,
  WebhookAuthenticationError,
};
let theirs: Errors;

beforeAll(async () => {
  vi.resetModules();
  theirs = { ...(await import('../../src/errors')), ...(await import('../../src/journal/errors')) };
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
    ['JourneyBusyError', 'journey_busy', 'not-sent'],
    ['JourneyConflictError', 'journey_conflict', 'not-sent'],
  ] as const)('%s has the code %s', (name, code, outcome) => {
    const error = makers[name](ours);
    expect(error).toMatchObject({ code, outcome });
    expect(error.name).toBe(name === 'AbortedError' ? 'AbortError' : name);
    expect(error.toString()).toMatch(new RegExp(`^${error.name}: `));
    expect(error.stack).toContain(error.message);
  });

  it('differ for each class', () => {
    expect(new Set(names.map((name) => makers[name](ours).code)).size).toBe(names.length);
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

  it.each([
    undefined,
    null,
    7,
    'text',
    {},
    [],
    () => 1,
    new Error('m'),
    new DOMException('m', 'AbortError'),
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

  /** The error has the value to read, and nothing prints or copies it. */
  const expectHidden = (error: PaymentsError, name: string, value: unknown) => {
    expect(Reflect.get(error, name)).toBe(value);
    expect(Object.hasOwn(error, name)).toBe(false);
    expect(printed(error)).not.toContain(secret);
    expect(structuredClone(error)).not.toHaveProperty(name);
    expect({ ...error }).not.toHaveProperty(name);
  };

  it.each(['ApiError', 'InvalidResponseError', 'InvalidNotificationError'] as const)(
    'in the body of %s',
    (name) => {
      expectHidden(makers[name](ours), 'body', body);
    },
  );

  it('in TimeoutError.transaction', () => {
    expectHidden(makers.TimeoutError(ours), 'transaction', transaction);
  });

  it('in ApiError.serviceMessage', () => {
    const error = new ApiError('m', { ...context, httpStatus: 400, body });
    expect(error).toMatchObject({ status: 999, serviceMessage: secret });
    expect(printed(error)).not.toContain(secret);
  });

  it.each([
    null,
    undefined,
    'text',
    [],
    { status: '1', message: 7 },
    Object.create({ status: 1, message: 'm' }),
  ])('and ApiError takes neither status nor message from a body of %j', (other) => {
    const error = new ApiError('m', { ...context, httpStatus: 400, body: other });
    expect(error.status).toBeUndefined();
    expect(error.serviceMessage).toBeUndefined();
  });
});

describe('what an error says', () => {
  it('includes, as JSON, what a log needs', () => {
    const error = new ApiError('m', { ...context, httpStatus: 429, body, retryAfterMs: 1_000 });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'api_error',
      outcome: 'unknown',
      operation: 'createRecurringCheckout',
      attempts: 2,
      httpStatus: 429,
      status: 999,
      retryAfterMs: 1_000,
    });
  });

  it('includes a cause only if one was given', () => {
    expect('cause' in makers.TimeoutError(ours)).toBe(false);
    expect(makers.AbortedError(ours).cause).toBe('why');
  });

  it('includes at most five issues, with their paths', () => {
    expect(makers.InvalidRequestError(ours).message).toBe(
      'The request was refused before anything was sent. a.0.b: expected a string. ' +
        'See docs/errors.md#invalid_request in pix-automatic-sdk.',
    );
    const many = Array.from({ length: 7 }, (_, index) => ({ path: [`f${index}`], message: 'required' }));
    expect(summarize(many)).toBe(
      'f0: required; f1: required; f2: required; f3: required; f4: required; and 2 more',
    );
    expect(summarize([{ path: [], message: 'expected an object' }])).toBe('expected an object');
    expect(summarize([{ path: [Symbol('s')], message: 'm' }])).toBe('Symbol(s): m');
  });

  it('includes no outcome, nor in JSON, for an invalid argument of a helper that sends nothing', () => {
    const issues = [{ path: ['base64'], message: 'expected Base64' }];
    const error = new InvalidRequestError('The QR code', issues, { ofCall: false });
    expect(error.outcome).toBeUndefined();
    expect(error.message).toBe(
      'The QR code is not valid. base64: expected Base64. See docs/errors.md#invalid_request in pix-automatic-sdk.',
    );
    expect(JSON.parse(JSON.stringify(error))).toEqual({ code: 'invalid_request', issues });
    for (const options of [undefined, {}, { ofCall: undefined }, { ofCall: true }]) {
      expect(new InvalidRequestError('The request', issues, options).outcome).toBe('not-sent');
    }
  });

  it.each([
    ['createRecurringCheckout', 'unknown', 'The journey may exist'],
    ['cancelScheduledPayment', 'unknown', 'may have gone through'],
    ['getTransaction', 'unknown', 'changes nothing'],
    ['createRecurringCheckout', 'refused', 'did not act on it'],
    ['createRecurringCheckout', 'not-sent', 'can be made again'],
  ] as const)('includes what to do next for %s with the outcome %s', (operation, outcome, text) => {
    expect(advice({ operation, outcome })).toContain(text);
  });

  it.each(['missing', 'wrong-scheme', 'malformed', 'mismatch'] as const)(
    'includes the reason why a notification is not accepted: %s',
    (reason) => {
      const error = new WebhookAuthenticationError(reason);
      expect(error).toMatchObject({ reason, outcome: undefined });
      expect(error.message).toMatch(/^The notification was not accepted\. .+\.$/);
    },
  );
});

import { AbortedError, ConnectionError, TimeoutError } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../src/client/transport/failed-attempt';
import {
  ABORTED,
  ATTEMPT_TIMED_OUT,
  CALL_TIMED_OUT,
  interruption,
  type Known,
} from '../../../src/client/transport/interruption';
import { operations } from '../../../src/service/operations';

function attemptAt(url: string): Attempt {
  return {
    operation: operations.createRecurringCheckout,
    url,
    limits: { timeoutMs: 1_000, totalTimeoutMs: 2_000, maxRetries: 0 },
    signal: AbortSignal.abort('why'),
    number: 1,
    remainingMs: 2_000,
    before: undefined,
  };
}

const attempt = attemptAt('https://service.example/v1.1/checkout/pix-automatic');
const known: Known = { httpStatus: 400, outcome: 'refused', uuid: 'uuid-1' };
const refused = Object.assign(new Error('m'), { code: 'ECONNREFUSED', syscall: 'connect' });
const reset = Object.assign(new Error('m'), { code: 'ECONNRESET', syscall: 'read' });

/** The first sentence. */
const startOf = (message: string) => message.split('. ')[0];

describe.each([
  ['the signal', ABORTED, AbortedError, 'The signal given to createRecurringCheckout ended it'],
  [
    'timeoutMs',
    ATTEMPT_TIMED_OUT,
    TimeoutError,
    'createRecurringCheckout did not end within `timeoutMs` (1000 ms)',
  ],
  [
    'totalTimeoutMs',
    CALL_TIMED_OUT,
    TimeoutError,
    'createRecurringCheckout did not end within `totalTimeoutMs` (2000 ms)',
  ],
  [
    'a lost connection',
    reset,
    ConnectionError,
    'The connection was lost during createRecurringCheckout (ECONNRESET)',
  ],
  [
    'something without a code',
    new Error('a secret'),
    ConnectionError,
    'The connection was lost during createRecurringCheckout',
  ],
] as const)('an attempt that was ended by %s', (_, thrown, type, message) => {
  it('has outcome unknown when no status had come', () => {
    const failure = interruption(thrown, attempt);
    expect(failure.error).toBeInstanceOf(type);
    expect(failure).toMatchObject({ outcome: 'unknown', error: { outcome: 'unknown', attempts: 1 } });
    expect(failure.httpStatus).toBeUndefined();
    expect(failure.error.uuid).toBeUndefined();
    expect(startOf(failure.error.message)).toBe(message);
  });

  it('has the outcome of the status, and the uuid, when both had come', () => {
    const failure = interruption(thrown, attempt, known);
    expect(failure.error).toBeInstanceOf(type);
    expect(failure).toMatchObject({
      outcome: 'refused',
      httpStatus: 400,
      error: { outcome: 'refused', uuid: 'uuid-1' },
    });
  });
});

it('a connection that was never made has outcome not-sent and a reason', () => {
  const failure = interruption(refused, attempt);
  expect(failure).toMatchObject({ outcome: 'not-sent', error: { reason: 'ECONNREFUSED' } });
  expect(failure.error.message).toContain(
    'createRecurringCheckout could not connect to the service (ECONNREFUSED). Check `baseUrl`',
  );
});

it('ECONNREFUSED after a status had come is a lost connection with the outcome of that status', () => {
  for (const outcome of ['unknown', 'refused'] as const) {
    const failure = interruption(refused, attempt, { ...known, outcome });
    expect(failure).toMatchObject({ outcome, error: { outcome } });
    expect(failure.error.message).toContain('The connection was lost during');
  }
});

it.each([
  ['http://127.0.0.1:4100/x', refused, true],
  ['http://localhost:4100/x', refused, true],
  ['https://service.example/x', refused, false],
  ['http://127.0.0.1:4100/x', Object.assign(new Error('m'), { code: 'ENOTFOUND' }), false],
])('the message for %s (%s) asks whether the sandbox is running: %s', (url, thrown, asks) => {
  const { message } = interruption(thrown, attemptAt(url)).error;
  expect(message.includes('Is the sandbox running')).toBe(asks);
  expect(message.includes('Check `baseUrl`')).toBe(!asks);
});

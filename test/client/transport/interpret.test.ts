import { ApiError, InvalidResponseError, transactionSchema } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import type { Received } from '../../../src/client/transport/exchange';
import { type Attempt, FailedAttempt } from '../../../src/client/transport/failed-attempt';
import { interpret } from '../../../src/client/transport/interpret';
import { ABORTED } from '../../../src/client/transport/interruption';
import { Secrets } from '../../../src/service/credentials';
import { operations } from '../../../src/service/operations';
import type { Schema } from '../../../src/service/schema/schema';

const attempt: Attempt = {
  operation: operations.getTransaction,
  url: 'https://service.example/v1.1/transactions/uuid-1',
  limits: { timeoutMs: 1_000, totalTimeoutMs: 2_000, maxRetries: 0 },
  signal: AbortSignal.abort('why'),
  number: 1,
  remainingMs: 2_000,
  before: undefined,
};
const secrets = new Secrets({ apiKey: 'a-key', apiToken: 'a-token' });
const whole = '{"uuid":"uuid-1","situation":"PAID"}';

function received(httpStatus: number, text = '', rest: Partial<Received> = {}): Received {
  return { httpStatus, header: () => null, text, ...rest };
}

function read(response: Received, schema: Schema<unknown> = transactionSchema as Schema<unknown>) {
  return interpret(response, schema, attempt, secrets);
}

/** The failed attempt that was thrown, with its error. */
function failureOf(response: Received, schema?: Schema<unknown>): FailedAttempt {
  try {
    read(response, schema);
  } catch (thrown) {
    if (thrown instanceof FailedAttempt) return thrown;
    throw thrown;
  }
  throw new Error('Nothing was thrown.');
}

const query = 'A query changes nothing, so it can be made again.';
const refused = 'The service refused the call and did not act on it.';

describe('a status outside 2xx', () => {
  const answered = (status: number) => `The service answered getTransaction with HTTP ${status}`;
  it.each([
    [100, 'unknown', `. ${query}`],
    [199, 'unknown', `. ${query}`],
    [
      300,
      'unknown',
      `, a redirect, which is never followed because the credentials would go with it. Check \`baseUrl\`. ${query}`,
    ],
    [400, 'refused', `. The reason is in \`error.serviceMessage\` or in \`error.body\`. ${refused}`],
    [401, 'refused', `. Check that \`apiKey\` and \`apiToken\` belong to this \`baseUrl\`. ${refused}`],
    [402, 'refused', `. ${refused}`],
    [403, 'refused', `. Check that \`apiKey\` and \`apiToken\` belong to this \`baseUrl\`. ${refused}`],
    [
      404,
      'refused',
      ` for the path /v1.1/transactions/uuid-1. Check the identifier, and the path prefix of \`baseUrl\`. ${refused}`,
    ],
    [408, 'unknown', `. ${query}`],
    [422, 'refused', `. The reason is in \`error.serviceMessage\` or in \`error.body\`. ${refused}`],
    [429, 'refused', `: too many requests. ${refused}`],
    [499, 'unknown', `. ${query}`],
    [500, 'unknown', `. ${query}`],
  ] as const)('of %i has outcome %s, and a message with the way out', (status, outcome, end) => {
    const failure = failureOf(received(status));
    expect(failure.error).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ outcome, httpStatus: status, error: { outcome, httpStatus: status } });
    expect(failure.error.message.split(' See docs')[0]).toBe(answered(status) + end);
  });

  it.each([
    ['https://other.example/login?token=1', ' to https://other.example'],
    ['/login', ''],
    ['null', ''],
  ])('names only the origin of a redirect to %s', (location, origin) => {
    const { error } = failureOf(received(302, '', { header: () => location }));
    expect(error.message).toContain(`, a redirect${origin}, which`);
  });

  it('is an ApiError even when the body broke off', () => {
    expect(failureOf(received(409, '{"mess', { brokenOff: new Error('reset') })).error).toBeInstanceOf(
      ApiError,
    );
  });

  it.each([200, 201, 299])('does not include %i, which is a success', (status) => {
    expect(read(received(status, whole)).result).toEqual(JSON.parse(whole));
  });
});

describe('a success that cannot be used', () => {
  const unusable = 'The response is a success without a usable body. expected a JSON object, got';
  it.each([
    ['', 'nothing'],
    [' \n', 'nothing'],
    ['[1]', 'a list'],
    ['"text"', 'another JSON value'],
    ['7', 'another JSON value'],
    ['null', 'another JSON value'],
    ['<p>', 'text that is not JSON'],
    ['x <html>', 'text that is not JSON'],
    ['xx<html>', 'text that is not JSON'],
    [
      '\n<!DOCTYPE  html>',
      'an HTML page. Does `baseUrl` point at a website, or at a proxy with a login page?',
    ],
    ['<HEAD>', 'an HTML page. Does `baseUrl` point at a website, or at a proxy with a login page?'],
  ])('%j is described in the message as %s', (text, what) => {
    const failure = failureOf(received(200, text));
    expect(failure.error).toBeInstanceOf(InvalidResponseError);
    expect(failure).toMatchObject({ outcome: 'unknown', httpStatus: 200, error: { outcome: 'unknown' } });
    expect(failure.error.message.split(' See docs')[0]).toBe(`${unusable} ${what}. ${query}`);
  });

  it('that lacks an essential field causes an error that names the field', () => {
    const { error } = failureOf(received(200, '{"situation":7}'));
    expect(error.message).toContain(
      'The response is a success, but essential fields are missing or invalid. situation: expected',
    );
  });

  it('whose schema throws has outcome unknown, and its error quotes nothing of what was thrown', () => {
    const broken = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: () => {
          throw new Error('a secret');
        },
      },
    };
    const { error, outcome } = failureOf(received(200, whole), broken);
    expect(error).toMatchObject({ code: 'invalid_response', outcome: 'unknown', uuid: 'uuid-1', issues: [] });
    expect(outcome).toBe('unknown');
    expect(error.message.split(' See docs')[0]).toBe(
      `The response is a success that cannot be read. ${query}`,
    );
  });
});

describe('a body status', () => {
  it.each([-1, 999, '-1', '999'])('of %j is an ApiError that names it', (status) => {
    const failure = failureOf(received(200, JSON.stringify({ status, uuid: 'uuid-1' })));
    expect(failure).toMatchObject({ outcome: 'unknown', httpStatus: 200, error: { code: 'api_error' } });
    expect(failure.error.message.split(' See docs')[0]).toBe(
      `The service answered getTransaction with HTTP 200 and a body whose status is ${status}, not 0. ${query} ` +
        'Its own message is in `error.serviceMessage`.',
    );
  });

  it.each([0, '0', 'x1', '1x', null, ['1']])('of %j is not an error', (status) => {
    expect(read(received(200, JSON.stringify({ ...JSON.parse(whole), status }))).result).toMatchObject({
      uuid: 'uuid-1',
    });
  });
});

it('an abort after a whole body is an AbortedError with the uuid of that body', () => {
  const failure = failureOf(received(200, whole, { brokenOff: ABORTED }));
  expect(failure.error).toMatchObject({ code: 'aborted', uuid: 'uuid-1', cause: 'why' });
  expect(failure.error.message).toContain(
    'The signal given to getTransaction ended it. A query changes nothing',
  );
});

import {
  AbortedError,
  ApiError,
  type CallError,
  ConnectionError,
  InvalidResponseError,
  type Outcome,
  TimeoutError,
} from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isTransient, parseRetryAfter, refusesPair, retryDelayMs } from '../../src/client/retry';

const PASSING = [408, 429, 500, 502, 503, 504];
const LASTING = [
  200, 301, 304, 400, 401, 403, 404, 407, 409, 421, 422, 425, 428, 430, 499, 501, 505, 507, 511, 520, 599,
];
const context = { operation: 'getTransaction', attempts: 1, outcome: 'unknown' } as const;
const api = (
  httpStatus: number,
  fields: { retryAfterMs?: number; attempts?: number; outcome?: Outcome } = {},
) => new ApiError('m', { ...context, outcome: 'refused', ...fields, httpStatus, body: '' });
const connection = (reason?: string) => new ConnectionError('m', { ...context, reason });
const timeout = (attempts = 1) => new TimeoutError('m', { ...context, attempts });
const neverPass = [
  new InvalidResponseError('m', { ...context, issues: [], body: '' }),
  new AbortedError('m', { ...context, cause: undefined }),
  connection('CERT_HAS_EXPIRED'),
  connection('bad port'),
];

const mayRetry = (method: string, error: CallError, isPlatforms: boolean) =>
  retryDelayMs(method, error, isPlatforms) !== undefined;

describe('another attempt', () => {
  it.each(PASSING)('of a query may follow a %d', (status) => {
    expect(isTransient(api(status))).toBe(true);
    expect(mayRetry('GET', api(status), true)).toBe(true);
    expect(mayRetry('GET', api(status), false)).toBe(true);
  });

  it.each(LASTING)('never follows a %d', (status) => {
    expect(isTransient(api(status))).toBe(false);
    for (const method of ['GET', 'POST', 'PUT']) expect(mayRetry(method, api(status), true)).toBe(false);
  });

  it.each(['POST', 'PUT', 'DELETE'])(
    'of a %s follows a 429 alone, over the platform’s fetch alone',
    (method) => {
      const errors = [...[...PASSING, ...LASTING].map((status) => api(status)), connection(), timeout()];
      errors.push(connection('ECONNREFUSED'), connection('ENOTFOUND'));
      const retried = errors.filter((error) => mayRetry(method, error, true));
      expect(retried).toEqual([expect.objectContaining({ httpStatus: 429 })]);
      expect(errors.filter((error) => mayRetry(method, error, false))).toEqual([]);
    },
  );

  it('of a POST does not follow a 429 whose outcome is unknown, because it named the journey', () => {
    const named = api(429, { outcome: 'unknown' });
    expect([mayRetry('POST', named, true), mayRetry('GET', named, true)]).toEqual([false, true]);
  });

  it.each([connection('ECONNRESET'), connection(), timeout()])(
    'of a query follows $code $reason',
    (error) => {
      expect(isTransient(error)).toBe(true);
      expect(mayRetry('GET', error, false)).toBe(true);
    },
  );

  it.each(neverPass)('never follows a permanent failure: $code $reason', (error) => {
    expect(isTransient(error)).toBe(false);
    for (const method of ['GET', 'POST', 'PUT']) expect(mayRetry(method, error, true)).toBe(false);
  });

  it('never follows a value that is not an error of a call', () => {
    expect([undefined, null, 'text', new Error('m')].map(isTransient)).toEqual([false, false, false, false]);
  });
});

it('401 and 403 may mean that the credentials are not valid, and no other status', () => {
  expect([undefined, ...PASSING, ...LASTING].filter(refusesPair)).toEqual([401, 403]);
});

describe('the wait before another attempt', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('is the Retry-After of the service, 0 included', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    expect(retryDelayMs('POST', api(429, { retryAfterMs: 1_234 }), true)).toBe(1_234);
    expect(retryDelayMs('GET', api(429, { retryAfterMs: 0 }), false)).toBe(0);
  });

  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [5, 8_000],
    [6, 8_000],
    [40, 8_000],
  ])('after attempt %d is a random part of %d ms', (attempts, bound) => {
    const random = vi.spyOn(Math, 'random');
    for (const part of [0, 0.25, 0.999]) {
      random.mockReturnValue(part);
      expect(retryDelayMs('GET', timeout(attempts), true)).toBe(part * bound);
      expect(retryDelayMs('GET', api(503, { attempts }), true)).toBe(part * bound);
    }
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 37);
  beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  const DATE = 'Sun, 06 Nov 1994 08:50:37 GMT';
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['007', 7_000],
    ['1.5', 1_500],
    ['0.25', 250],
    [' \t 1 ', 1_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    // RFC 9110, section 5.6.7: the form to send, and the two old ones.
    [DATE, 60_000],
    ['Sun,  06 Nov 1994 08:50:37 GMT', 60_000],
    ['Sunday, 06-Nov-94 08:50:37 GMT', 60_000],
    ['Sun Nov  6 08:50:37 1994', 60_000],
    ['Sun Nov 16 08:49:37 1994', 864_000_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Sun, 06 Nov 1994 08:48:37 GMT', 0],
    // Two header lines, which `Headers` joins.
    ['1, 2', 2_000],
    ['2,1', 2_000],
    [`5, ${DATE}`, 60_000],
    [`${DATE}, 90`, 90_000],
    [`${DATE}, Sunday, 06-Nov-94 08:51:37 GMT`, 120_000],
    ['Sun Nov  6 08:50:37 1994, 61', 61_000],
    ['soon, 3', 3_000],
    ['3, ', 3_000],
  ])('%s is read as %d ms', (value, ms) => expect(parseRetryAfter(value)).toBe(ms));

  const other = `06 Nov 1994 08:50:37 GMT|Sun, 06 Nov 1994 08:50:37|Sun, 06 Nov 1994 08:50:37 GMT!|xSun, 06 Nov 1994 08:50:37 GMT|
Sun, 99 Nov 1994 99:50:37 GMT|Sun Nov  6 08:50:37 1994 x|x Sun Nov  6 08:50:37 1994|Sun Nov  6 08:50:37 19945|
xSun Nov  6 08:50:37 1994|Sun Nov 6 8:50:37 1994|sun nov  6 08:50:37 1994|Sun Nov  6 99:50:37 1994|Sun, GMT|1994-11-06|
-1|+1|.5|5.|1e3|0x10|1 2|x1|1x|NaN|Infinity|soon|,`;

  it.each([null, '', ' ', ...other.split(/\|\n?/)])('%j is ignored', (value) =>
    expect(parseRetryAfter(value)).toBeUndefined(),
  );
});

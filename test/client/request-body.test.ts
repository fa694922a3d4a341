import { InvalidRequestError, scheduledPaymentCancellationRequestSchema } from 'pix-automatic-sdk';
import { describe, expect, it, vi } from 'vitest';
import { requestBody } from '../../src/client/request';
import { operations } from '../../src/service/operations';

function bodyOf(request: unknown, extraFields?: unknown): string {
  return requestBody(
    operations.cancelScheduledPayment,
    scheduledPaymentCancellationRequestSchema,
    request as never,
    { extraFields: extraFields as never },
  );
}

/** The issues of a refused request. Also checks how the message begins. */
function refusal(request: unknown, extraFields?: unknown) {
  try {
    bodyOf(request, extraFields);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(InvalidRequestError);
    const { message, issues } = thrown as InvalidRequestError;
    expect(message).toMatch(/^The request of cancelScheduledPayment was refused /);
    return issues;
  }
  throw new Error('Expected the request to be refused');
}

it('an invalid request is refused with the path of the wrong field', () => {
  expect(refusal({ reason: 7 })).toMatchObject([{ path: ['reason'] }]);
  expect(refusal({ reason: 'r' }, { reason: 7 })).toMatchObject([{ path: ['reason'] }]);
});

it.each([undefined, () => 1, null])('%s instead of a request is refused with an empty path', (request) => {
  expect(refusal(request)).toMatchObject([{ path: [] }]);
});

it('a request that JSON cannot hold is refused with an empty path', () => {
  expect(refusal({ reason: 'r', n: 1n })).toEqual([
    { path: [], message: 'expected plain JSON: no cycles and no BigInt' },
  ]);
});

it.each([
  ['a promise', Promise.resolve({ amount: 1 })],
  ['a map', new Map([['amount', 1]])],
  ['a set', new Set([1])],
])('%s, of which JSON would make an empty object, is refused', (_, value) => {
  const lost = 'expected plain JSON, which a promise, a map or a set is not';
  expect(refusal({ reason: 'r', novel: [value] })).toEqual([{ path: ['novel', 0], message: lost }]);
  expect(refusal({ reason: 'r' }, { novel: { deep: value } })).toEqual([
    { path: ['novel', 'deep'], message: lost },
  ]);
  expect(refusal({ reason: 'r' }, value)).toEqual([{ path: [], message: lost }]);
});

it('an extra field whose toJSON returns null is sent as null', () => {
  expect(bodyOf({ reason: 'r' }, { novel: { toJSON: () => null } })).toBe('{"reason":"r","novel":null}');
});

it('toJSON of extra fields gets the name of its field, or an empty name at the top, as in JSON.stringify', () => {
  const inner = vi.fn(() => 1);
  const outer = vi.fn(() => ({ novel: { toJSON: inner } }));
  expect(bodyOf({ reason: 'r' }, { toJSON: outer })).toBe('{"reason":"r","novel":1}');
  expect(outer).toHaveBeenCalledExactlyOnceWith('');
  expect(inner).toHaveBeenCalledExactlyOnceWith('novel');
});

const notFinite = 'expected a finite number, got NaN or infinity';

describe('what JSON would turn into null is refused, with its path', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%s anywhere', (number) => {
    expect(refusal({ reason: 'r', list: [1, { deep: number }] })).toEqual([
      { path: ['list', 1, 'deep'], message: notFinite },
    ]);
    expect(refusal({ reason: 'r' }, { novel: { deep: number } })).toEqual([
      { path: ['novel', 'deep'], message: notFinite },
    ]);
    expect(refusal({ reason: 'r' }, { list: [[number]] })).toEqual([
      { path: ['list', 0, 0], message: notFinite },
    ]);
    expect(refusal(number)).toEqual([{ path: [], message: notFinite }]);
  });

  it('a number that JSON takes out of its object, or that toJSON gives', () => {
    expect(refusal({ reason: new Number(Number.NaN) })).toEqual([{ path: ['reason'], message: notFinite }]);
    expect(refusal({ reason: { toJSON: () => Number.NaN } })).toEqual([
      { path: ['reason'], message: notFinite },
    ]);
    expect(refusal({ reason: 'r' }, { novel: { toJSON: () => Number.NaN } })).toEqual([
      { path: ['novel'], message: notFinite },
    ]);
  });

  it('an invalid date', () => {
    const message = 'expected a valid date';
    const date = new Date('29/02/2027');
    expect(refusal({ reason: date })).toEqual([{ path: ['reason'], message }]);
    expect(refusal({ reason: 'r' }, { novel: [date] })).toEqual([{ path: ['novel', 0], message }]);
    expect(refusal({ reason: 'r' }, { novel: { since: date } })).toEqual([
      { path: ['novel', 'since'], message },
    ]);
  });

  it('each of them, and each with its own path where one object is in two places', () => {
    const shared = { rate: Number.NaN };
    expect(refusal({ reason: 'r', a: shared, b: { c: shared } })?.map(({ path }) => path)).toEqual([
      ['a', 'rate'],
      ['b', 'c', 'rate'],
    ]);
  });
});

it('a valid date is sent as its text, also in extra fields', () => {
  const since = new Date(0);
  expect(bodyOf({ reason: 'r', since }, { novel: { since } })).toBe(
    '{"reason":"r","since":"1970-01-01T00:00:00.000Z","novel":{"since":"1970-01-01T00:00:00.000Z"}}',
  );
});

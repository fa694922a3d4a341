import { InvalidRequestError, scheduledPaymentCancellationRequestSchema } from 'pix-automatic-sdk';
import { expect, it, vi } from 'vitest';
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

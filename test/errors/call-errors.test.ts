import { inspect } from 'node:util';
import { ApiError } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { advice } from '../../src/errors/call-errors';
import { context } from './makers';

const errorOf = (body: unknown) => new ApiError('m', { ...context, httpStatus: 400, body });

describe('ApiError', () => {
  const inherited = Object.create({ status: 1, message: 'm' });
  it.each([null, undefined, 'text', [], { status: '1', message: 7 }, inherited])(
    'takes neither status nor message from a body of %j',
    (body) => {
      const nothing = { status: undefined, serviceMessage: undefined, serviceErrors: [] };
      expect(errorOf(body)).toMatchObject(nothing);
    },
  );

  it('has the errors of single fields, of which nothing prints what is said about them', () => {
    const errors = [
      { field: 'shopper.document.number', message: '52998224725 is no CPF' },
      { field: 'a value 52998224725', message: 'm' },
      { message: 'all of it' },
      { code: 7 },
      'text',
      null,
    ];
    const error = errorOf({ errors });
    expect(error.serviceErrors).toEqual(errors.slice(0, 3));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('52998224725');
  });

  it('has no errors of fields where `errors` has another form, and at most 20', () => {
    for (const errors of [undefined, null, 'text', { field: 'a' }, [], [[]]]) {
      expect(errorOf({ errors }).serviceErrors).toEqual([]);
    }
    expect(errorOf({ errors: Array(50).fill({ field: 'f' }) }).serviceErrors).toHaveLength(20);
  });
});

it.each([
  ['createRecurringCheckout', 'unknown', undefined, 'The journey may exist'],
  ['createRecurringCheckout', 'unknown', 'uuid-1', 'The journey exists'],
  ['cancelScheduledPayment', 'unknown', undefined, 'may have gone through'],
  ['getTransaction', 'unknown', 'uuid-1', 'changes nothing'],
  ['GET /v1.1/x', 'unknown', undefined, 'changes nothing'],
  ['POST /v1.1/x', 'unknown', undefined, 'find out before you make it again'],
  ['createRecurringCheckout', 'refused', undefined, "by HTTP's convention, it did not act on it"],
  ['createRecurringCheckout', 'not-sent', undefined, 'can be made again'],
] as const)(
  'the advice after %s with the outcome %s and the uuid %s: %s',
  (operation, outcome, uuid, text) => {
    expect(advice({ operation, outcome, uuid })).toContain(text);
  },
);

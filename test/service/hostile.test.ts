import {
  recurringCheckoutRequestSchema,
  recurringCheckoutSchema,
  transactionSchema,
} from 'pix-automatic-sdk';
import { payoutPayloadSchema, refundPayloadSchema, salePayloadSchema } from 'pix-automatic-sdk/webhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { validate } from '../../src/service/schema/schema';
import { beHostile } from '../secrets/hostile-host';

afterEach(() => {
  for (const name of Object.keys(Object.prototype)) Reflect.deleteProperty(Object.prototype, name);
});

/** Adds fields to every object of the process, until the end of the test. */
function pollute(fields: object): void {
  for (const [name, value] of Object.entries(fields)) {
    Object.defineProperty(Object.prototype, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}

describe('with a polluted Object.prototype', () => {
  const journey = { response: { uuid: 'u-1', instructions: { qrCode: { plain: 'x' } } } };

  it('an inherited field does not count as a required field', () => {
    pollute({
      uuid: 'u',
      status: 'PAID',
      saleToken: 's',
      newStatus: 'PAID',
      plain: 'x',
      success: true,
      currency: 'BRL',
    });
    const paths = (result: ReturnType<typeof validate>) => result.issues?.map(({ path }) => path.join('.'));
    expect(
      paths(validate(recurringCheckoutSchema, { response: { instructions: { qrCode: { plain: 'x' } } } })),
    ).toEqual(['response.uuid']);
    expect(
      paths(validate(recurringCheckoutSchema, { response: { uuid: 'u-1', instructions: { qrCode: {} } } })),
    ).toEqual(['response.instructions.qrCode']);
    expect(paths(validate(salePayloadSchema, {}))).toEqual(['saleToken', 'newStatus']);
    expect(paths(validate(payoutPayloadSchema, { uuid: 'p', status: 'PAID' }))).toEqual(['success']);
    expect(paths(validate(refundPayloadSchema, { saleToken: 's', status: 'PAID', refund: {} }))).toEqual([
      'refund.uuid',
    ]);
    const request = { referenceCode: 'r', shopper: {}, recurrence: { immediatePayment: false } };
    expect(paths(validate(recurringCheckoutRequestSchema as never, request))).toEqual(['currency']);
  });

  it('a field called __proto__ is left out, also when other fields have the wrong type', () => {
    const given = JSON.parse(
      '{"amount":"5","__proto__":{"admin":true},"shopper":{"__proto__":{"admin":true},"email":7}}',
    );
    const result = validate(transactionSchema, given);
    const value = Reflect.get(result, 'value') as { shopper: object };
    expect([value, value.shopper].map((object) => Reflect.ownKeys(object))).toEqual([['shopper'], []]);
  });

  it('an inherited field of another type than documented is not reported', () => {
    pollute({ amount: 'much', id: 'x', instructions: 7 });
    expect(validate(recurringCheckoutSchema, journey)).toMatchObject({
      value: { response: { uuid: 'u-1' } },
      leftOut: [],
    });
  });

  it.each(['extend', 'issues', 'when', 'direction', 'error', 'message', 'path', 'def', 'type', 'checks'])(
    'schemas used for the first time afterwards do not throw: %s',
    async (name) => {
      vi.resetModules();
      const fresh = { ...(await import('../../src/index')), ...(await import('../../src/webhooks/index')) };
      pollute({ [name]: () => 'polluted' });
      const wrong = { amount: '5', refunds: { transactions: [{ total: '5' }] } };
      for (const [key, schema] of Object.entries(fresh)) {
        if (!key.endsWith('Schema')) continue;
        const result = validate(schema as never, wrong);
        expect([key, Object.hasOwn(result, 'issues')]).toEqual([key, true]);
      }
    },
  );

  it('a method added to Object.prototype does not break schemas, whether created before or after', async () => {
    vi.resetModules();
    const fresh = { ...(await import('../../src/index')), ...(await import('../../src/webhooks/index')) };
    pollute({ extend: () => 'polluted' });
    expect(
      validate(fresh.recurringCheckoutSchema, { response: { ...journey.response, amount: '5' } }),
    ).toMatchObject({
      value: journey,
      leftOut: [{ path: ['response', 'amount'] }],
    });
    expect(validate(fresh.transactionSchema, { situation: 'PAID', track: [] })).toMatchObject({
      value: { situation: 'PAID' },
    });
    expect(
      validate(fresh.payoutPayloadSchema, { success: false, uuid: 'p', status: 'PENDING', amount: '5' }),
    ).toMatchObject({
      value: { success: false, uuid: 'p' },
    });
  });
});

describe('in a host whose zod quotes what it refuses', () => {
  it('neither refused values nor left-out values are quoted', () => {
    const end = beHostile();
    try {
      const result = validate(transactionSchema, { uuid: ['S3CRET'], amount: 'S3CRET' });
      expect(result).toEqual({ issues: [{ path: ['uuid'], message: 'expected a string, got an array' }] });
      expect(
        JSON.stringify(validate(transactionSchema, { amount: 'S3CRET', track: ['S3CRET'] }).issues ?? ''),
      ).not.toContain('S3CRET');
      expect(validate(transactionSchema, { amount: 'S3CRET' })).toEqual({
        value: {},
        leftOut: [{ path: ['amount'], message: 'expected a number, got a string' }],
      });
    } finally {
      end();
    }
  });
});

describe('a body of a mebibyte', () => {
  const many = <Item>(item: Item, count: number) => Array.from({ length: count }, () => item);

  it.each([
    ['half a million numbers', many(1, 500_000), [0]],
    ['an object, then half a million numbers', [{}, ...many(1, 500_000)], [1]],
  ])('of %s as refunds does not overflow the stack, and has one issue', (_, transactions, at) => {
    expect(validate(transactionSchema, { uuid: 'u', refunds: { transactions } })).toEqual({
      value: { uuid: 'u', refunds: {} },
      leftOut: [{ path: ['refunds', 'transactions', ...at], message: 'expected an object, got a number' }],
    });
  });

  it('of 75,000 refunds with a wrong total has twenty issues, and each refund without its total', () => {
    const result = validate(transactionSchema, {
      refunds: { transactions: many({ total: '5', uuid: 'r' }, 75_000) },
    });
    expect(result).toMatchObject({ leftOut: many({}, 20) });
    expect(Reflect.get(result, 'value')).toEqual({ refunds: { transactions: many({ uuid: 'r' }, 75_000) } });
  });

  it('of half a million steps that are not text leaves the steps out', () => {
    const instructions = { qrCode: { plain: 'x' }, steps: { qrCode: many(1, 500_000) } };
    expect(validate(recurringCheckoutSchema, { response: { uuid: 'u', instructions } })).toMatchObject({
      value: { response: { uuid: 'u', instructions: { steps: {} } } },
      leftOut: [{ path: ['response', 'instructions', 'steps', 'qrCode', 0] }],
    });
  });

  it('of nothing but brackets, in a field that the document does not show, is kept', () => {
    const given = JSON.parse(`{"amount":"5","novel":${'['.repeat(400_000)}${']'.repeat(400_000)}}`);
    const result = validate(transactionSchema, given);
    expect(Reflect.get(Object(Reflect.get(result, 'value')), 'novel')).toBe(given.novel);
  });
});

it('a value whose accessor throws is refused, and the thrown message is not quoted', () => {
  const given = {
    get uuid(): string {
      throw new Error('S3CRET');
    },
  };
  expect(validate(transactionSchema, given)).toEqual({
    issues: [{ path: [], message: 'expected a value that can be read' }],
  });
});

it('the issue of a payout with a wrong success says that it must be true or false', () => {
  const payout = { uuid: 'p', status: 'PAID' };
  const messageOf = (success: unknown) => validate(payoutPayloadSchema, { ...payout, success }).issues;
  expect(messageOf('true')).toEqual([{ path: ['success'], message: 'expected true or false, got a string' }]);
  expect(messageOf(undefined)).toEqual([{ path: ['success'], message: 'required, true or false' }]);
});

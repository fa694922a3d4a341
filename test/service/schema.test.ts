import { recurringCheckoutSchema, transactionSchema } from 'pix-automatic-sdk';
import { payoutPayloadSchema } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { toSchema, validate } from '../../src/service/schema';
import { beHostile } from '../secrets/hostile-host';
import { guarded, replacedOnce } from './guarded';

describe('issues name the field and the expectation, never the value,', () => {
  const marked = 'CPF 529.982.247-25';

  it.each([false, true])('also in a host whose zod quotes what it refuses: %j', (isHostile) => {
    const end = isHostile ? beHostile() : () => undefined;
    onTestFinished(end);
    for (const { object, examples } of guarded) {
      for (const value of examples.flatMap((example) =>
        replacedOnce(example, [marked, [marked], { [marked]: 1 }]),
      )) {
        const { issues, leftOut } = { leftOut: [], ...validate(toSchema(object), value) };
        expect(JSON.stringify([issues, leftOut])).not.toMatch(/529|refused/);
      }
    }
    expect(validate(transactionSchema, { uuid: [marked], amount: marked })).toEqual({
      issues: [{ path: ['uuid'], message: 'expected a string, got an array' }],
    });
    // The host is hostile indeed.
    expect(isHostile).toBe(z.safeParse(z.number(), marked).error?.message.includes(marked));
  });
});

describe('a list in an answer', () => {
  const many = <Item>(item: Item, count: number) => Array.from({ length: count }, () => item);
  const withRefunds = (transactions: unknown) => ({ uuid: 'u', refunds: { transactions } });
  const leftOut = (...path: string[]) => [
    {
      path,
      message: expect.stringMatching(
        /^expected the documented type, got an array of \d+ elements; at most 1000 are read$/,
      ),
    },
  ];

  it('of up to 1,000 elements is kept, whether it is as documented or not', () => {
    for (const refund of [{ uuid: 'r' }, { uuid: 'r', total: '5' }]) {
      expect(validate(transactionSchema, withRefunds(many(refund, 1_000)))).toMatchObject({
        value: withRefunds(many({ uuid: 'r' }, 1_000)),
      });
    }
  });

  it.each([
    ['1,001 refunds', many({ uuid: 'r' }, 1_001)],
    ['75,000 refunds with a wrong total', many({ uuid: 'r', total: '5' }, 75_000)],
    ['half a million numbers', many(1, 500_000)],
    ['an object, then half a million numbers', [{}, ...many(1, 500_000)]],
  ])('of more is left out before zod reads its elements: %s', (_, transactions) => {
    let reads = 0;
    const counted = new Proxy(transactions, {
      get(target, name) {
        if (name === '0' || name === '1') reads += 1;
        return Reflect.get(target, name);
      },
    });
    expect(validate(transactionSchema, withRefunds(counted))).toEqual({
      value: { uuid: 'u', refunds: {} },
      leftOut: leftOut('refunds', 'transactions'),
    });
    // The generated guard looks at each, and ends at the first that is not as documented.
    expect(reads).toBeLessThanOrEqual(2);
  });

  it('of half a million steps is left out, and the checkout is still a success', () => {
    for (const step of ['scan it', 1]) {
      const instructions = { qrCode: { plain: 'x' }, steps: { qrCode: many(step, 500_000) } };
      expect(validate(recurringCheckoutSchema, { response: { uuid: 'u', instructions } })).toEqual({
        value: { response: { uuid: 'u', instructions: { qrCode: { plain: 'x' }, steps: {} } } },
        leftOut: leftOut('response', 'instructions', 'steps', 'qrCode'),
      });
    }
  });

  it('with many wrong fields is read, and twenty of them are named', () => {
    const result = validate(transactionSchema, withRefunds(many({ total: true, uuid: 'r' }, 1_000)));
    const paths = Array.from({ length: 20 }, (_, index) => ['refunds', 'transactions', index, 'total']);
    expect('leftOut' in result && result.leftOut.map(({ path }) => path)).toEqual(paths);
  });

  it('of nothing but brackets, in a field that the document does not show, is kept', () => {
    const given = JSON.parse(`{"amount":"5","novel":${'['.repeat(400_000)}${']'.repeat(400_000)}}`);
    const result = validate(transactionSchema, given);
    expect(Reflect.get(Object(Reflect.get(result, 'value')), 'novel')).toBe(given.novel);
  });
});

it('a polluted Object.prototype adds nothing to what does not have the documented types', () => {
  const given = { uuid: 'u', shopper: { email: 7 }, refunds: { transactions: [{ uuid: 'r' }] }, novel: {} };
  onTestFinished(() => {
    Reflect.deleteProperty(Object.prototype, 'polluted');
  });
  Reflect.set(Object.prototype, 'polluted', [{ deep: 1 }]);
  const { value, leftOut } = { leftOut: [], value: undefined, ...validate(transactionSchema, given) };
  Reflect.deleteProperty(Object.prototype, 'polluted');
  expect(value).toEqual({ ...given, shopper: {} });
  expect(leftOut.map(({ path }) => path)).toEqual([['shopper', 'email']]);
});

it('what a class gives its objects counts, also where a field does not have the documented type', () => {
  class Received {
    get uuid() {
      return 'u';
    }
    get amount() {
      return 'five';
    }
  }
  const { value, leftOut } = {
    leftOut: [],
    value: undefined,
    ...validate(transactionSchema, new Received()),
  };
  expect(value).toEqual({ uuid: 'u' });
  expect(leftOut.map(({ path }) => path)).toEqual([['amount']]);
});

it('the issue of a payout with a wrong success says that it must be true or false', () => {
  const payout = { uuid: 'p', status: 'PAID' };
  const messageOf = (success: unknown) => validate(payoutPayloadSchema, { ...payout, success }).issues;
  expect(messageOf('true')).toEqual([{ path: ['success'], message: 'expected true or false, got a string' }]);
  expect(messageOf(undefined)).toEqual([{ path: ['success'], message: 'required, true or false' }]);
});

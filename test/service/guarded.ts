import fc from 'fast-check';
import type * as z from 'zod/mini';
import * as guards from '../../src/service/guards.generated';
import { payoutObject } from '../../src/service/notifications/payout';
import { refundObject } from '../../src/service/notifications/refund';
import { reversalObject } from '../../src/service/notifications/reversal';
import { saleObject } from '../../src/service/notifications/sale';
import { scheduledPaymentCancellationObject } from '../../src/service/operations/cancel-scheduled-payment';
import { recurringCheckoutObject } from '../../src/service/operations/create-recurring-checkout';
import { transactionObject } from '../../src/service/operations/get-transaction';
import { fixtures } from '../../src/testing';

/** A schema that has a generated guard, with examples that are as documented. */
export interface Guarded {
  readonly name: string;
  readonly object: z.ZodMiniType;
  readonly isAsDocumented: (value: unknown) => boolean;
  readonly examples: readonly object[];
}

export const guarded: readonly Guarded[] = [
  { name: 'a sale', object: saleObject, isAsDocumented: guards.isSale, examples: [fixtures.payment()] },
  {
    name: 'a reversal',
    object: reversalObject,
    isAsDocumented: guards.isReversal,
    examples: [fixtures.reversal()],
  },
  { name: 'a refund', object: refundObject, isAsDocumented: guards.isRefund, examples: [fixtures.refund()] },
  {
    name: 'a payout',
    object: payoutObject,
    isAsDocumented: guards.isPayout,
    examples: [fixtures.payout(), fixtures.failedPayout()],
  },
  {
    name: 'a journey',
    object: recurringCheckoutObject,
    isAsDocumented: guards.isRecurringCheckout,
    examples: [fixtures.recurringCheckout({ response: { instructions: { qrCode: { base64: 'aQ==' } } } })],
  },
  {
    name: 'a transaction',
    object: transactionObject,
    isAsDocumented: guards.isTransaction,
    examples: [fixtures.transaction()],
  },
  {
    name: 'a cancellation',
    object: scheduledPaymentCancellationObject,
    isAsDocumented: guards.isScheduledPaymentCancellation,
    examples: [{ status: 0, message: 'success' }],
  },
];

type Fields = Record<PropertyKey, unknown>;

/** Values to put where another value belongs. */
const replacements: readonly (() => unknown)[] = [
  () => null,
  () => undefined,
  () => 'text',
  () => '',
  () => 'null',
  () => 'x'.repeat(512),
  () => 'x'.repeat(513),
  () => 'not UTF-8: \uFFFD',
  () => 0,
  () => -1.5,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => 7n,
  () => true,
  () => false,
  () => [],
  () => ['text'],
  () => [7],
  () => [{}],
  () => [null],
  // With an element missing.
  () => new Array(2),
  () => ({}),
  () => ({ id: '1', uuid: 2, bank: 3, total: '4', plain: 5 }),
  () => () => 'a function',
];
const replacement = fc.oneof(
  fc.constantFrom(...replacements),
  // zod leaves out a field called `__proto__`.
  fc
    .jsonValue()
    .filter((value) => !JSON.stringify(value).includes('__proto__'))
    .map((value) => () => value),
);

/** One mutation of the object that holds a field. In a list only the elements change, because JSON has nothing else. */
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: replacement.map(
      (make) => (holder: Fields, name: string) => void Reflect.set(holder, name, make()),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constant((holder: Fields, name: string) => void Reflect.deleteProperty(holder, name)),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      (holder: Fields) => Array.isArray(holder) || Reflect.set(holder, 'novel', { deep: [null] }),
    ),
  },
);

/** An example with up to three changes, anywhere in it. */
export function mutated(examples: readonly object[]): fc.Arbitrary<unknown> {
  const mutation = fc.tuple(fc.nat(), change);
  return fc
    .tuple(fc.constantFrom(...examples), fc.array(mutation, { maxLength: 3 }))
    .map(([example, mutations]) => {
      const root = { value: structuredClone(example) as unknown };
      for (const [place, apply] of mutations) {
        const places = placesIn(root);
        const chosen = places[place % places.length];
        // An earlier change may have removed everything.
        if (chosen !== undefined) apply(...chosen);
      }
      return root.value;
    });
}

type Place = readonly [holder: Fields, name: string];

/** Every field of every object in `value`, at most nine levels deep, without the fields of frozen objects. */
function placesIn(value: unknown, depth = 0): Place[] {
  if (typeof value !== 'object' || value === null || depth > 8) return [];
  return Object.keys(value).flatMap((name): Place[] => {
    const holder = value as Fields;
    return Object.isFrozen(holder) ? [] : [[holder, name], ...placesIn(holder[name], depth + 1)];
  });
}

/** Copies of an example, each with one replacement in one place. */
export function replacedOnce(example: object): unknown[] {
  const count = placesIn({ value: example }).length;
  return Array.from({ length: count }).flatMap((_, place) =>
    replacements.map((make) => {
      const root = { value: structuredClone(example) as unknown };
      const [holder, name] = placesIn(root)[place] as Place;
      Reflect.set(holder, name, make());
      return root.value;
    }),
  );
}

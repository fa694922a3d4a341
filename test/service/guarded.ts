import fc from 'fast-check';
import type * as z from 'zod/mini';
import * as guards from '../../src/service/guards.generated';
import { payoutObject } from '../../src/service/notifications/payout';
import { recurrenceObject } from '../../src/service/notifications/recurrence';
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

const journey = fixtures.recurringCheckout({ response: { instructions: { qrCode: { base64: 'aQ==' } } } });
const failedCharge = fixtures.recurrence({ eventType: 'RECURRENCE_CHARGE_FAILED' });
const cancelled = { status: 0, message: 'success' };
const rows: [string, Guarded['object'], Guarded['isAsDocumented'], ...object[]][] = [
  ['a sale', saleObject, guards.isSale, fixtures.payment()],
  ['a reversal', reversalObject, guards.isReversal, fixtures.reversal()],
  ['a refund', refundObject, guards.isRefund, fixtures.refund()],
  ['a payout', payoutObject, guards.isPayout, fixtures.payout(), fixtures.failedPayout()],
  ['an event', recurrenceObject, guards.isRecurrence, fixtures.recurrence(), failedCharge],
  ['a journey', recurringCheckoutObject, guards.isRecurringCheckout, journey],
  ['a transaction', transactionObject, guards.isTransaction, fixtures.transaction()],
  ['a cancellation', scheduledPaymentCancellationObject, guards.isScheduledPaymentCancellation, cancelled],
];
export const guarded: readonly Guarded[] = rows.map(([name, object, isAsDocumented, ...examples]) => ({
  name,
  object,
  isAsDocumented,
  examples,
}));

type Fields = Record<PropertyKey, unknown>;

/** Values to put where another value belongs. */
const replacements: readonly unknown[] = [
  ...[null, undefined, 'text', '', 'null', 'x'.repeat(512), 'x'.repeat(513), 'not UTF-8: \uFFFD'],
  ...[0, -1.5, Number.NaN, Number.POSITIVE_INFINITY, 7n, true, false],
  // The last one has its elements missing.
  ...[[], ['text'], [7], [{}], [null], new Array(2)],
  ...[{}, { id: '1', uuid: 2, bank: 3, total: '4', plain: 5 }, () => 'a function'],
];
/** Each use has a value of its own, because later changes may go into it. */
const fresh = (value: unknown) => (typeof value === 'function' ? value : structuredClone(value));

const replacement = fc.oneof(
  fc.constantFrom(...replacements),
  // zod leaves out a field called `__proto__`.
  fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__')),
);

/** One mutation of the object that holds a field. In a list only the elements change, because JSON has nothing else. */
type Change = (holder: Fields, name: string) => unknown;
const set = replacement.map<Change>((value) => (holder, name) => Reflect.set(holder, name, fresh(value)));
const drop = fc.constant<Change>((holder, name) => Reflect.deleteProperty(holder, name));
const add = fc.constant<Change>(
  (holder) => Array.isArray(holder) || Reflect.set(holder, 'novel', { deep: [null] }),
);
const change = fc.oneof(
  { weight: 6, arbitrary: set },
  { weight: 2, arbitrary: drop },
  { weight: 1, arbitrary: add },
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
export function replacedOnce(example: object, values: readonly unknown[] = replacements): unknown[] {
  const count = placesIn({ value: example }).length;
  return Array.from({ length: count }).flatMap((_, place) =>
    values.map((value) => {
      const root = { value: structuredClone(example) as unknown };
      const [holder, name] = placesIn(root)[place] as Place;
      Reflect.set(holder, name, fresh(value));
      return root.value;
    }),
  );
}

import type { Schema } from 'pix-automatic-sdk';
import {
  payoutPayloadSchema,
  recurrencePayloadSchema,
  refundPayloadSchema,
  reversalPayloadSchema,
  salePayloadSchema,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { validate } from '../../src/service/schema';
import {
  failedPayoutPayload,
  payoutPayload,
  recurrencePayload,
  refundPayload,
  reversalPayload,
  salePayload,
} from '../webhooks/payloads';
import { changed, testFields } from './fields';
import {
  failedPayoutFields,
  payoutFields,
  recurrenceFields,
  refundFields,
  reversalFields,
  saleFields,
} from './tables';

const kinds = [
  ['6.2, sale', salePayloadSchema, salePayload, saleFields],
  ['6.3, reversal', reversalPayloadSchema, reversalPayload, reversalFields],
  ['6.4, refund', refundPayloadSchema, refundPayload, refundFields],
  ['6.5, payout that was made', payoutPayloadSchema, payoutPayload, payoutFields],
  ['6.5, payout that failed', payoutPayloadSchema, failedPayoutPayload, failedPayoutFields],
  [
    '6.1, event of a recurrence',
    recurrencePayloadSchema,
    () => recurrencePayload({ eventType: 'RECURRENCE_CHARGE_FAILED' }),
    recurrenceFields,
  ],
] as const;

describe.each(kinds)('document section %s', (_, given, payload, fields) => {
  const schema = given as Schema<unknown>;
  // `success` tells two objects apart, so its messages name both values.
  const named = fields.map((field) =>
    field.path === 'success' ? { ...field, type: 'either' as const } : field,
  );
  testFields(schema, payload, named, { lenient: true });

  const texts = fields.filter(({ type, required }) => type === 'string' && required);
  it.each(texts)(
    '$path may have at most 512 characters, and not U+FFFD, which replaces bytes that are not UTF-8',
    ({ path, right }) => {
      const issuesOf = (value: string) => validate(schema, changed(payload(), path, value)).issues;
      const at = path.split('.');
      for (const long of ['x'.repeat(513), '😀'.repeat(257)]) {
        expect(issuesOf(long)).toEqual([{ path: at, message: 'expected at most 512 characters' }]);
      }
      expect(issuesOf('v-\uFFFD')).toMatchObject([{ path: at, message: expect.stringContaining('U+FFFD') }]);
      // An identity is not empty; a state may be.
      const ifEmpty = right && [{ path: at, message: 'expected a non-empty string' }];
      expect(issuesOf('')).toEqual(ifEmpty);
    },
  );
});

it.each(kinds.slice(1, 5))(
  'the text null, and no other, reads as a receipt of null: %s',
  (_, schema, payload) => {
    for (const [receipt, read] of [
      ['null', null],
      ['NULL', 'NULL'],
    ]) {
      const value = { ...payload(), receipt: read };
      expect(validate(schema as Schema<unknown>, { ...payload(), receipt })).toEqual({ value, leftOut: [] });
    }
  },
);

it.each([
  [10, 10.5],
  [10, undefined],
  [undefined, 10.5],
  [0, null],
])(
  'the refund amounts %j and %j are kept as sent, and neither is made from the other',
  (reversed, refunded) => {
    const given = { ...refundPayload(), reversedAmount: reversed, amountRefunded: refunded };
    expect(validate(refundPayloadSchema, given)).toEqual({ value: given, leftOut: [] });
  },
);

it('text that identifies nothing may be longer, and have U+FFFD', () => {
  const given = { ...refundPayload(), reason: `\uFFFD${'x'.repeat(600)}` };
  expect(validate(refundPayloadSchema, given)).toEqual({ value: given, leftOut: [] });
});

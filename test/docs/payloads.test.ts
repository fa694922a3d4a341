import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { payoutObject } from '../../src/service/notifications/payout';
import { refundObject } from '../../src/service/notifications/refund';
import { reversalObject } from '../../src/service/notifications/reversal';
import { saleObject } from '../../src/service/notifications/sale';
import { sections } from './markdown';

// Type tests prove that the interfaces equal these schemas.

test.each([
  ['payment, saleStatus', saleObject],
  ['reversal', reversalObject],
  ['refund', refundObject],
  ['payout', payoutObject],
])('docs/listener.md lists each field of %s, and whether it may be missing', (kinds, schema) => {
  const [table = []] =
    sections('docs/listener.md').find(({ heading }) => heading === 'What a payload has')?.tables ?? [];
  const names = (cell = '') => cell.replaceAll('`', '').split(', ').sort();
  const row = table.find(([kind]) => names(kind).join(', ') === kinds) ?? [];
  const fields = fieldsOf(schema, '', 'never');
  const expected = (missing: string) =>
    [...new Set(fields.filter((each) => each.missing === missing).map(({ name }) => name))].sort();
  expect(names(row[1])).toEqual(expected('never'));
  expect(names(row[2])).toEqual(expected('maybe'));
});

/** A field of an object that may be missing may be missing. */
function fieldsOf(
  schema: z.core.$ZodType,
  name: string,
  missing: 'never' | 'maybe',
): { readonly name: string; readonly missing: string }[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'catch':
    case 'optional':
    case 'nullable':
      return fieldsOf(def.innerType, name, 'maybe');
    case 'union':
      return def.options.flatMap((option) => fieldsOf(option, name, missing));
    case 'object':
      return Object.entries(def.shape).flatMap(([key, inner]) =>
        fieldsOf(inner as z.core.$ZodType, name === '' ? key : `${name}.${key}`, missing),
      );
    default:
      return [{ name, missing }];
  }
}

import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { payoutObject } from '../../src/service/notifications/payout';
import { refundObject } from '../../src/service/notifications/refund';
import { reversalObject } from '../../src/service/notifications/reversal';
import { saleObject } from '../../src/service/notifications/sale';
import { sections } from './markdown';

// Type tests prove that the interfaces equal these schemas.

test.each([
  ['payment and saleStatus', saleObject],
  ['reversal', reversalObject],
  ['refund', refundObject],
  ['payout', payoutObject],
])(
  'docs/payloads.md lists each field of %s, with its type, and whether it may be missing',
  (heading, schema) => {
    const [table = []] = sections('docs/payloads.md').find((each) => each.heading === heading)?.tables ?? [];
    const rows = table
      .slice(1)
      .map(([field = '', type, missing]) => `${field.replaceAll('`', '')}: ${type}, ${missing}`);
    const expected = new Set(fieldsOf(schema, '', 'never'));
    expect(rows.sort()).toEqual([...expected].sort());
  },
);

/** A line a field, as in the tables. A field of an object that may be missing may be missing. */
function fieldsOf(schema: z.core.$ZodType, name: string, missing: 'never' | 'maybe'): string[] {
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
    case 'literal':
      return [`${name}: ${typeof def.values[0]}, ${missing}`];
    default:
      return [`${name}: ${def.type}, ${missing}`];
  }
}

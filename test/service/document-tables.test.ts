import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { payoutObject } from '../../src/service/notifications/payout';
import { recurrenceObject } from '../../src/service/notifications/recurrence';
import { refundObject } from '../../src/service/notifications/refund';
import { reversalObject } from '../../src/service/notifications/reversal';
import { saleObject } from '../../src/service/notifications/sale';
import {
  scheduledPaymentCancellationObject,
  scheduledPaymentCancellationRequestObject,
} from '../../src/service/operations/cancel-scheduled-payment';
import {
  recurringCheckoutObject,
  recurringCheckoutRequestObject,
} from '../../src/service/operations/create-recurring-checkout';
import { transactionObject } from '../../src/service/operations/get-transaction';
import type { Field } from './fields';
import * as tables from './tables';

const sections: [section: string, schema: z.ZodMiniType, table: readonly Field[]][] = [
  ['2.1', recurringCheckoutRequestObject, [...tables.checkoutRequestFields, ...tables.variableAmountFields]],
  ['2.2', recurringCheckoutObject, tables.checkoutAnswerFields],
  ['2.3', transactionObject, tables.transactionFields],
  ['4.3', scheduledPaymentCancellationRequestObject, tables.cancellationRequestFields],
  ['4.3', scheduledPaymentCancellationObject, tables.cancellationAnswerFields],
  ['6.2', saleObject, tables.saleFields],
  ['6.3', reversalObject, tables.reversalFields],
  ['6.4', refundObject, tables.refundFields],
  ['6.5', payoutObject, [...tables.payoutFields, ...tables.failedPayoutFields]],
  ['6.1', recurrenceObject, tables.recurrenceFields],
];

it.each(sections)('the schema has no field that document section %s does not show', (_, schema, table) => {
  const documented = new Set(table.map(({ path }) => path));
  const invented = [...fieldsOf(schema)].filter((path) => !documented.has(path));
  expect(invented, 'not shown in test/service/tables.ts').toEqual([]);
});

it('each schema of an operation or notification has a row here, and one that its written type equals', () => {
  const read = (file: string) => readFileSync(file, 'utf8');
  const rows = read('test/service/document-tables.test.ts')
    .match(/^ {2}\[.*/gm)
    ?.join();
  const types = ['client', 'webhooks'].map((name) => read(`test/types/${name}.types.ts`)).join();
  const files = ['operations', 'notifications'].flatMap((folder) =>
    readdirSync(`src/service/${folder}`).map((name) => read(`src/service/${folder}/${name}`)),
  );
  const schemas = [...files.join('\n').matchAll(/^export const (\w+Object)\b/gm)].map(
    ([, name = '']) => name,
  );
  expect(schemas).toContain('refundObject');
  const noRow = schemas.filter((name) => !rows?.includes(` ${name}, `));
  expect(noRow, 'no row in test/service/document-tables.test.ts').toEqual([]);
  const noType = schemas.filter((name) => !types.includes(`typeof ${name}>`));
  expect(noType, 'no SameFields row in test/types').toEqual([]);
});

/** The paths of all fields that a schema names, with `.0` for an element of a list. */
function fieldsOf(schema: z.core.$ZodType, path: readonly string[] = []): Set<string> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const here = path.length > 0 && path.at(-1) !== '0' ? [path.join('.')] : [];
  switch (def.type) {
    case 'object':
      return new Set([
        ...here,
        ...Object.entries(def.shape).flatMap(([name, field]) => [...fieldsOf(field, [...path, name])]),
      ]);
    case 'array':
      return new Set([...here, ...fieldsOf(def.element, [...path, '0'])]);
    case 'union':
      return new Set(def.options.flatMap((option) => [...fieldsOf(option, path)]));
    case 'optional':
    case 'nullable':
    case 'catch':
      return fieldsOf(def.innerType, path);
    default:
      return new Set(here);
  }
}

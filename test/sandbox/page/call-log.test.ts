import { describe, expect, it } from 'vitest';
import { unknownFieldsOf, unknownValuesOf } from '../../../src/sandbox/page/call-log';
import { order } from '../helpers';

const good = {
  ...order,
  shopper: { ...order.shopper, document: { type: 'CPF', number: '52998224725' } },
};
const unknownIn = (request: unknown) => unknownFieldsOf('createRecurringCheckout', JSON.stringify(request));

describe('the fields that the document does not have', () => {
  it('finds nothing in a request that follows the document', () => {
    expect(unknownIn(good)).toEqual([]);
    expect(unknownFieldsOf('cancelScheduledPayment', '{"reason":"x"}')).toEqual([]);
  });

  it('names each field that the document does not know, at any depth', () => {
    const { shopper, recurrence } = good;
    const misspelt = {
      ...good,
      refrenceCode: 'x',
      shopper: { ...shopper, docment: {}, phone: { typ: 'MOBILE' } },
      recurrence: { ...recurrence, calendar: { ...recurrence.calendar, firstDate: '2031-01-31' } },
    };
    expect(unknownIn(misspelt)).toEqual([
      'shopper.phone.typ',
      'shopper.docment',
      'recurrence.calendar.firstDate',
      'refrenceCode',
    ]);
    expect(unknownFieldsOf('cancelScheduledPayment', '{"reasons":"x"}')).toEqual(['reasons']);
  });

  it.each(['', 'no json', '[1]', '"text"', 'null', '{"__proto__":{"a":1},"shopper":[{"a":1}]}'])(
    'survives the body %s',
    (body) => {
      expect(() => unknownFieldsOf('createRecurringCheckout', body)).not.toThrow();
      expect(unknownFieldsOf('getTransaction', body)).toEqual([]);
    },
  );
});

describe('the values that the document does not show', () => {
  const valuesIn = (request: unknown) => unknownValuesOf('createRecurringCheckout', JSON.stringify(request));

  it('finds none where they are those of the document, or missing', () => {
    expect(valuesIn({ ...good, recurrence: { calendar: { periodicity: 'MONTHLY' } } })).toEqual([]);
    expect(valuesIn({ shopper: { document: null }, recurrence: 1 })).toEqual([]);
    expect(unknownValuesOf('cancelScheduledPayment', '{"shopper":{"document":{"type":"CNPJ"}}}')).toEqual([]);
  });

  it('names the field of each, and never the value', () => {
    const shopper = { document: { type: 'CNPJ' }, phone: { type: 5 } };
    const found = valuesIn({ shopper, recurrence: { calendar: { periodicity: 'WEEKLY' } } });
    expect(found).toEqual(['shopper.document.type', 'shopper.phone.type', 'recurrence.calendar.periodicity']);
  });

  it.each(['', 'no json', '[1]', 'null', '{"__proto__":{"a":1},"shopper":[{"a":1}]}'])(
    'survives the body %s',
    (body) => {
      expect(unknownValuesOf('createRecurringCheckout', body)).toEqual([]);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { unknownFieldsOf } from '../../../src/sandbox/page/call-log';
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

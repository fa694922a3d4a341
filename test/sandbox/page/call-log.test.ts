import { describe, expect, it } from 'vitest';
import { adviseCall } from '../../../src/sandbox/page/call-log';
import { order } from '../helpers';

const good = {
  ...order,
  shopper: { ...order.shopper, document: { type: 'CPF', number: '52998224725' } },
};
const advise = (request: unknown) =>
  adviseCall('createRecurringCheckout', JSON.stringify(request)).map(({ path }) => path);

describe('advice on a call', () => {
  it('finds nothing in a request that follows the document', () => {
    expect(advise(good)).toEqual([]);
    expect(adviseCall('cancelScheduledPayment', '{"reason":"x"}')).toEqual([]);
  });

  it('names each field that the document does not know, at any depth', () => {
    const { shopper, recurrence } = good;
    const misspelt = {
      ...good,
      refrenceCode: 'x',
      shopper: { ...shopper, docment: {}, phone: { typ: 'MOBILE' } },
      recurrence: { ...recurrence, calendar: { ...recurrence.calendar, firstDate: '2031-01-31' } },
    };
    expect(advise(misspelt)).toEqual([
      'shopper.phone.typ',
      'shopper.docment',
      'recurrence.calendar.firstDate',
      'refrenceCode',
    ]);
    expect(adviseCall('cancelScheduledPayment', '{"reasons":"x"}')).toMatchObject([{ path: 'reasons' }]);
  });

  it.each(['', 'no json', '[1]', '"text"', 'null', '{"__proto__":{"a":1},"shopper":[{"a":1}]}'])(
    'survives the body %s',
    (body) => {
      expect(() => adviseCall('createRecurringCheckout', body)).not.toThrow();
      expect(adviseCall('getTransaction', body)).toEqual([]);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { adviseCall } from '../../../src/sandbox/page/call-log';
import { order } from '../helpers';

const now = Date.UTC(2030, 0, 15, 12);
const good = {
  ...order,
  shopper: { ...order.shopper, document: { type: 'CPF', number: '52998224725' } },
};
const advise = (request: unknown) =>
  adviseCall('createRecurringCheckout', JSON.stringify(request), now).map(({ path }) => path);

describe('advice on a call', () => {
  it('finds nothing in a request that follows the document', () => {
    expect(advise(good)).toEqual([]);
    expect(adviseCall('cancelScheduledPayment', '{"reason":"x"}', now)).toEqual([]);
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
    expect(adviseCall('cancelScheduledPayment', '{"reasons":"x"}', now)).toMatchObject([{ path: 'reasons' }]);
  });

  it('tells of punctuation and of past dates, in both languages, without the value', () => {
    const request = {
      ...good,
      shopper: { document: { type: 'CPF', number: '529.982.247-25' } },
      recurrence: { immediatePayment: true, calendar: { initialDate: '2020-01-31', periodicity: 'MONTHLY' } },
    };
    const advice = adviseCall('createRecurringCheckout', JSON.stringify(request), now);
    expect(advice).toEqual([
      {
        path: 'recurrence.calendar.initialDate',
        text: { en: expect.stringContaining('past'), pt: expect.stringContaining('passou') },
      },
      {
        path: 'shopper.document.number',
        text: {
          en: expect.stringContaining('without punctuation'),
          pt: expect.stringContaining('sem pontuação'),
        },
      },
    ]);
    expect(JSON.stringify(advice)).not.toContain('529');
  });

  it.each(['', 'no json', '[1]', '"text"', 'null', '{"__proto__":{"a":1},"shopper":[{"a":1}]}'])(
    'survives the body %s',
    (body) => {
      expect(() => adviseCall('createRecurringCheckout', body, now)).not.toThrow();
      expect(adviseCall('getTransaction', body, now)).toEqual([]);
    },
  );
});

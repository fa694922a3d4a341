import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  CallLog,
  doubtfulValuesOf,
  likelyNames,
  unknownFieldsOf,
  unknownValuesOf,
} from '../../../src/sandbox/page/call-log';
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

it.each([
  ['maxage', ['maxAge']],
  ['shopper.docment', ['document']],
  ['shopper.phone.typ', ['type']],
  // No name looks like it, so all of a short list.
  ['recurrence.calendar.startDate', ['initialDate', 'finalDate', 'periodicity']],
  ['metadata', []],
  ['recurrence.retry.x', []],
  ['nope.x', []],
  ['__proto__.x', []],
  ['***', []],
])('the unknown field %s was meant to be one of %j', (field, names) => {
  expect(likelyNames('createRecurringCheckout', field)).toEqual(names);
  expect(likelyNames('getTransaction', field)).toEqual([]);
});

describe('the values that the service may refuse', () => {
  const doubtful = (request: unknown) =>
    doubtfulValuesOf('createRecurringCheckout', JSON.stringify(request), '2027-02-15');
  const from = (initialDate: unknown) => ({ recurrence: { calendar: { initialDate } } });
  const document = (number: unknown, type = 'CPF') => ({ shopper: { document: { type, number } } });

  it.each([
    [{}, []],
    [from('2027-02-15'), []],
    [from('2027-02-14'), ['recurrence.calendar.initialDate']],
    [from(5), []],
    [{ maxAge: 129_600 }, []],
    [{ maxAge: 1_800_000 }, ['maxAge']],
    [document('52998224725'), []],
    [document('529.982.247-25'), []],
    [document('12345678909'), []],
    [document('52998224726'), ['shopper.document.number']],
    [document('52998224735'), ['shopper.document.number']],
    [document('11111111111'), ['shopper.document.number']],
    [document('5299822472'), ['shopper.document.number']],
    [document('52998224726', 'PASSPORT'), []],
    [document(5), []],
    [{ referenceCode: 'k'.repeat(50) }, []],
    [{ referenceCode: 'k'.repeat(51) }, ['referenceCode']],
    [{ referenceCode: 'maria@example.com' }, ['referenceCode']],
    [{ referenceCode: '12345678909' }, ['referenceCode']],
    [{ referenceCode: '12345678900' }, []],
  ])('%j: %j', (request, fields) => {
    expect(doubtful(request)).toEqual(fields);
  });

  it('are named for a checkout alone', () => {
    expect(doubtfulValuesOf('cancelScheduledPayment', '{"maxAge":1800000}', '2027-02-15')).toEqual([]);
    expect(doubtfulValuesOf('createRecurringCheckout', 'no json', '2027-02-15')).toEqual([]);
  });
});

it('keeps no more of a large body than it shows', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const log = new CallLog();
  const call = {
    at: 0,
    method: 'POST',
    path: '/v1.1/checkout/pix-automatic',
    operation: 'createRecurringCheckout',
    status: 401,
    fault: undefined,
    durationMs: 1,
    invention: undefined,
    journey: undefined,
    unknownFields: [],
  } as const;
  const before = used();
  for (let i = 0; i < 30; i += 1) {
    log.add(call, { request: Buffer.alloc(1_000_000, `${i} `).toString(), answer: '' });
  }
  expect(log.bodies(30)?.request).toHaveLength(16_002);
  // Thirty bodies of a megabyte, of which 16,000 characters each are shown.
  expect(used() - before).toBeLessThan(8_000_000);
});

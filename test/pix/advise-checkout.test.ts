import fc from 'fast-check';
import { adviseCheckout, checkBrCode, explainPixCode } from 'pix-automatic-sdk/pix';
import { describe, expect, it } from 'vitest';
import { seedRandomTests } from '../helpers/random-seed';
import { samples } from './samples';

seedRandomTests();

const now = new Date('2026-11-22T12:00:00Z');
const request = {
  currency: 'BRL',
  referenceCode: 'order-1',
  amount: 59.7,
  shopper: { name: 'Ana', document: { type: 'CPF', number: '52998224725' } },
  recurrence: {
    immediatePayment: true,
    amount: { recurrenceAmount: 29.9 },
    calendar: { initialDate: '2026-12-22', finalDate: '2027-12-22', periodicity: 'MONTHLY' },
  },
};
const calendar = (fields: object) => ({
  ...request,
  recurrence: { ...request.recurrence, calendar: { ...request.recurrence.calendar, ...fields } },
});
const shopper = (type: unknown, number: unknown) => ({ ...request, shopper: { document: { type, number } } });
const found = (value: object, at = now) =>
  adviseCheckout(value, { now: at }).map(({ code, path }) => `${code} ${path.join('.')}`);

const initialDate = 'recurrence.calendar.initialDate';
const finalDate = 'recurrence.calendar.finalDate';
const periodicity = 'recurrence.calendar.periodicity';
const number = 'shopper.document.number';

describe('adviseCheckout', () => {
  it('gives no advice about a request without anything unusual', () => {
    expect(found(request)).toEqual([]);
    expect(adviseCheckout({})).toEqual([]);
  });

  const amountOf = (recurrenceAmount: number) => ({
    ...request,
    recurrence: { ...request.recurrence, amount: { recurrenceAmount } },
  });
  const today = calendar({ initialDate: '2026-11-22' });
  const tomorrow = calendar({ initialDate: '2026-11-23' });

  it.each([
    [`first_date_past ${initialDate}`, calendar({ initialDate: '2026-11-21' }), 'past', 'já passou'],
    [`first_date_too_near ${initialDate}`, today, 'too near', 'próxima demais'],
    [`first_date_too_near ${initialDate}`, tomorrow, '2 to 10 days', '2 a 10 dias'],
    [`end_before_one_cycle ${finalDate}`, calendar({ finalDate: '2027-01-21' }), 'charge', 'uma cobrança'],
    [`end_before_one_cycle ${finalDate}`, calendar({ finalDate: '2026-12-01' }), 'charge', 'uma cobrança'],
    [`unknown_periodicity ${periodicity}`, calendar({ periodicity: 'monthly' }), 'five', 'cinco'],
    [`unknown_periodicity ${periodicity}`, calendar({ periodicity: 'toString' }), 'five', 'cinco'],
    ['amount_above_limit amount', { ...request, amount: 1e10 }, '9,999,999,999.99', '9.999.999.999,99'],
    ['amount_above_limit recurrence.amount.recurrenceAmount', amountOf(1e12), 'limit', 'limite'],
    [`document_digits ${number}`, shopper('CPF', '52998224724'), 'CPF do not', 'CPF não conferem'],
    [`document_digits ${number}`, shopper('CNPJ', '11222333000182'), 'CNPJ do not', 'CNPJ não conferem'],
    [`document_punctuation ${number}`, shopper('CPF', '529.982.247-25'), 'without', 'sem pontuação'],
    [`document_punctuation ${number}`, shopper('CNPJ', '12.ABC.345/01DE-35'), 'without', 'sem pontuação'],
    ['currency_not_brl currency', { ...request, currency: 'USD' }, 'BRL', 'BRL'],
  ])('gives the advice %s in both languages (row %$)', (advice, value, english, portuguese) => {
    expect(found(value)).toEqual([advice]);
    const message = (locale?: 'pt-BR' | 'en') => adviseCheckout(value, { now, locale })[0]?.message;
    expect(message('en')).toContain(english);
    expect(message('pt-BR')).toContain(portuguese);
    expect(message()).toBe(message('pt-BR'));
    expect(message('en')).not.toBe(message('pt-BR'));
  });

  it('gives no advice about values just inside the limits', () => {
    expect(found(calendar({ initialDate: '2026-11-24' }))).toEqual([]);
    expect(found(calendar({ finalDate: '2027-01-22' }))).toEqual([]);
    expect(found(calendar({ finalDate: null, periodicity: undefined }))).toEqual([]);
    expect(found({ ...request, amount: 9_999_999_999.99 })).toEqual([]);
  });

  it('takes the date of today in São Paulo', () => {
    const value = calendar({ initialDate: '2026-11-24' });
    expect(found(value, new Date('2026-11-23T02:59:59Z'))).toEqual([]);
    expect(found(value, new Date('2026-11-23T03:00:00Z'))).toEqual([`first_date_too_near ${initialDate}`]);
    expect(found(value, new Date('2026-11-25T03:00:00Z'))).toEqual([`first_date_past ${initialDate}`]);
  });

  it('compares with the current time by default', () => {
    const codes = adviseCheckout(calendar({ initialDate: '2020-01-01' })).map(({ code }) => code);
    expect(codes).toContain('first_date_past');
  });

  it.each([
    ['CPF', ['11144477735', '12345678909', '00000000191', 52998224724], true],
    // In the first of them, the second check digit fits the wrong first one.
    [
      'CPF',
      ['52998224733', '11111111111', '1114447773', '111444777350', '11144477753', '1114447773A'],
      false,
    ],
    ['CNPJ', ['11222333000181', '00000000000191', '12ABC34501DE35'], true],
    ['CNPJ', ['11222333000173', '12ABC34501DE36', '12ABC34501DF35', '12abc34501de35'], false],
    ['CNPJ', ['00000000000000', '1122233300018', '112223330001A1'], false],
    ['PASSPORT', ['1'], true],
    [undefined, ['1'], true],
  ])('checks the digits of %s %j: %s', (type, numbers, isRight) => {
    for (const digits of numbers)
      expect(found(shopper(type, digits))).toEqual(isRight ? [] : [`document_digits ${number}`]);
  });

  it('never quotes the document in a message', () => {
    const messages = adviseCheckout(shopper('CPF', '529.982.247-24'), { now }).map(({ message }) => message);
    expect(messages).toHaveLength(2);
    expect(messages.join()).not.toMatch(/\d{3}/);
  });
});

describe('hostile input', () => {
  const boom = () => {
    throw new Error('hostile');
  };
  const throwing = (...names: string[]) =>
    Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, { get: boom }])));
  const hostile = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withSparseArray: true }),
    fc.constantFrom<unknown>(
      throwing('currency', 'shopper', 'recurrence', 'now', 'locale'),
      new Proxy({}, { get: () => Symbol('hostile') }),
      new Proxy({}, { get: boom }),
      Symbol('hostile'),
      { toString: null, valueOf: null },
    ),
  );
  const cpf = fc.record({ document: fc.record({ type: fc.constant('CPF'), number: hostile }) });
  const dates = fc.record({
    initialDate: fc.oneof(hostile, fc.constantFrom('0000-01-01', '9999-12-31', '2026-02-30')),
    finalDate: hostile,
    periodicity: fc.oneof(hostile, fc.constantFrom('MONTHLY', '__proto__')),
  });
  const recurrence = fc.record({ immediatePayment: hostile, amount: hostile, calendar: dates });
  const near = fc.record(
    {
      currency: hostile,
      amount: hostile,
      shopper: fc.oneof(hostile, cpf),
      recurrence: fc.oneof(hostile, recurrence),
    },
    { requiredKeys: [] },
  );

  it('gets advice or none, and nothing is ever thrown', () => {
    const value = fc.oneof(near, hostile);
    fc.assert(
      fc.property(value, hostile, hostile, (request, options, text) => {
        for (const { code, path, message } of adviseCheckout(request as object, options as object)) {
          expect([typeof code, Array.isArray(path), typeof message]).toEqual(['string', true, 'string']);
        }
        for (const code of [samples[3], text as string])
          expect(checkBrCode(code, request as object)).toBeInstanceOf(Array);
        explainPixCode('AM02', 'charge', text as 'en');
      }),
      { numRuns: 3_000 },
    );
  });

  it('keeps the advice about other fields when a getter throws', () => {
    const value = Object.assign(throwing('currency'), { amount: 1e12 });
    expect(found(value)).toEqual(['amount_above_limit amount']);
  });
});

import { describe, expect, it } from 'vitest';
import type { Attempt, AttemptState, Order } from '../../src/orders/attempt';
import { decideSale, type ReportedSale, withPayment } from '../../src/orders/booking';
import { withDismissal } from '../../src/orders/marks';
import { type MoneyOfRequest, moneyOf, variableOf } from '../../src/orders/money';
import { seenRecurrence } from '../../src/orders/recurrences';
import { attemptIn } from './attempt-in';

// A charge of a recurrence that is paid, as an event reports it or the service lists it: its reference, else its `idRec`,
// names an attempt, and proves nothing.

const KEY = 'order-1';
const NOW = 1_000_000;
const MONTH = 29.9;

const withImmediate: MoneyOfRequest = {
  currency: 'BRL',
  amount: 59.7,
  recurrence: { immediatePayment: true, amount: { recurrenceAmount: MONTH } },
};
const without: MoneyOfRequest = {
  currency: 'BRL',
  recurrence: { immediatePayment: false, amount: { recurrenceAmount: MONTH } },
};
const older: MoneyOfRequest = {
  currency: 'BRL',
  recurrence: { immediatePayment: false, amount: { recurrenceAmount: 19.9 } },
};
const variable = (debitorMinimumAmount?: number, immediatePayment = false): MoneyOfRequest => ({
  currency: 'BRL',
  ...(immediatePayment && { amount: 59.7 }),
  recurrence: { immediatePayment, amount: { valueType: 'VARIABLE', debitorMinimumAmount } },
});

function attempt(number: number, state: AttemptState, asked = without, fields: Partial<Attempt> = {}) {
  const uuid = state === 'lost' || state === 'sending' ? undefined : `u${number}`;
  const more = { money: moneyOf(KEY, asked), variable: variableOf(asked), uuid, ...fields };
  return attemptIn(number, state, more);
}

function order(attempts: readonly Attempt[], fields: Partial<Order> = {}): Order {
  const paid = attempts.find(({ state }) => state === 'paid');
  const first = { sale: 'first', attempt: paid?.attempt, amount: MONTH, currency: 'BRL', at: 1 };
  const newest = attempts.at(-1)?.money;
  return { key: KEY, attempts, newest, payments: paid ? [first] : [], returns: [], ...fields };
}

const charge = (amount: number | undefined = MONTH, fields: Partial<ReportedSale> = {}): ReportedSale => ({
  id: 'payment:m:PAID',
  sale: 'm',
  referenceCode: KEY,
  amount,
  currency: 'BRL',
  isRouted: true,
  charge: { idRec: 'A', dueDate: '2027-02-15' },
  date: '2027-02-15 10:00:00',
  ...fields,
});

function inWords(given: Order, reported: ReportedSale): string {
  const verdict = decideSale(given, reported);
  if (verdict.do === 'case') return `${verdict.reason}${verdict.isOwn ? ', own' : ''}`;
  if (verdict.do === 'nothing') return 'nothing';
  return [verdict.isFirst ? 'first' : 'later', verdict.attempt?.attempt].join(' ').trim();
}

const known = (number: number, status = 'APPROVED') => ({
  recurrences: [{ idRec: 'A', attempt: number, status }],
});
const byIdRec = { referenceCode: undefined };
const paidOrder = order([attempt(1, 'paid', withImmediate)]);
const ofSecond = { referenceCode: `${KEY}-2` };

describe('which charge of a recurrence is expected', () => {
  it.each<[string, Order, ReportedSale, string]>([
    ['is booked', paidOrder, charge(1, { sale: 'first' }), 'nothing'],
    ['another order has it', paidOrder, charge(MONTH, { isOthers: true }), 'other_order'],
    [
      'another order has it, and it is booked',
      paidOrder,
      charge(MONTH, { isOthers: true, sale: 'first' }),
      'nothing',
    ],

    // An attempt's own, by its uuid alone.
    [
      'is an attempt’s own',
      order([attempt(1, 'created', withImmediate)]),
      charge(59.7, { sale: 'u1' }),
      'first 1',
    ],
    [
      'the same, authorized',
      order([attempt(1, 'authorized', withImmediate)]),
      charge(59.7, { sale: 'u1' }),
      'first 1',
    ],
    [
      'the same, another sum',
      order([attempt(1, 'authorized', withImmediate)]),
      charge(1, { sale: 'u1' }),
      'other_amount, own',
    ],
    [
      'has the reference of one without a uuid',
      order([attempt(1, 'lost', withImmediate)]),
      charge(59.7),
      'other_sale',
    ],

    // It names the attempt that paid.
    ['a later one', paidOrder, charge(), 'later'],
    [
      'a later one, known by its recurrence alone',
      order([attempt(1, 'paid')], known(1)),
      charge(MONTH, byIdRec),
      'later',
    ],
    [
      'a later one, after its end',
      order([attempt(1, 'paid')], known(1, 'CANCELLED')),
      charge(MONTH, byIdRec),
      'later',
    ],
    ['a later one of another sum', paidOrder, charge(30), 'other_amount'],
    ['a later one, nobody says how much', paidOrder, charge(MONTH, { amount: undefined }), 'unclear_amount'],
    ['a later one of another currency', paidOrder, charge(MONTH, { currency: 'USD' }), 'other_amount'],

    // It names another attempt than that.
    [
      'another attempt is paid',
      order([attempt(1, 'paid'), attempt(2, 'expired')]),
      charge(MONTH, ofSecond),
      'paid_twice',
    ],
    [
      'another attempt is paid, by idRec',
      order([attempt(1, 'paid'), attempt(2, 'expired')], known(2)),
      charge(MONTH, byIdRec),
      'paid_twice',
    ],
    [
      'another attempt is authorized',
      order([attempt(1, 'authorized'), attempt(2, 'created')]),
      charge(MONTH, ofSecond),
      'authorized_twice',
    ],

    // The first one of a journey without an immediate payment, whatever its state.
    ['created', order([attempt(1, 'created')]), charge(), 'first 1'],
    ['authorized', order([attempt(1, 'authorized')]), charge(), 'first 1'],
    ['expired', order([attempt(1, 'expired')]), charge(), 'first 1'],
    ['lost', order([attempt(1, 'lost')]), charge(), 'first 1'],
    ['sending', order([attempt(1, 'sending')]), charge(), 'first 1'],
    ['authorized, by idRec', order([attempt(1, 'authorized')], known(1)), charge(MONTH, byIdRec), 'first 1'],
    [
      'another has begun',
      order([attempt(1, 'authorized')], { begun: { key: 'x', sale: 'x', at: 1 } }),
      charge(),
      'other_sale',
    ],
    [
      'an older price',
      order([attempt(1, 'expired', older), attempt(2, 'created')]),
      charge(19.9),
      'other_amount',
    ],
    ['closed', order([attempt(1, 'closed')]), charge(), 'closed'],
    ['another sum', order([attempt(1, 'authorized')]), charge(30), 'other_amount'],
    [
      'nobody says how much',
      order([attempt(1, 'authorized')]),
      charge(MONTH, { amount: undefined }),
      'unclear_amount',
    ],

    // With an immediate payment that is not booked: that one is asked about first.
    ['before the first payment', order([attempt(1, 'created', withImmediate)]), charge(), 'other_sale'],
    [
      'before the first payment, authorized',
      order([attempt(1, 'authorized', withImmediate)]),
      charge(),
      'other_sale',
    ],
    ['that names no attempt', paidOrder, charge(MONTH, { referenceCode: 'dropped' }), 'other_sale'],
  ])('%s', (_, given, reported, expected) => {
    expect(inWords(given, reported)).toBe(expected);
  });

  it.each<[string, MoneyOfRequest, number, string]>([
    ['the minimum', variable(10), 10, 'book'],
    ['more than the minimum', variable(10), 1_234.56, 'book'],
    ['less than the minimum', variable(10), 9.99, 'other_amount'],
    ['any sum, without a minimum', variable(), 0.01, 'book'],
    ['nothing at all', variable(), 0, 'other_amount'],
    ['nothing at all, at a minimum of 0', variable(0), 0, 'other_amount'],
    ['the fixed sum', { ...without }, MONTH, 'book'],
    ['FIXED is what nothing means', fixed(), MONTH, 'book'],
    ['FIXED, another sum', fixed(), 30, 'other_amount'],
  ])('VARIABLE and FIXED: %s', (_, asked, amount, expected) => {
    const verdict = (given: Order) => {
      const { do: what, reason } = { reason: '', ...decideSale(given, charge(amount)) };
      return what === 'case' ? reason : what;
    };
    expect(verdict(order([attempt(1, 'authorized', asked)]))).toBe(expected);
    expect(verdict(order([attempt(1, 'paid', asked)]))).toBe(expected);
  });

  it('takes the amount of an immediate payment, and any month from the minimum up', () => {
    const asked = variable(10, true);
    const first = (amount: number) =>
      inWords(order([attempt(1, 'created', asked)]), charge(amount, { sale: 'u1' }));
    expect([first(59.7), first(20)]).toEqual(['first 1', 'other_amount, own']);
    const month = (amount: number) => inWords(order([attempt(1, 'paid', asked)]), charge(amount));
    expect([month(59.7), month(20), month(9)]).toEqual(['later', 'later', 'other_amount']);
  });

  it('tells a request with a sum of its own each time from one with the same sum, and other minimums apart', () => {
    expect(moneyOf(KEY, fixed())).toEqual(moneyOf(KEY, without));
    expect(moneyOf(KEY, variable(10))).not.toEqual(moneyOf(KEY, variable(20)));
    expect(moneyOf(KEY, variable())).not.toEqual(
      moneyOf(KEY, { currency: 'BRL', recurrence: { immediatePayment: false } }),
    );
  });

  it('keeps to the ordinary form what it means: no charge, and a reference that the service has confirmed', () => {
    const ordinary = { isRouted: false, charge: undefined };
    expect(inWords(order([attempt(1, 'authorized')]), charge(30, ordinary))).toBe('other_sale');
    expect(
      inWords(
        order([attempt(1, 'paid'), attempt(2, 'expired')]),
        charge(MONTH, { ...ordinary, ...ofSecond }),
      ),
    ).toBe('other_sale');
    // The same money in the other form is decided alike.
    const two = order([attempt(1, 'authorized'), attempt(2, 'created')]);
    expect(inWords(two, charge(MONTH, { ...ordinary, ...ofSecond }))).toBe('authorized_twice');
  });
});

function fixed(): MoneyOfRequest {
  return {
    currency: 'BRL',
    recurrence: { immediatePayment: false, amount: { recurrenceAmount: MONTH, valueType: 'FIXED' } },
  };
}

describe('what is recorded of a charge', () => {
  const book = (given: Order, reported = charge(), number = 1) =>
    withPayment(
      given,
      { ...reported, amount: MONTH, currency: 'BRL' },
      given.attempts.find((each) => each.attempt === number && each.state !== 'paid'),
      NOW,
    );
  const seen = ({ recurrences = [], payments }: Order) =>
    recurrences.map((each) => seenRecurrence(each, payments));

  it('is its attempt, which never takes the uuid of a charge, and its recurrence', () => {
    const after = book(order([attempt(1, 'lost')]));
    expect(after.attempts[0]).toMatchObject({ state: 'paid', uuid: undefined });
    expect(after.payments).toMatchObject([{ sale: 'm', attempt: 1, amount: MONTH }]);
    expect(seen(after)).toEqual([
      {
        idRec: 'A',
        attempt: 1,
        status: 'APPROVED',
        nextChargeAt: undefined,
        charge: { sale: 'm', amount: MONTH, dueDate: '2027-02-15', status: 'PAID' },
      },
    ]);
  });

  it('is found by the ordinary form of it too, where its attempt has one recurrence alone', () => {
    const ordinary = charge(MONTH, { isRouted: false, charge: undefined });
    const one = book(order([attempt(1, 'paid')], known(1)), ordinary);
    expect(seen(one)).toMatchObject([{ idRec: 'A', charge: { sale: 'm', status: 'PAID' } }]);
    const two = [...known(1).recurrences, { idRec: 'B', attempt: 1, status: 'APPROVED' }];
    expect(seen(book(order([attempt(1, 'paid')], { recurrences: two }), ordinary))).not.toMatchObject([
      { charge: {} },
      {},
    ]);
    expect(book(order([attempt(1, 'paid')]), ordinary).recurrences).toBeUndefined();
  });

  it('never resurrects what has ended', () => {
    const after = book(order([attempt(1, 'paid')], known(1, 'CANCELLED')));
    expect(seen(after)).toMatchObject([{ status: 'CANCELLED', charge: { status: 'PAID' } }]);
  });

  it('shows a charge as paid that was booked by its sale', () => {
    const recurrences = [
      { idRec: 'A', attempt: 1, status: 'APPROVED', charge: { sale: 'first', status: 'SCHEDULED' } },
    ];
    expect(seen(order([attempt(1, 'paid')], { recurrences }))).toMatchObject([
      { charge: { status: 'PAID' } },
    ]);
  });

  it('shows it as paid in another spelling of its sale', () => {
    const sale = '0B3C1F5E-6B1D-4C5E-9C8E-1D2F3A4B5C6D';
    const charge = { sale: sale.toLowerCase(), status: 'SCHEDULED' };
    const recurrences = [{ idRec: 'A', attempt: 1, status: 'APPROVED', charge }];
    const payments = [{ sale, attempt: 1, amount: MONTH, currency: 'BRL', at: 1 }];
    expect(seen(order([attempt(1, 'paid')], { recurrences, payments }))).toMatchObject([
      { charge: { status: 'PAID' } },
    ]);
  });

  it('closes no journey by its reference, once a person has dismissed it', () => {
    const given = order([attempt(1, 'lost')]);
    const dismissal = { ...charge(), reason: 'other_amount', closes: true };
    expect(withDismissal(given, dismissal, NOW).attempts).toEqual(given.attempts);
    expect(withDismissal(given, { ...dismissal, isRouted: false }, NOW).attempts[0]?.state).toBe('closed');
  });
});

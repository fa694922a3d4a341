import { describe, expect, it } from 'vitest';
import type { Attempt, AttemptState, Order } from '../../src/orders/attempt';
import { decideSale, type ReportedSale, withPayment } from '../../src/orders/booking';
import { withBegun, withDismissal, withoutCase, withReview } from '../../src/orders/marks';
import { type MoneyOfRequest, moneyOf } from '../../src/orders/money';
import { asTold, decideReturn, type ReportedReturn, withRefunds } from '../../src/orders/returns';
import { attemptIn } from './attempt-in';

const KEY = 'order-1';
const NOW = 1_000_000;

/** 59.70 at once, and 29.90 a month. */
const request: MoneyOfRequest = {
  currency: 'BRL',
  amount: 59.7,
  recurrence: { immediatePayment: true, amount: { recurrenceAmount: 29.9 } },
};
const later: MoneyOfRequest = {
  currency: 'BRL',
  recurrence: { immediatePayment: false, amount: { recurrenceAmount: 29.9 } },
};

/** An attempt over the money of a request. Its uuid is `u1` for the first; `lost` and `sending` ones have none. */
function attempt(number: number, state: AttemptState, asked = request, fields: Partial<Attempt> = {}) {
  const uuid = state === 'lost' || state === 'sending' ? undefined : `u${number}`;
  return attemptIn(number, state, { money: moneyOf(KEY, asked), currency: 'BRL', uuid, ...fields });
}

function order(attempts: readonly Attempt[], fields: Partial<Order> = {}): Order {
  const newest = attempts.at(-1)?.money;
  return { key: KEY, attempts, newest, payments: [], returns: [], ...fields };
}

/** Booked sales, with their amounts: `u1 59.7`. */
function payments(...texts: string[]) {
  return texts.map((text) => {
    const [sale = '', amount] = text.split(' ');
    return { sale, amount: Number(amount), currency: 'BRL', at: 1 };
  });
}

const begunFor = (token: string) => ({ key: `payment:${token}:PAID`, sale: token, at: NOW });

const sale = (token: string, amount = 59.7, fields: Partial<ReportedSale> = {}): ReportedSale => ({
  id: `payment:${token}:PAID`,
  sale: token,
  referenceCode: KEY,
  amount,
  currency: 'BRL',
  ...fields,
});

/** An order with these booked sales, of which the first paid its attempt. */
const payingOf = (...texts: string[]) => order([attempt(1, 'paid')], { payments: payments(...texts) });

/** A verdict in a few words. */
function inWords(given: Order, reported: ReportedSale): string {
  const verdict = decideSale(given, reported);
  if (verdict.do === 'case') return `${verdict.reason}${verdict.isOwn ? ', own' : ''}`;
  if (verdict.do === 'nothing') return 'nothing';
  return [verdict.isFirst ? 'first' : 'later', verdict.attempt?.attempt].join(' ').trim();
}

/** An order with one attempt over this money, and one with a newer attempt over the usual money. */
const created = (asked = request, fields: Partial<Order> = {}) =>
  order([attempt(1, 'created', asked)], fields);
const expired = (asked = request, fields: Partial<Order> = {}) =>
  order([attempt(1, 'expired', asked), attempt(2, 'created')], fields);
const lost = order([attempt(1, 'lost')]);
const paidOrder = payingOf('u1 59.7');
const paidOther = order([attempt(1, 'expired'), attempt(2, 'paid')], { payments: payments('u2 59.7') });
const paidPlan = order([attempt(1, 'paid', { ...request, recurrence: { immediatePayment: true } })], {
  payments: payments('u1 59.7'),
});
const paidByCharge = order([attempt(1, 'paid', later)], { payments: payments('m1 29.9') });
const beside = { payments: payments('x 5') };
const older = { ...request, amount: 49.7 };
const olderMonth = { ...request, recurrence: { immediatePayment: true, amount: { recurrenceAmount: 19.9 } } };
const anySum: MoneyOfRequest = { currency: 'BRL', recurrence: { immediatePayment: false } };
const [silent, inUSD] = [{ amount: undefined }, { currency: 'USD' }];
const back = (...amounts: number[]) => ({
  refunds: amounts.map((amount) => ({ uuid: `r${amount}`, amount })),
});

describe('which payment is expected', () => {
  it.each<[string, Order, ReportedSale, string]>([
    // Among the payments.
    ['a booked sale', paidOrder, sale('u1'), 'nothing'],
    ['a booked later charge, whatever it says', payingOf('u1 59.7', 'm2 29.9'), sale('m2', 1), 'nothing'],

    // An attempt's own, and expected: whatever its state.
    ['own, created', created(), sale('u1'), 'first 1'],
    ['own, expired', expired(), sale('u1'), 'first 1'],
    ['own, lost with a uuid', order([attempt(1, 'lost', request, { uuid: 'u1' })]), sale('u1'), 'first 1'],
    ['own by its reference, lost without a uuid', lost, sale('new'), 'first 1'],
    ['own by its reference, still being sent', order([attempt(1, 'sending')]), sale('new'), 'first 1'],
    ['own, without a reference', created(), sale('u1', 59.7, { referenceCode: undefined }), 'first 1'],
    ['own, without a currency', created(), sale('u1', 59.7, { currency: undefined }), 'first 1'],
    ['own, beside a booked sale that paid no attempt', created(request, beside), sale('u1'), 'later 1'],
    ['own, no immediate payment: the month', created(later), sale('u1', 29.9), 'first 1'],
    ['own, no immediate payment: the amount', created({ ...later, amount: 5 }), sale('u1', 5), 'first 1'],
    ['own, no immediate payment: 0 is none', created({ ...later, amount: 0 }), sale('u1', 29.9), 'first 1'],
    ['own, without any sum', created(anySum), sale('u1', 7), 'first 1'],
    ['own, without any sum: 0 is none', created({ ...anySum, amount: 0 }), sale('u1', 7), 'first 1'],
    ['own, of nothing, and nothing went back', created(anySum), sale('u1', 0), 'first 1'],

    // Another attempt is paid, or has begun.
    ['own, another is paid', paidOther, sale('u1'), 'paid_twice, own'],
    ['own, another has begun', expired(request, { begun: begunFor('u2') }), sale('u1'), 'paid_twice, own'],
    ['own, begun by itself', created(request, { begun: begunFor('u1') }), sale('u1'), 'first 1'],

    // Another sum or currency, or money of an older request.
    ['own, another sum', created(), sale('u1', 0.01), 'other_amount, own'],
    ['own by its reference, another sum', lost, sale('theirs', 0.01), 'other_amount, own'],
    ['own, the month in place of the amount', created(), sale('u1', 29.9), 'other_amount, own'],
    ['own, another currency', created(), sale('u1', 59.7, inUSD), 'other_amount, own'],
    ['own, an older price', expired(older), sale('u1', 49.7), 'other_amount, own'],
    ['own, an older price of the month', expired(olderMonth), sale('u1'), 'other_amount, own'],
    [
      'own, an older price whose successor was dropped',
      order([attempt(1, 'expired', older)], { newest: moneyOf(KEY, request) }),
      sale('u1', 49.7),
      'other_amount, own',
    ],
    ['own, no immediate payment: another sum', created(later), sale('u1', 30), 'other_amount, own'],

    // Neither says how much.
    ['own, nobody says how much', created(), sale('u1', 59.7, silent), 'unclear_amount, own'],
    ['a later charge, nobody says how much', paidOrder, sale('m2', 59.7, silent), 'unclear_amount'],

    // Closed.
    ['own, closed', order([attempt(1, 'closed')]), sale('u1'), 'closed, own'],
    [
      'own, closed before another',
      order([attempt(1, 'closed'), attempt(2, 'created')]),
      sale('u1'),
      'closed, own',
    ],

    // Later charges.
    ['a later charge', paidOrder, sale('m2', 29.9), 'later'],
    ['a later charge without a currency', paidOrder, sale('m2', 29.9, { currency: undefined }), 'later'],
    ['a later charge of another sum', paidOrder, sale('m2', 30), 'other_amount'],
    ['a later charge of the first sum', paidOrder, sale('m2'), 'other_amount'],
    ['a later charge of another currency', paidOrder, sale('m2', 29.9, inUSD), 'other_amount'],
    ['a later charge of a plan: as the first', paidPlan, sale('m2'), 'later'],
    ['a later charge of a plan: another sum', paidPlan, sale('m2', 60), 'other_amount'],
    ['its own sale after a charge that came first', paidByCharge, sale('u1', 29.9), 'later'],
    ['the same, without a reference', paidByCharge, sale('u1', 29.9, { referenceCode: undefined }), 'later'],

    // The first charge of a journey without an immediate payment.
    ['the first charge', created(later), sale('m1', 29.9), 'first 1'],
    ['the first charge, another sum', created(later), sale('m1', 0.01), 'other_sale'],
    ['the first charge, nobody says how much', created(later), sale('m1', 29.9, silent), 'unclear_amount'],
    ['the first charge, closed', order([attempt(1, 'closed', later)]), sale('m1', 29.9), 'closed'],
    ['the first charge, of an older price', expired(later), sale('m1', 29.9), 'other_amount'],
    [
      'the first charge, another has begun',
      created(later, { begun: begunFor('x') }),
      sale('m1', 29.9),
      'other_sale',
    ],
    ['the first charge, beside a booked sale', created(later, beside), sale('m1', 29.9), 'other_sale'],

    // Any other.
    ['a journey of 0.01 that somebody else made', created(), sale('theirs', 0.01), 'other_sale'],
    ['the same, of the very sum', created(), sale('theirs'), 'other_sale'],
    ['a later charge before the first payment', created(), sale('m2', 29.9), 'other_sale'],
    ['a later charge of an attempt that did not pay', paidOther, sale('m2', 29.9), 'other_sale'],

    // What was refunded since.
    ['own, refunded in part', created(), sale('u1', 59.7, back(59.69)), 'first 1'],
    ['own, refunded in full', created(), sale('u1', 59.7, back(20, 39.7)), 'returned_in_full, own'],
    ['the first charge, refunded', created(later), sale('m1', 29.9, back(29.9)), 'returned_in_full, own'],
    ['a later charge, refunded', paidOrder, sale('m2', 29.9, back(29.9)), 'returned_in_full'],
  ])('%s', (_, given, reported, expected) => {
    expect(inWords(given, reported)).toBe(expected);
  });

  it('compares in minor units, as far as a currency has them', () => {
    const yen = { ...request, currency: 'JPY', amount: 1000 };
    const given = order([attempt(1, 'created', yen, { currency: 'JPY' })]);
    expect(inWords(given, sale('u1', 1000, { currency: 'JPY' }))).toBe('first 1');
    expect(inWords(given, sale('u1', 1000, { currency: undefined }))).toBe('first 1');
    expect(inWords(given, sale('u1', 1000.5, { currency: 'JPY' }))).toBe('other_amount, own');
    const odd = order([attempt(1, 'created', { ...request, currency: 'XXX' }, { currency: 'XXX' })]);
    expect(inWords(odd, sale('u1', 59.7, { currency: 'XXX' }))).toBe('first 1');
  });

  it('hashes the money with the key, so that equal sums of two orders do not look alike', () => {
    expect(moneyOf('a', request)).not.toEqual(moneyOf('b', request));
    expect(moneyOf(KEY, request)).toEqual(moneyOf(KEY, { ...request, amount: 59.7 }));
    const monthly = { ...request.recurrence, calendar: { periodicity: 'MONTHLY' } };
    expect(moneyOf(KEY, { ...request, recurrence: monthly })).not.toEqual(moneyOf(KEY, request));
    const equal = moneyOf(KEY, { ...request, amount: 29.9 });
    expect(new Set(Object.values(equal)).size).toBe(Object.keys(equal).length);
    expect(JSON.stringify(moneyOf(KEY, request))).not.toMatch(/59\.7|5970|BRL/);
  });
});

describe('what is recorded of a payment', () => {
  const booked = (given: Order, token: string, number?: number, fields = {}) =>
    withPayment(
      given,
      { ...sale(token), amount: 59.7, currency: 'BRL', ...fields },
      given.attempts.find((each) => each.attempt === number),
      NOW,
    );

  it('is its sale, its attempt and its money, once', () => {
    const before = order([attempt(1, 'created', request, { qrCode: { plain: 'qr' } })], {
      begun: begunFor('u1'),
    });
    const after = booked(before, 'u1', 1);
    expect(after.payments).toEqual([{ sale: 'u1', attempt: 1, amount: 59.7, currency: 'BRL', at: NOW }]);
    expect(after.attempts).toMatchObject([{ state: 'paid', uuid: 'u1' }]);
    expect(after.attempts[0]?.qrCode).toBeUndefined();
    expect(after.begun).toBeUndefined();
    expect(booked(after, 'u1', 1)).toBe(after);
  });

  it('gives a lost attempt the uuid of its sale', () => {
    expect(booked(order([attempt(1, 'lost')]), 'new', 1).attempts).toMatchObject([
      { state: 'paid', uuid: 'new' },
    ]);
  });

  it('leaves what has begun for another payment, and the cases of others', () => {
    const review = ['payment:u1:PAID', 'other'].map((id) => ({ id, reason: 'closed', sale: 'u1', at: 1 }));
    const before = order([attempt(1, 'created', request, { review })], { begun: begunFor('u9') });
    const after = booked(before, 'u1', 1);
    expect(after.begun).toEqual(begunFor('u9'));
    expect(after.attempts[0]?.review?.map(({ id }) => id)).toEqual(['other']);
  });

  it('counts a second payment of a booked sale only where a person has decided it', () => {
    expect(booked(paidOrder, 'u1')).toBe(paidOrder);
    expect(booked(paidOrder, 'u1', undefined, { isAgain: true }).payments).toHaveLength(2);
  });

  it('is bounded', () => {
    let given = paidOrder;
    for (let month = 2; month <= 450; month += 1) given = booked(given, `m${month}`);
    expect(given.payments).toHaveLength(400);
    expect(given.payments.at(-1)?.sale).toBe('m450');
  });
});

describe('what goes back', () => {
  type Fields = Partial<ReportedReturn>;
  const refund = (id: string, amount: number | undefined, fields: Fields = {}): ReportedReturn => ({
    id,
    by: 'refund',
    sale: 'u1',
    amount,
    currency: 'BRL',
    status: 'PAID',
    ...fields,
  });
  const reversal = (status: string, amount: number | undefined = 59.7): ReportedReturn => ({
    ...refund('v', amount),
    by: 'reversal',
    status,
  });
  const inWords = (given: Order, returned: ReportedReturn, isForced = false) => {
    const verdict = decideReturn(given, returned, NOW, isForced);
    if (verdict.do === 'case') return verdict.reason;
    if (verdict.do === 'wait') return 'wait';
    return `${verdict.isCredited ? `returned, ${verdict.left} left` : 'recorded'}${verdict.order === given ? ', known' : ''}`;
  };
  const returning = (given: Order, ...returned: ReportedReturn[]) =>
    returned.reduce((changed, each) => {
      const verdict = decideReturn(changed, each, NOW);
      return verdict.do === 'record' ? verdict.order : changed;
    }, given);
  const having = (...returned: ReportedReturn[]) => returning(paidOrder, ...returned);

  it.each<[string, Order, ReportedReturn, string]>([
    ['a refund of all', paidOrder, refund('r', 59.7), 'returned, 0 left'],
    ['a refund in part', paidOrder, refund('r', 0.1), 'returned, 59.6 left'],
    ['the second of two', having(refund('r', 0.1)), refund('s', 0.2), 'returned, 59.4 left'],
    [
      'the same again, as after a crash',
      having(refund('r', 0.1)),
      refund('r', 0.1),
      'returned, 59.6 left, known',
    ],
    [
      'of a later charge',
      payingOf('u1 59.7', 'm2 29.9'),
      refund('r', 9.9, { sale: 'm2' }),
      'returned, 20 left',
    ],
    ['of a sale that is not booked', paidOrder, refund('r', 1, { sale: 'm2' }), 'wait'],
    ['of no sale', paidOrder, refund('r', 1, { sale: undefined }), 'wait'],
    ['without a currency', paidOrder, refund('r', 1, { currency: undefined }), 'returned, 58.7 left'],
    ['in another currency', paidOrder, refund('r', 1, { currency: 'USD' }), 'unclear_amount'],
    ['of an amount that is not clear', paidOrder, refund('r', undefined), 'unclear_amount'],
    ['of nothing', paidOrder, refund('r', 0), 'unclear_amount'],
    ['of less than nothing', paidOrder, refund('r', -1), 'unclear_amount'],
    ['of more than is left', having(refund('r', 50)), refund('s', 9.71), 'unclear_amount'],
    ['of a fraction of a cent', paidOrder, refund('r', 0.005), 'unclear_amount'],
    ['a reversal that begins', paidOrder, reversal('PENDING'), 'recorded'],
    ['a reversal that begins, without an amount', paidOrder, reversal('PENDING', undefined), 'recorded'],
    ['a reversal that ends', having(reversal('PENDING')), reversal('PAID'), 'returned, 0 left'],
    ['a reversal that is cancelled', having(reversal('PENDING')), reversal('CANCELLED'), 'recorded'],
    ['a late PENDING after PAID', having(reversal('PAID')), reversal('PENDING'), 'recorded, known'],
    ['a late PENDING after CANCELLED', having(reversal('CANCELLED')), reversal('PENDING'), 'recorded, known'],
    ['PAID after CANCELLED', having(reversal('CANCELLED')), reversal('PAID'), 'unclear_amount'],
    ['CANCELLED after PAID', having(reversal('PAID')), reversal('CANCELLED'), 'unclear_amount'],
    ['beside a reversal on its way', having(reversal('PENDING', 50)), refund('r', 59.7), 'returned, 0 left'],
    ['beside a cancelled reversal', having(reversal('CANCELLED', 50)), refund('r', 59.7), 'returned, 0 left'],
    ['of both payments of a sale', payingOf('u1 59.7', 'u1 29.9'), refund('r', 60), 'returned, 29.6 left'],
    [
      'beside one of another sale',
      returning(payingOf('u1 59.7', 'm2 29.9'), refund('r', 50)),
      refund('s', 29.9, { sale: 'm2' }),
      'returned, 0 left',
    ],
    ['to the cent', payingOf('u1 0.3'), refund('r', 0.1), 'returned, 0.2 left'],
    [
      'in a currency that is not known',
      order([], { payments: [{ sale: 'u1', amount: 59.7, currency: 'XXX', at: 1 }] }),
      refund('r', 9.7, { currency: 'XXX' }),
      'returned, 50 left',
    ],
  ])('%s', (_, given, returned, expected) => {
    expect(inWords(given, returned)).toBe(expected);
  });

  it('keeps its first time', () => {
    for (const status of ['PENDING', 'PAID']) {
      const verdict = decideReturn(having(reversal('PENDING', 10)), reversal(status, 10), NOW + 5);
      expect(verdict).toMatchObject({ order: { returns: [{ at: NOW }] } });
      expect(verdict).toMatchObject({ left: status === 'PAID' ? 49.7 : 59.7 });
    }
  });

  it('is what a person says it is', () => {
    const cancelled = having(reversal('CANCELLED'));
    expect(inWords(cancelled, reversal('PAID'), true)).toBe('returned, 0 left');
    expect(inWords(paidOrder, refund('r', 10, { currency: 'USD' }), true)).toBe('returned, 49.7 left');
    expect(inWords(paidOrder, refund('r', undefined), true)).toBe('unclear_amount');
  });

  it('counts what the confirmation of its sale has told of, once', () => {
    const reported = sale('u1', 59.7, { refunds: [{ uuid: 'r', amount: 9.7 }] });
    const told = withRefunds(paidOrder, reported, NOW);
    expect(told.returns).toEqual([
      { id: 'r', sale: 'u1', amount: 9.7, status: 'PAID', at: NOW, isUntold: true },
    ]);
    expect(withRefunds(told, reported, NOW)).toBe(told);
    expect(inWords(told, refund('s', 10))).toBe('returned, 40 left');
    const begun = having(refund('r', 9.7, { status: 'PENDING' }));
    const ended = withRefunds(begun, reported, NOW);
    expect(ended.returns).toMatchObject([{ id: 'r', status: 'PAID' }]);
    const verdict = decideReturn(told, refund('r', 9.7), NOW);
    expect(verdict).toMatchObject({ do: 'record', left: 50, isCredited: true });
    // It is told of once `returned` has run.
    const after = verdict.do === 'record' ? verdict.order : told;
    expect(after.returns[0]?.isUntold).toBe(true);
    expect(asTold(after, 'r').returns[0]?.isUntold).toBeUndefined();
    expect(asTold(after, 'r').returns).toHaveLength(1);
  });

  it('is bounded', () => {
    const rich = payingOf('u1 9999');
    const many = Array.from({ length: 450 }, (_, index) => refund(`r${index}`, 1));
    const { returns } = returning(rich, ...many);
    expect(returns).toHaveLength(400);
    expect(returns.at(-1)?.id).toBe('r449');
  });

  it('is never forgotten once it is credited, however much else is told', () => {
    const rich = payingOf('u1 500', 'm2 20');
    const credited = returning(rich, refund('first', 100), refund('other', 5, { sale: 'm2' }));
    const made = (status: string) =>
      Array.from({ length: 450 }, (_, index) => refund(`${status}-${index}`, 1, { status }));
    for (const status of ['PENDING', 'CANCELLED']) {
      const told = returning(credited, ...made(status));
      expect(told.returns).toHaveLength(400);
      expect(told.returns.filter((each) => each.status === 'PAID').map(({ id }) => id)).toEqual([
        'first',
        'other',
      ]);
    }
    // What ends a reversal is kept for as long as there is something else to forget.
    const ended = returning(credited, reversal('CANCELLED'), ...made('PENDING'));
    expect(inWords(ended, reversal('PAID'))).toBe('unclear_amount');
    // Of more than 400 that are credited, the list forgets the oldest, and their sum stays.
    const all = returning(credited, ...made('PAID'));
    expect(all.returns.map(({ id }) => id)).not.toContain('first');
    expect(inWords(all, refund('last', 0.01))).toBe('unclear_amount');
    expect(inWords(all, refund('last', 15, { sale: 'm2' }))).toBe('returned, 0 left');
    expect(inWords(all, refund('last', 15.01, { sale: 'm2' }))).toBe('unclear_amount');
    expect(JSON.stringify(all).length).toBeLessThan(50_000);
  });
});

describe('what an order remembers of its own money', () => {
  const entry = (id: string, fields = {}) => ({ id, reason: 'other_amount', sale: 'u1', at: NOW, ...fields });
  const created = order([attempt(1, 'created', request, { qrCode: { plain: 'qr' } })]);
  const own = (given: Order) => given.attempts[0];
  const idsOf = (given: Order) => own(given)?.review?.map(({ id }) => id);

  it('is one a notification, with its newest reason and its first time', () => {
    const once = withReview(created, own(created), entry('a'));
    expect(withReview(once, own(once), entry('a'))).toBe(once);
    const twice = withReview(once, own(once), { ...entry('a'), reason: 'closed', at: NOW + 5 });
    expect(own(twice)?.review).toEqual([{ id: 'a', reason: 'closed', sale: 'u1', at: NOW }]);
    expect(idsOf(withReview(twice, own(twice), entry('b')))).toEqual(['a', 'b']);
    expect(own(withoutCase(twice, 'a'))).not.toHaveProperty('review');
    expect(withoutCase(paidOrder, 'a')).toBe(paidOrder);
  });

  it('stays once it is of no attempt any more', () => {
    const once = withReview(created, own(created), entry('a'));
    expect(withReview(once, undefined, entry('a', { reason: 'other_sale' }))).toBe(once);
    expect(withReview(created, undefined, entry('a'))).toBe(created);
  });

  it('ends what has begun for it', () => {
    const begun = withBegun(created, sale('u1'), NOW);
    expect(begun.begun).toEqual(begunFor('u1'));
    expect(withBegun(begun, sale('u1'), NOW + 1)).toBe(begun);
    expect(withoutCase(begun, 'payment:u1:PAID').begun).toBeUndefined();
    expect(withoutCase(begun, 'b').begun).toEqual(begunFor('u1'));
  });

  it('closes the attempt of an own sale that a person dismisses, asks about it no more, and remembers it', () => {
    const dismissal = { ...sale('u1'), reason: 'closed', closes: true };
    const given = withReview(created, own(created), entry('payment:u1:PAID', { sale: 'u1' }));
    const after = withDismissal(given, dismissal, NOW);
    expect(after.attempts).toMatchObject([{ state: 'closed', isAnswered: true }]);
    expect(after.attempts[0]).not.toHaveProperty('review');
    expect(after.attempts[0]?.qrCode).toBeUndefined();
    const remembered = { id: 'payment:u1:PAID', reason: 'closed', sale: 'u1', amount: 59.7, at: NOW };
    expect(after.dismissed).toEqual([remembered]);
    expect(withDismissal(after, dismissal, NOW + 1).dismissed).toEqual([{ ...remembered, at: NOW + 1 }]);
    expect(withDismissal(given, { ...dismissal, closes: false }, NOW).attempts).toMatchObject([
      { state: 'created' },
    ]);
    for (const token of ['m2', 'u1']) {
      const paid = withDismissal(paidOrder, { ...sale(token), reason: 'x', closes: true }, NOW);
      expect(paid.attempts).toEqual(paidOrder.attempts);
    }
  });
});

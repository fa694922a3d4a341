import { describe, expect, it } from 'vitest';
import {
  ASKED_FOR_MS,
  type Attempt,
  type AttemptState,
  type CallResult,
  isAskable,
  moved,
  needsQuestion,
  nextStep,
  type Opening,
  type Order,
  type Step,
} from '../../src/orders/attempt';
import { attemptIn } from './attempt-in';

const NOW = 10 * ASKED_FOR_MS;
const money = { amount: 'hash of 59.7' };
const qrCode = { plain: 'qr' };

/**
 * Attempts by their states, as in `lost created`: 1, 2, … `!` means that its lease or its QR code is over, `*` another
 * amount.
 */
function attempts(states: string): Attempt[] {
  return (states.match(/\S+/g) ?? []).map((text, index) => {
    const state = text.replace(/[!*]/g, '') as AttemptState;
    const number = index + 1;
    const isOver = text.includes('!');
    return attemptIn(number, state, {
      money: text.includes('*') ? { amount: 'hash of 1' } : money,
      uuid: state === 'created' || state === 'paid' ? `uuid-${number}` : undefined,
      qrCode: state === 'created' ? qrCode : undefined,
      aliveUntil: state === 'created' ? NOW + (isOver ? 0 : 100) : undefined,
      startedAt: NOW - 1_000,
      changedAt: NOW - 1_000,
      leaseUntil: isOver ? NOW : NOW + 100,
    });
  });
}

/** An order with such attempts; it has a payment if one is paid. */
function order(states: string, fields: Partial<Order> = {}): Order {
  const all = attempts(states);
  const payments = all.flatMap(({ attempt, state, uuid }) =>
    state === 'paid' ? [{ sale: uuid as string, attempt, amount: 59.7, currency: 'BRL', at: 1 }] : [],
  );
  return { key: 'order-1', attempts: all, payments, returns: [], ...fields };
}

/** A step in a few words. */
function inWords(step: Step): string {
  switch (step.do) {
    case 'change':
      return `change to ${step.order.attempts.map(({ state, uuid }) => `${state} ${uuid ?? ''}`.trim()).join(', ')}`;
    case 'paid':
    case 'review':
    case 'authorized':
      return `${step.do} ${step.attempt?.attempt}`;
    case 'give':
    case 'ask':
    case 'send':
      return `${step.do} ${step.attempt.attempt}`;
    case 'begin':
      return `begin ${step.attempt}`;
    case 'conflict':
      if (step.state === 'authorized')
        return `authorized, conflict with ${step.attempt?.attempt}: ${step.paths}`;
      return `conflict with ${step.attempt?.attempt}: ${step.paths}`;
    case 'throw':
      return `throw ${step.error}`;
    case 'closed':
      return `closed ${step.uuid}`;
    default:
      return step.do;
  }
}

const step = (given: Order, fields: Partial<Opening> = {}) =>
  inWords(nextStep(given, NOW, { token: 'mine', money, ...fields }));

describe('what open does', () => {
  it.each([
    ['', 'begin 1'],
    ['created', 'give 1'],
    ['sending', 'wait'],
    ['sending!', 'change to lost'],
    ['closed', 'begin 2'],
    ['expired', 'begin 2'],
    ['lost closed', 'begin 3'],
    ['lost created', 'give 2'],
    ['paid', 'paid 1'],
    ['closed paid', 'paid 2'],
    // Of a paid order, no QR code is shown.
    ['paid created', 'paid 1'],
    ['lost paid sending!', 'paid 2'],
    ['created*', 'conflict with 1: amount'],
    ['sending*', 'conflict with 1: amount'],
    ['sending*!', 'change to lost'],
    ['paid*', 'conflict with 1: amount'],
    ['closed* lost* expired*', 'begin 4'],
    // Its time is over: the service is asked first.
    ['created!', 'ask 1'],
    ['created*!', 'conflict with 1: amount'],
  ])('%s: %s', (states, expected) => {
    expect(step(order(states))).toBe(expected);
  });

  it.each([
    ['created', 'give 1'],
    ['created*', 'ask 1'],
    ['created*!', 'ask 1'],
    ['sending*', 'wait'],
    ['paid*', 'conflict with 1: amount'],
  ])('with replace, %s: %s', (states, expected) => {
    expect(step(order(states), { replace: true })).toBe(expected);
  });

  it.each([
    ['authorized', 'authorized 1'],
    ['expired authorized', 'authorized 2'],
    // Another QR code would be a second recurrence, whatever the clock says.
    ['authorized created!', 'authorized 1'],
    ['authorized sending!', 'authorized 1'],
    ['authorized*', 'authorized, conflict with 1: amount'],
    ['authorized* created', 'authorized, conflict with 1: amount'],
    ['authorized paid', 'paid 2'],
  ])('%s, with replace and without: %s', (states, expected) => {
    for (const replace of [false, true]) expect(step(order(states), { replace })).toBe(expected);
  });

  it.each([
    // `close` ends no recurrence.
    ['closed', 'APPROVED', 'authorized 1'],
    ['closed', 'CANCELLED', 'begin 2'],
    ['closed created', 'APPROVED', 'authorized 1'],
    ['expired* created', 'APPROVED', 'authorized, conflict with 1: amount'],
    ['expired', 'EXPIRED', 'begin 2'],
    ['paid', 'APPROVED', 'paid 1'],
  ])('%s, with a recurrence of the first that is %s: %s', (states, status, expected) => {
    const recurrences = [{ idRec: 'A', attempt: 1, status, nextChargeAt: '2027-02-15 00:00:00' }];
    const given = order(states, { recurrences });
    for (const replace of [false, true]) expect(step(given, { replace })).toBe(expected);
    const found = nextStep(given, NOW, { token: 'mine', money });
    if (found.do === 'authorized') expect(found.nextChargeAt).toBe('2027-02-15 00:00:00');
  });

  it('shows the case of its own money before what is authorized', () => {
    const review = [{ id: 'payment:uuid-1:PAID', reason: 'closed', sale: 'uuid-1', at: 1 }];
    const given = order('authorized');
    expect(step({ ...given, attempts: [{ ...(given.attempts[0] as Attempt), review }] })).toBe('review 1');
  });

  it('gives an authorized order for a recurrence whose journey it does not remember', () => {
    const recurrences = [{ idRec: 'A', status: 'APPROVED' }];
    expect(step(order('', { recurrences }))).toBe('authorized undefined');
  });

  it('makes room once the service has said that the journey is not paid, and never before', () => {
    const isPaid = { attempt: 1, isPaid: true };
    const isNot = { attempt: 1, isPaid: false };
    expect(step(order('created!'), { asked: isPaid })).toBe('review 1');
    expect(step(order('created!'), { asked: isNot })).toBe('change to expired uuid-1');
    expect(step(order('created!'), { asked: { attempt: 9, isPaid: false } })).toBe('ask 1');
    expect(step(order('created*'), { replace: true, asked: isPaid })).toBe('review 1');
    expect(step(order('created*'), { replace: true, asked: isNot })).toBe('change to expired uuid-1');
    const { attempts } = moved(order('created!'), attempts_('created!'), 'expired', NOW);
    expect(attempts[0]).not.toHaveProperty('qrCode');
  });

  it('shows no QR code while its own money is a case, or is being booked', () => {
    const review = [{ id: 'payment:uuid-1:PAID', reason: 'closed', sale: 'uuid-1', at: 1 }];
    const inReview = (text: string) => {
      const given = order(text);
      const [first, ...others] = given.attempts;
      return { ...given, attempts: [{ ...(first as Attempt), review }, ...others] };
    };
    expect(step(inReview('created'))).toBe('review 1');
    expect(step(inReview('expired created'))).toBe('review 1');
    expect(step(inReview('paid'))).toBe('paid 1');
    expect(step(order('created', { begun: { key: 'payment:uuid-1:PAID', sale: 'uuid-1', at: NOW } }))).toBe(
      'review 1',
    );
  });

  it('gives what is booked as paid, also without an attempt that paid it', () => {
    const payments = [{ sale: 'x', amount: 1, currency: 'BRL', at: 1 }];
    expect(step(order('created', { payments }))).toBe('paid 1');
    expect(step(order('', { payments }))).toBe('paid undefined');
  });

  it('sends the attempt that it has begun itself', () => {
    expect(step(order('lost sending'), { token: 'token-2' })).toBe('send 2');
  });

  it('compares only fields that both sides have hashed', () => {
    const more = { amount: money.amount, 'recurrence.novel': 'hash' };
    expect(step(order('created'), { money: more })).toBe('give 1');
  });

  it('never uses a number again, also of an attempt that was dropped', () => {
    expect(step(order('', { begunAttempts: 7 }))).toBe('begin 8');
  });

  it('makes room among 50 attempts, and drops none that may still be paid', () => {
    const many = (fields: Partial<Attempt>) => {
      const all = Array.from({ length: 50 }, (_, index) =>
        attemptIn(index + 1, 'expired', { uuid: `u${index}`, changedAt: NOW - 1, ...fields }),
      );
      return order('', { attempts: all, begunAttempts: 50 });
    };
    expect(step(many({}))).toBe('full');
    expect(step(many({ changedAt: NOW - ASKED_FOR_MS }))).toBe('full');
    expect(step(many({ changedAt: NOW - ASKED_FOR_MS - 1 }))).toBe('begin 51');
    expect(step(many({ state: 'lost', uuid: undefined }))).toBe('begin 51');
    const next = nextStep(many({ uuid: undefined }), NOW, { token: 'mine', money });
    expect(next).toMatchObject({ order: { attempts: { length: 49 } } });
  });
});

function attempts_(states: string): Attempt {
  return attempts(states)[0] as Attempt;
}

describe('what open does once its own call has ended', () => {
  const success: CallResult = { uuid: 'mine', qrCode };
  const refused: CallResult = { error: 'refused', refused: true };
  const refusedWithUuid: CallResult = { error: 'refused', refused: true, uuid: 'mine' };
  const unknown: CallResult = { error: 'unknown', refused: false };
  const seen: CallResult = { error: 'unknown', refused: false, uuid: 'mine' };

  it.each([
    ['sending', success, 'change to created mine'],
    ['sending!', success, 'change to created mine'],
    ['sending', refused, 'change to '],
    ['closed sending', refused, 'throw refused', 9],
    ['sending', refusedWithUuid, 'change to lost mine'],
    ['sending', unknown, 'change to lost'],
    ['sending', seen, 'change to lost mine'],
    // Given up by another process meanwhile.
    ['lost', success, 'change to created mine'],
    ['lost closed', success, 'change to created mine, closed'],
    ['lost expired', success, 'change to created mine, expired'],
    ['lost sending', success, 'change to lost mine, sending'],
    ['lost created', success, 'change to lost mine, created uuid-2'],
    ['lost paid', success, 'change to lost mine, paid uuid-2'],
    ['lost', refused, 'throw refused'],
    ['lost', unknown, 'throw unknown'],
    ['lost', seen, 'change to lost mine'],
    // Closed while its call was on its way: nobody sees its QR code, and this call makes no other one.
    ['closed', success, 'change to closed mine'],
    ['created', success, 'give 1'],
    ['paid', success, 'paid 1'],
  ])('%s, %o: %s', (states, result, expected, attempt = 1) => {
    expect(step(order(states), { token: 'token-1', sent: { attempt, result } })).toBe(expected);
  });

  it('ends where its attempt was closed, once its uuid is recorded', () => {
    const [attempt] = attempts('closed');
    const closed = order('', { attempts: [{ ...(attempt as Attempt), uuid: 'mine' }] });
    expect(step(closed, { token: 'token-1', sent: { attempt: 1, result: success } })).toBe('closed mine');
  });

  it('never begins a second journey, whatever has ended its own meanwhile', () => {
    for (const state of ['expired', 'created!'] as const) {
      const [attempt] = attempts(state);
      const given = order('', { attempts: [{ ...(attempt as Attempt), uuid: 'mine' }] });
      const opening = { token: 'token-1', money, sent: { attempt: 1, result: success } };
      const asked = { attempt: 1, isPaid: false };
      const next = nextStep(given, NOW, { ...opening, asked });
      const last = next.do === 'change' ? nextStep(next.order, NOW, { ...opening, asked }) : next;
      expect(inWords(last)).toBe('closed mine');
    }
  });

  it.each([
    ['authorized', 'change to authorized mine'],
    ['lost authorized', 'change to lost mine, authorized'],
  ])('%s: its payer may have approved before its call had ended: %s', (states, expected) => {
    expect(step(order(states), { token: 'token-1', sent: { attempt: 1, result: success } })).toBe(expected);
  });

  it('keeps an attempt lost whose answer comes late where a recurrence of the order lives', () => {
    const recurrences = [{ idRec: 'A', attempt: 2, status: 'APPROVED' }];
    const given = order('lost closed', { recurrences });
    expect(step(given, { token: 'token-1', sent: { attempt: 1, result: success } })).toBe(
      'change to lost mine, closed',
    );
  });

  it('adds the uuid to an attempt that was paid before it was known', () => {
    const [first] = attempts('paid');
    const paid = order('paid', { attempts: [{ ...(first as Attempt), uuid: undefined }] });
    expect(step(paid, { token: 'token-1', sent: { attempt: 1, result: success } })).toBe(
      'change to paid mine',
    );
  });

  it('keeps a QR code with a created attempt alone, and when it is over: maxAge and a minute more', () => {
    const outcome = (states: string, maxAgeMs?: number) => {
      const opening = { token: 'token-1', money, maxAgeMs, sent: { attempt: 1, result: success } };
      const next = nextStep(order(states), NOW, opening);
      return next.do === 'change' ? next.order.attempts[0] : undefined;
    };
    expect(outcome('sending')).toMatchObject({ qrCode, changedAt: NOW });
    expect([outcome('sending')?.expiresAt, outcome('sending')?.aliveUntil]).toEqual([undefined, undefined]);
    expect(outcome('sending', 5_000)).toMatchObject({
      expiresAt: NOW + 4_000,
      aliveUntil: NOW + 65_000,
    });
    expect(outcome('lost created')).toMatchObject({ qrCode: undefined });
  });
});

describe('whether the service is asked about an attempt', () => {
  const asked = (state: AttemptState, fields: Partial<Attempt> = {}, more: Partial<Order> = {}) => {
    const attempt = attemptIn(1, state, { uuid: 'known', changedAt: NOW, ...fields });
    return isAskable(order('', more), attempt, NOW);
  };

  it('does not depend on its state: its own sale is not booked', () => {
    for (const state of ['sending', 'created', 'authorized', 'expired', 'closed', 'lost', 'paid'] as const) {
      expect(asked(state)).toBe(true);
      expect(asked(state, { uuid: undefined })).toBe(false);
      expect(asked(state, {}, { payments: [{ sale: 'known', amount: 1, currency: 'BRL', at: 1 }] })).toBe(
        false,
      );
      expect(asked(state, { isAnswered: true })).toBe(false);
    }
  });

  it('ends 40 days after its last change', () => {
    expect(asked('closed', { changedAt: NOW - ASKED_FOR_MS })).toBe(true);
    expect(asked('closed', { changedAt: NOW - ASKED_FOR_MS - 1 })).toBe(false);
  });

  it('keeps an order among those that are looked at, as returns do that nobody was told of', () => {
    expect(needsQuestion(order('created'), NOW)).toBe(true);
    // Whether its recurrence has ended.
    expect(needsQuestion(order('authorized'), NOW)).toBe(true);
    expect(needsQuestion(order('paid'), NOW)).toBe(false);
    const returns = [{ id: 'r', sale: 'uuid-1', amount: 1, status: 'PAID', at: 1, isUntold: true as const }];
    expect(needsQuestion(order('paid', { returns }), NOW)).toBe(true);
  });
});

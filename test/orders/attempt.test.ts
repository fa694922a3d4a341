import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  afterPayment,
  type CallResult,
  isAskable,
  moved,
  nextStep,
  type Order,
  type Step,
} from '../../src/orders/attempt';
import type { AttemptState } from '../../src/webhooks/order-link';
import { attemptIn } from './support';

const NOW = 1_000_000;
const money = { amount: 'hash of 59.7' };
const qrCode = { plain: 'qr' };

/** Attempts by their states, as in `lost created`: 1, 2, … `!` means that the lease is over, `*` another amount. */
function attempts(states: string): Attempt[] {
  return (states.match(/\S+/g) ?? []).map((text, index) => {
    const state = text.replace(/[!*]/g, '') as AttemptState;
    const number = index + 1;
    return attemptIn(number, state, {
      money: text.includes('*') ? { amount: 'hash of 1' } : money,
      uuid: state === 'created' || state === 'paid' ? `uuid-${number}` : undefined,
      qrCode: state === 'created' ? qrCode : undefined,
      leaseUntil: text.includes('!') ? NOW : NOW + 100,
    });
  });
}

/** A step in a few words. */
function inWords(step: Step): string {
  switch (step.do) {
    case 'change':
      return `change ${step.attempt.attempt} to ${step.attempt.state} ${step.attempt.uuid ?? ''}`.trim();
    case 'give':
      return `give ${step.attempt.attempt} ${step.attempt.state}`;
    case 'begin':
      return `begin ${step.attempt}`;
    case 'send':
      return `send ${step.attempt.attempt}`;
    case 'conflict':
      return `conflict with ${step.attempt.attempt}: ${step.paths}`;
    case 'throw':
      return `throw ${step.error}`;
    default:
      return step.do;
  }
}

describe('what open does', () => {
  it.each([
    ['', 'begin 1'],
    ['created', 'give 1 created'],
    ['sending', 'wait'],
    ['sending!', 'change 1 to lost'],
    ['closed', 'begin 2'],
    ['refused lost closed', 'begin 4'],
    ['lost created', 'give 2 created'],
    ['paid', 'give 1 paid'],
    ['closed paid', 'give 2 paid'],
    // Of a paid order, no QR code is shown.
    ['paid created', 'give 1 paid'],
    ['lost paid sending!', 'give 2 paid'],
    ['review', 'give 1 review'],
    ['review created', 'give 1 review'],
    ['review sending', 'give 1 review'],
    ['review paid', 'give 2 paid'],
    ['created*', 'conflict with 1: amount'],
    ['sending*', 'conflict with 1: amount'],
    ['sending*!', 'change 1 to lost'],
    ['paid*', 'conflict with 1: amount'],
    ['closed* lost* refused*', 'begin 4'],
    ['review*', 'give 1 review'],
  ])('%s: %s', (states, expected) => {
    expect(inWords(nextStep(attempts(states), NOW, { token: 'mine', money }))).toBe(expected);
  });

  it('sends the attempt that it has begun itself', () => {
    expect(inWords(nextStep(attempts('lost sending'), NOW, { token: 'token-2', money }))).toBe('send 2');
  });

  it('compares only fields that both sides have hashed', () => {
    const opening = { token: 'mine', money: { amount: money.amount, 'recurrence.novel': 'hash' } };
    expect(inWords(nextStep(attempts('created'), NOW, opening))).toBe('give 1 created');
  });
});

describe('what open does once its own call has ended', () => {
  const success: CallResult = { uuid: 'mine', qrCode };
  const refused: CallResult = { error: 'refused', refused: true };
  const unknown: CallResult = { error: 'unknown', refused: false };
  const seen: CallResult = { error: 'unknown', refused: false, uuid: 'mine' };

  it.each([
    ['sending', success, 'change 1 to created mine'],
    ['sending!', success, 'change 1 to created mine'],
    ['sending', refused, 'change 1 to refused'],
    ['sending', unknown, 'change 1 to lost'],
    ['sending', seen, 'change 1 to lost mine'],
    // Given up by another process meanwhile.
    ['lost', success, 'change 1 to created mine'],
    ['lost closed', success, 'change 1 to created mine'],
    ['lost review', success, 'change 1 to created mine'],
    ['lost sending', success, 'change 1 to lost mine'],
    ['lost created', success, 'change 1 to lost mine'],
    ['lost paid', success, 'change 1 to lost mine'],
    ['lost', refused, 'throw refused'],
    ['lost', unknown, 'throw unknown'],
    ['lost', seen, 'change 1 to lost mine'],
    // Its payment came before its answer: nothing undoes that.
    ['closed', success, 'change 1 to closed mine'],
    ['review', success, 'change 1 to review mine'],
    ['refused', unknown, 'throw unknown'],
    ['paid', success, 'give 1 paid'],
    ['created', success, 'give 1 created'],
  ])('%s, %o: %s', (states, result, expected) => {
    const opening = { token: 'token-1', money, sent: { attempt: 1, result } };
    expect(inWords(nextStep(attempts(states), NOW, opening))).toBe(expected);
  });

  it('adds the uuid to an attempt that was paid before it was known', () => {
    const [first] = attempts('paid');
    const paid = [{ ...(first as Attempt), uuid: undefined }];
    const opening = { token: 'token-1', money, sent: { attempt: 1, result: success } };
    expect(inWords(nextStep(paid, NOW, opening))).toBe('change 1 to paid mine');
  });

  it('keeps a QR code with a created attempt alone', () => {
    const stepOf = (states: string) =>
      nextStep(attempts(states), NOW, { token: 'token-1', money, sent: { attempt: 1, result: success } });
    expect(stepOf('sending')).toMatchObject({ attempt: { qrCode, changedAt: NOW } });
    expect(stepOf('lost created')).toMatchObject({ attempt: { qrCode: undefined } });
  });
});

const order = (states: string, more: Partial<Order> = {}): Order => ({
  key: 'order-1',
  attempts: attempts(states),
  ...more,
});
const statesOf = ({ attempts, paidBy }: Order) =>
  `${attempts.map(({ state }) => state).join(' ')}, paid by ${paidBy ?? 'none'}`;

describe('a payment', () => {
  it.each(['sending', 'created', 'closed', 'refused', 'lost', 'review'])('makes %s paid', (state) => {
    const paid = afterPayment(order(state), 1, 'sale', NOW);
    expect(statesOf(paid)).toBe('paid, paid by 1');
    expect(paid.attempts[0]).toMatchObject({ uuid: state === 'created' ? 'uuid-1' : 'sale', changedAt: NOW });
    expect(paid.attempts[0]).not.toHaveProperty('qrCode');
  });

  it('of a second attempt leaves the order paid by the first', () => {
    expect(statesOf(afterPayment(order('paid created', { paidBy: 1 }), 2, 'sale', NOW))).toBe(
      'paid paid, paid by 1',
    );
  });

  it.each([1, 3])('changes nothing if attempt %d is paid already, or unknown', (attempt) => {
    const given = order('paid closed', { paidBy: 1 });
    expect(afterPayment(given, attempt, 'sale', NOW)).toBe(given);
  });
});

it.each([
  ['closed', 'created lost review', 'sending closed refused paid'],
  ['review', 'created closed lost', 'sending refused paid review'],
] as const)('only some states become %s: %s', (to, may, mayNot) => {
  for (const state of may.split(' ')) {
    const after = moved(order(state), 1, to, NOW);
    expect(after.attempts[0]).toMatchObject({ state: to, changedAt: NOW });
    expect(after.attempts[0]).not.toHaveProperty('qrCode');
  }
  for (const state of mayNot.split(' ')) {
    const given = order(state);
    expect(moved(given, 1, to, NOW)).toBe(given);
  }
});

it('the service is asked about attempts that it may have been paid for without our knowing', () => {
  const asked = attempts('sending created closed refused lost paid review').filter((each) =>
    isAskable({ ...each, uuid: 'known' }),
  );
  expect(asked.map(({ state }) => state)).toEqual(['created', 'closed', 'lost']);
  expect(attempts('created closed lost').filter((each) => isAskable({ ...each, uuid: undefined }))).toEqual(
    [],
  );
});

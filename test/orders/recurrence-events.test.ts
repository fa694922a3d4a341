import { describe, expect, it } from 'vitest';
import type { Attempt, AttemptState, Order } from '../../src/orders/attempt';
import { moneyOf } from '../../src/orders/money';
import { decideEvent, type RecurrenceEvent, reportedEvent } from '../../src/orders/recurrence-events';
import type { Recurrence } from '../../src/orders/recurrences';
import type { RecurrencePayload } from '../../src/service/notifications/recurrence';
import { attemptIn } from './attempt-in';

const KEY = 'order-1';
const NOW = 1_000_000;

const money = (recurrenceAmount: number) =>
  moneyOf(KEY, { currency: 'BRL', recurrence: { immediatePayment: false, amount: { recurrenceAmount } } });

/**
 * An order, in words: attempts `created`, `expired*` (`*`: an older price), and the recurrences that it knows, `A:1` of the
 * first attempt, `A:1!CANCELLED` that has ended so, `B:2?` that is a case `authorized_twice`.
 */
function orderOf(text: string, fields: Partial<Order> = {}): Order {
  const words = text.match(/\S+/g) ?? [];
  const attempts = words
    .filter((word) => !word.includes(':'))
    .map((word, index): Attempt => {
      const state = word.replace('*', '') as AttemptState;
      const uuid = state === 'lost' || state === 'sending' ? undefined : `u${index + 1}`;
      return attemptIn(index + 1, state, { money: money(word.includes('*') ? 19.9 : 29.9), uuid });
    });
  const recurrences = words
    .filter((word) => word.includes(':'))
    .map((word): Recurrence => {
      const [, idRec = '', attempt, end, twice] = /^(\w):(\d)(?:!(\w+))?(\?)?$/.exec(word) ?? [];
      const refused = twice && { refused: { reason: 'authorized_twice', id: `authorized ${idRec}` } };
      return { idRec, attempt: Number(attempt), status: end ?? 'APPROVED', ...refused };
    });
  const paid = attempts.find(({ state }) => state === 'paid');
  const payments = paid ? [{ sale: 'u', attempt: paid.attempt, amount: 29.9, currency: 'BRL', at: 1 }] : [];
  return { key: KEY, attempts, newest: money(29.9), payments, returns: [], recurrences, ...fields };
}

/** An event in words: `authorized A of 1`; `of 1` is the attempt that its reference names. */
function eventOf(text: string, fields: Partial<RecurrencePayload> = {}) {
  const [, name = '', idRec = '', attempt] = /^(\w+) (\w)(?: of (\d))?$/.exec(text) ?? [];
  const referenceCode = attempt === undefined ? undefined : attempt === '1' ? KEY : `${KEY}-${attempt}`;
  const eventType = `RECURRENCE_${name.toUpperCase()}` as RecurrencePayload['eventType'];
  return reportedEvent(`${name} ${idRec}`, { eventType, idRec, externalId: referenceCode, ...fields });
}

/** What is done, and how the attempts and the recurrences stand after it. */
function inWords(order: Order, text: string, fields?: Partial<RecurrencePayload>): string {
  const verdict = decideEvent(order, eventOf(text, fields), NOW);
  const what = verdict.do === 'case' ? verdict.reason : verdict.do;
  const { attempts, recurrences = [] } = verdict.order;
  const known = recurrences.map(({ idRec, status }) => (status === 'APPROVED' ? idRec : `${idRec}!`));
  return `${what}: ${[...attempts.map(({ state }) => state), ...known].join(' ')}`;
}

describe('what an event of a recurrence means for its order', () => {
  it.each([
    // An end.
    ['created', 'rejected A of 1', 'run: created A!'],
    ['authorized A:1', 'cancelled A of 1', 'run: expired A!'],
    ['authorized A:1', 'concluded A', 'run: expired A!'],
    ['authorized A:1', 'expired A of 1', 'run: expired A!'],
    ['paid A:1', 'cancelled A of 1', 'run: paid A!'],
    ['sending', 'cancelled A of 1', 'run: sending A!'],
    ['lost', 'rejected A of 1', 'run: lost A!'],
    ['closed A:1', 'cancelled A of 1', 'run: closed A!'],
    // Another end of it has come; the same one again is a callback that has failed.
    ['expired A:1!CANCELLED', 'concluded A of 1', 'nothing: expired A!'],
    ['expired A:1!CANCELLED', 'cancelled A of 1', 'run: expired A!'],
    // The surplus one of two: the order stays the first one's.
    ['authorized expired A:1', 'cancelled B of 2', 'nothing: authorized expired A B!'],
    ['authorized A:1 B:1', 'cancelled B of 1', 'nothing: authorized A B!'],
    ['paid created', 'rejected B of 2', 'nothing: paid created B!'],
    // Nobody was told of it, so nobody is told of its end.
    ['expired created A:1!CANCELLED B:2?', 'cancelled B of 2', 'nothing: expired created A! B!'],
    // Of two of one attempt, the other one lives.
    ['authorized A:1 B:1', 'cancelled A of 1', 'run: authorized A! B'],

    // Authorized, and its end has come.
    ['expired A:1!CANCELLED', 'authorized A of 1', 'nothing: expired A!'],

    // Two would be charged.
    ['authorized created A:1', 'authorized B of 2', 'authorized_twice: authorized created A B'],
    ['authorized created', 'authorized B of 2', 'authorized_twice: authorized created B'],
    ['paid expired', 'authorized B of 2', 'authorized_twice: paid expired B'],
    ['paid expired A:1', 'charge_scheduled B of 2', 'authorized_twice: paid expired A B'],
    ['paid A:1', 'authorized B of 1', 'authorized_twice: paid A B'],
    ['closed created A:1', 'authorized B of 2', 'authorized_twice: closed created A B'],
    ['paid created A:2 B:1', 'charge_failed A', 'authorized_twice: paid created A B'],
    // Once, by one event.
    ['authorized created A:1 B:2?', 'authorized B of 2', 'authorized_twice: authorized created A B'],
    ['authorized created A:1 B:2?', 'charge_scheduled B of 2', 'nothing: authorized created A B'],
    // One of the two is over.
    ['expired created A:1!CANCELLED B:2?', 'authorized B of 2', 'run: expired authorized A! B'],
    ['paid created A:1!CANCELLED B:2?', 'authorized B of 2', 'run: paid authorized A! B'],
    ['authorized created A:1 B:2!CANCELLED?', 'charge_scheduled B of 2', 'nothing: authorized created A B!'],

    // Its journey was closed, or is over an older price.
    ['closed', 'authorized A of 1', 'closed: closed A'],
    ['closed A:1!CANCELLED', 'charge_scheduled A of 1', 'nothing: closed A!'],
    ['expired* created', 'authorized A of 1', 'other_amount: expired created A'],
    ['created* closed', 'charge_scheduled A of 1', 'other_amount: created closed A'],
    ['authorized* expired A:1', 'charge_failed A of 1', 'run: authorized expired A'],
    ['paid* expired', 'authorized A of 1', 'run: paid expired A'],

    // It runs, and an attempt that is not paid is authorized.
    ['created', 'authorized A of 1', 'run: authorized A'],
    ['sending', 'authorized A of 1', 'run: authorized A'],
    ['lost', 'authorized A of 1', 'run: authorized A'],
    ['expired', 'charge_scheduled A of 1', 'run: authorized A'],
    ['created', 'charge_failed A of 1', 'run: authorized A'],
    ['authorized A:1', 'authorized A of 1', 'run: authorized A'],
    ['authorized A:1', 'charge_scheduled A', 'run: authorized A'],
    ['paid', 'authorized A of 1', 'run: paid A'],
    ['paid A:1', 'charge_failed A of 1', 'run: paid A'],
    ['created expired', 'authorized A', 'run: created expired A'],
    // What has ended stays so, whatever is told late.
    ['expired A:1!CANCELLED', 'charge_failed A of 1', 'run: expired A!'],
  ])('%s; %s: %s', (order, event, expected) => {
    expect(inWords(orderOf(order), event)).toBe(expected);
  });

  it.each<[string, Partial<RecurrencePayload>, Partial<Recurrence>, string]>([
    ['its sale is booked', { saleToken: 'u' }, {}, 'nothing'],
    ['another sale is booked', { saleToken: 's1' }, {}, 'run'],
    [
      'its due day is paid',
      { chargeDueDate: '2027-02-15 00:00:00' },
      { paid: { dueDate: '2027-02-15' } },
      'nothing',
    ],
    [
      'another due day is paid',
      { chargeDueDate: '2027-03-15 00:00:00' },
      { paid: { dueDate: '2027-02-15' } },
      'run',
    ],
    [
      'paid by a later try, of another sale and another day',
      { saleToken: 's1', chargeDueDate: '2027-02-15 00:00:00', eventDate: '2027-02-15 09:00:00' },
      { paid: { dueDate: '2027-02-18', told: '2027-02-18 09:00:00' } },
      'nothing',
    ],
    [
      'the month after is not made up for',
      { saleToken: 's2', chargeDueDate: '2027-03-15 00:00:00', eventDate: '2027-03-15 09:00:00' },
      { paid: { dueDate: '2027-02-18', told: '2027-02-18 09:00:00' } },
      'run',
    ],
    ['neither says when', { saleToken: 's1' }, { paid: {} }, 'run'],
  ])('a failure, and a charge that is scheduled, where %s', (_, fields, known, expected) => {
    const recurrences = [{ idRec: 'A', attempt: 1, status: 'APPROVED', ...known }];
    for (const event of ['charge_failed A of 1', 'charge_scheduled A of 1']) {
      expect(inWords(orderOf('paid', { recurrences }), event, fields)).toBe(`${expected}: paid A`);
    }
  });

  it('is overtaken by its payment in another spelling of its sale', () => {
    const sale = '0B3C1F5E-6B1D-4C5E-9C8E-1D2F3A4B5C6D';
    const paid = { sale, attempt: 1, amount: 29.9, currency: 'BRL', at: 1 };
    const order = orderOf('paid A:1', { payments: [paid] });
    const failed = { saleToken: sale.toLowerCase(), chargeDueDate: '2027-02-15' };
    expect(inWords(order, 'charge_failed A of 1', failed)).toBe('nothing: paid A');
  });

  it('ends the QR code of a journey whose payer has rejected, as if its `maxAge` were over', () => {
    const [attempt] = decideEvent(orderOf('created'), eventOf('rejected A of 1'), NOW).order.attempts;
    expect(attempt).toMatchObject({ state: 'created', aliveUntil: NOW });
    const [before] = decideEvent(
      { ...orderOf('created'), attempts: [attemptIn(1, 'created', { aliveUntil: 5 })] },
      eventOf('rejected A of 1'),
      NOW,
    ).order.attempts;
    expect(before).toMatchObject({ aliveUntil: 5 });
  });

  it('keeps no QR code of what is authorized', () => {
    const attempts = [attemptIn(1, 'created', { qrCode: { plain: 'qr' } })];
    const { order } = decideEvent(
      { ...orderOf(''), newest: undefined, attempts },
      eventOf('authorized A of 1'),
      NOW,
    );
    expect(order.attempts[0]).not.toHaveProperty('qrCode');
  });
});

describe('what an order remembers of a recurrence', () => {
  const withEvent = (order: Order, text: string, fields?: Partial<RecurrencePayload>) =>
    decideEvent(order, eventOf(text, fields), NOW).order;
  const remembered = (order: Order) => order.recurrences?.at(-1);

  it('has the newest charge, and when it is charged next', () => {
    let order = withEvent(orderOf('paid'), 'authorized A of 1', {
      nextRecurrenceDate: '2027-02-15 00:00:00',
      eventDate: '2027-01-15 10:00:00',
    });
    expect(remembered(order)).toMatchObject({
      idRec: 'A',
      attempt: 1,
      status: 'APPROVED',
      nextChargeAt: '2027-02-15 00:00:00',
    });
    order = withEvent(order, 'charge_failed A of 1', {
      saleToken: 's1',
      chargeAmount: 29.9,
      chargeDueDate: '2027-02-15 00:00:00',
      rejectionCode: 'AM04',
      retryScheduled: true,
      nextRecurrenceDate: '2027-02-18 00:00:00',
      eventDate: '2027-02-15 10:00:00',
    });
    const failed = {
      sale: 's1',
      amount: 29.9,
      dueDate: '2027-02-15',
      status: 'FAILED',
      code: 'AM04',
      willRetry: true,
    };
    expect(remembered(order)).toMatchObject({ nextChargeAt: '2027-02-18 00:00:00', charge: failed });
    // An older one that comes late changes neither.
    order = withEvent(order, 'charge_scheduled A of 1', {
      saleToken: 's1',
      chargeDueDate: '2027-02-15 00:00:00',
      nextRecurrenceDate: '2027-02-15 00:00:00',
      eventDate: '2027-02-10 10:00:00',
    });
    expect(remembered(order)).toMatchObject({ nextChargeAt: '2027-02-18 00:00:00', charge: failed });
    order = withEvent(order, 'cancelled A of 1', { nextRecurrenceDate: '2027-03-15 00:00:00' });
    expect(remembered(order)).toMatchObject({ status: 'CANCELLED', nextChargeAt: undefined });
  });

  it('forgets why it was not the order’s, once it is', () => {
    const given = orderOf('expired created A:1!CANCELLED B:2?');
    expect(given.recurrences?.[1]).toHaveProperty('refused');
    expect(remembered(withEvent(given, 'authorized B of 2'))).not.toHaveProperty('refused');
  });

  it('says by the event how the recurrence stands, not by a field that nobody has checked', () => {
    expect(
      remembered(withEvent(orderOf('created'), 'authorized A of 1', { status: 'CANCELLED' })),
    ).toMatchObject({
      status: 'APPROVED',
    });
  });

  it('is bounded to 20, and never without the oldest that lives', () => {
    let order = withEvent(orderOf('created'), 'rejected A of 1');
    order = withEvent(order, 'authorized B of 1');
    for (let forged = 0; forged < 60; forged += 1) {
      order = decideEvent(order, { ...eventOf('authorized C of 1'), idRec: `forged-${forged}` }, NOW).order;
    }
    const ids = order.recurrences?.map(({ idRec }) => idRec);
    expect(ids).toHaveLength(20);
    expect(ids?.[0]).toBe('B');
    expect(ids?.at(-1)).toBe('forged-59');
  });

  it('has nothing of a person, and no bank’s text', () => {
    const order = withEvent(orderOf('created'), 'charge_failed A of 1', {
      payerName: 'MARIA SILVA',
      payerDocument: '12345678909',
      contractDescription: 'Plano da Maria',
      rejectionReason: 'Conta de MARIA bloqueada',
      rejectionCode: 'x'.repeat(5_000),
      nextRecurrenceDate: 'y'.repeat(5_000),
      eventDate: 'z'.repeat(5_000),
      chargeDueDate: 'w'.repeat(5_000),
    });
    const text = JSON.stringify(order);
    expect(text).not.toMatch(/maria|12345678909|bloqueada/i);
    expect(JSON.stringify(order.recurrences).length).toBeLessThan(500);
  });

  it('names the event as the callback does', () => {
    const names: RecurrenceEvent[] = [
      'authorized',
      'rejected',
      'expired',
      'cancelled',
      'concluded',
      'charge_scheduled',
      'charge_failed',
    ];
    for (const name of names) expect(eventOf(`${name} A of 1`).event).toBe(name);
  });
});

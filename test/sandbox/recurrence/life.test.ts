import { readFileSync } from 'node:fs';
import { type Inventions, SandboxError, type SandboxOptions, sequentialIds } from 'pix-automatic-sdk/sandbox';
import { recurrencePayloadSchema } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../src/service/schema';
import { openJourney, openListener, openSandbox, order } from '../helpers';
import { events, fields } from './facts';

const DAY = 24 * 60 * 60 * 1000;
const withoutPayment = { ...order, recurrence: { ...order.recurrence, immediatePayment: false } };
const listed = { webhookUrl: 'http://127.0.0.1:1/hooks' };

/** A journey whose events are sent, and a clock that the test moves. */
async function open(
  inventions: Partial<Inventions> = {},
  request: object = order,
  more: SandboxOptions = {},
) {
  let now = Date.UTC(2031, 0, 1, 15);
  const options = { inventions: { recurrenceEvents: 'events' as const, ...inventions }, now: () => now };
  const journey = await openJourney({ ...listed, ...options, ...more }, request);
  const { sandbox, uuid } = journey;
  const sent = () => sandbox.deliveries.map(({ payload }) => payload as Record<string, unknown>);
  /** What was sent, in one line. */
  const trace = () =>
    sent()
      .map(({ eventType, newStatus, chargeDueDate, rejectionCode, retryScheduled, amount, eventDate }) =>
        eventType === undefined
          ? `${newStatus} ${amount}`
          : [
              String(eventType).replace('RECURRENCE_', ''),
              String(chargeDueDate ?? '').slice(0, 10),
              rejectionCode,
              retryScheduled === true ? `again, told ${String(eventDate).slice(0, 10)}` : undefined,
            ]
              .filter(Boolean)
              .join(' '),
      )
      .join(', ');
  const payment = (index: number) => sandbox.scheduledPayments(uuid)[index];
  return { ...journey, sent, trace, payment, advance: (ms: number) => (now += ms) };
}

function codeOf(move: () => unknown): string {
  try {
    move();
    return 'done';
  } catch (error) {
    if (error instanceof SandboxError) return error.code;
    throw error;
  }
}

describe('the life of a recurrence', () => {
  it('begins with the payment, and is charged month by month, from its calendar', async () => {
    const { sandbox, uuid, trace, payment, query } = await open();
    sandbox.pay(uuid);
    for (let month = 0; month < 4; month++) sandbox.charge(uuid);
    expect(trace()).toBe(
      'PAID 59.7, AUTHORIZED, ' +
        'CHARGE_SCHEDULED 2031-01-31, CHARGE_PAID 2031-01-31, CHARGE_SCHEDULED 2031-02-28, CHARGE_PAID 2031-02-28, ' +
        'CHARGE_SCHEDULED 2031-03-31, CHARGE_PAID 2031-03-31, CHARGE_SCHEDULED 2031-04-30, CHARGE_PAID 2031-04-30',
    );
    expect(sandbox.transactions).toHaveLength(1);
    expect(sandbox.transactions[0]?.recurrence).toMatchObject({
      status: 'APPROVED',
      nextDueDate: '2031-05-31',
    });
    const sale = await query(payment(3)?.saleUUID ?? '');
    expect(sale).toMatchObject({ situation: 'PAID', amount: 29.9, referenceCode: 'order-1' });
  });

  it('begins with an authorization that charges nothing, where there is no immediate payment', async () => {
    const { sandbox, uuid, trace, query } = await open({}, withoutPayment);
    expect(sandbox.transactions[0]).toMatchObject({ isAuthorized: false, recurrence: { status: 'CREATED' } });
    sandbox.pay(uuid);
    expect(trace()).toBe('AUTHORIZED');
    expect(await query(uuid)).toMatchObject({ situation: 'PENDING' });
    expect(sandbox.transactions[0]).toMatchObject({ isAuthorized: true, recurrence: { status: 'APPROVED' } });
    expect(codeOf(() => sandbox.pay(uuid))).toBe('not-allowed');
  });

  it('may be authorized before the immediate payment, which is then made, and is told of once', async () => {
    const { sandbox, uuid, trace } = await open();
    expect(sandbox.authorize(uuid)).toHaveLength(3);
    expect(codeOf(() => sandbox.authorize(uuid))).toBe('not-allowed');
    sandbox.pay(uuid);
    expect(trace()).toBe('AUTHORIZED, PAID 59.7');
    expect(sandbox.transactions[0]).toMatchObject({ situation: 'PAID', isAuthorized: false });
  });

  it('has a month that fails, is tried again on other days, three times at most, and is paid', async () => {
    const { sandbox, uuid, trace, payment, advance } = await open();
    sandbox.pay(uuid);
    for (const fails of ['AM04', 'AC06'] as const) sandbox.charge(uuid, { fails, willRetry: true });
    advance(3 * DAY);
    sandbox.charge(uuid, { fails: 'AM04', willRetry: true });
    expect(codeOf(() => sandbox.charge(uuid, { fails: 'AM04', willRetry: true }))).toBe('not-allowed');
    sandbox.charge(uuid);
    expect(trace()).toBe(
      'PAID 59.7, AUTHORIZED, CHARGE_SCHEDULED 2031-01-31, ' +
        'CHARGE_FAILED 2031-01-31 AM04 again, told 2031-01-01, CHARGE_FAILED 2031-01-31 AC06 again, told 2031-01-02, ' +
        'CHARGE_FAILED 2031-01-31 AM04 again, told 2031-01-04, CHARGE_PAID 2031-01-31',
    );
    expect(payment(0)).toMatchObject({ status: 'PAID', tries: { length: 4 } });
    expect(payment(0)?.tries.map(({ date, status }) => [date.slice(0, 10), status])).toEqual([
      ['2031-01-01', 'FAILED'],
      ['2031-01-02', 'FAILED'],
      ['2031-01-04', 'FAILED'],
      ['2031-01-05', 'PAID'],
    ]);
    expect(new Set(payment(0)?.tries.map(({ saleUUID }) => saleUUID)).size).toBe(1);
  });

  it('goes on with the next month after one that failed for good', async () => {
    const { sandbox, uuid, payment, query } = await open();
    sandbox.pay(uuid);
    const failed = sandbox.charge(uuid, { fails: 'MD01' });
    expect(failed).toMatchObject({ status: 'FAILED', tries: [{ code: 'MD01', willRetry: false }] });
    expect(await query(failed.saleUUID ?? '')).toMatchObject({ situation: 'PENDING' });
    expect(sandbox.charge(uuid)).toMatchObject({ dueDate: '2031-02-28', status: 'PAID' });
    expect(payment(0)?.status).toBe('FAILED');
  });

  it.each([
    ['the payer cancels', 'cancelByPayer', 'CANCELLED'],
    ['its period is over', 'concludeRecurrence', 'CONCLUDED'],
  ] as const)('ends when %s: nothing is left to charge', async (_when, move, status) => {
    const { sandbox, uuid, trace } = await open();
    expect(
      codeOf(() => sandbox[move](uuid)),
      'before it is accepted',
    ).toBe('not-allowed');
    sandbox.pay(uuid);
    sandbox[move](uuid);
    expect(trace()).toBe(`PAID 59.7, AUTHORIZED, ${status}`);
    expect(() => sandbox.charge(uuid)).toThrow(`The recurrence is ${status}: nothing is left to charge`);
    expect(codeOf(() => sandbox[move](uuid))).toBe('not-allowed');
    expect(sandbox.scheduledPayments(uuid).map((payment) => payment.status)).toEqual(
      Array(3).fill('CANCELLED'),
    );
    expect(sandbox.transactions[0]?.recurrence).toEqual({ idRec: expect.any(String), status });
  });

  it.each([
    ['is refused', 'rejectRecurrence', 'REJECTED'],
    ['is not answered in time', 'expireRecurrence', 'EXPIRED'],
  ] as const)('never begins where it %s', async (_when, move, status) => {
    const { sandbox, uuid, trace } = await open();
    sandbox[move](uuid);
    expect(trace()).toBe(status);
    for (const refused of [sandbox.pay, sandbox.authorize, sandbox.charge, sandbox[move]]) {
      expect(codeOf(() => refused(uuid))).toBe('not-allowed');
    }
  });

  it('is not charged after its last date, before the payer has accepted it, or by another id', async () => {
    const calendar = { initialDate: '2031-01-31', finalDate: '2031-02-28', periodicity: 'MONTHLY' };
    const { sandbox, uuid } = await open({}, { ...order, recurrence: { ...order.recurrence, calendar } });
    expect(() => sandbox.charge(uuid)).toThrow('A journey that is PENDING cannot be charged: `pay` first.');
    sandbox.pay(uuid);
    const { saleUUID = '' } = sandbox.charge(uuid);
    for (const move of [sandbox.charge, sandbox.pay, sandbox.cancelTransaction, sandbox.cancelByPayer]) {
      expect(
        codeOf(() => move(saleUUID)),
        'the sale of a charge',
      ).toBe('unknown');
    }
    sandbox.charge(uuid);
    expect(() => sandbox.charge(uuid)).toThrow(
      'Nothing is left to charge: the last date of the recurrence is 2031-02-28.',
    );
  });

  it.each<[why: string, options: object, says: string]>([
    ['another code', { fails: 'XX01' }, '`fails` to be one of AM04'],
    ['a retry of what is paid', { willRetry: true }, 'Only a charge that fails is tried again'],
    ['an amount of nothing', { amount: 0 }, '`amount` must be a number above 0'],
    ['an unknown option', { fail: 'AM04' }, 'mean `fails`?'],
  ])('is not charged with %s', async (_why, options, says) => {
    const { sandbox, uuid, sent } = await open();
    sandbox.pay(uuid);
    const before = sandbox.scheduledPayments(uuid);
    expect(() => sandbox.charge(uuid, options as never)).toThrow(says);
    expect([sandbox.scheduledPayments(uuid), sent().length]).toEqual([before, 2]);
  });

  it('has for each charge its own sum, which the event, the sale and the calendar tell', async () => {
    const { sandbox, uuid, sent, query } = await open(
      {},
      {
        ...order,
        recurrence: {
          ...order.recurrence,
          amount: { recurrenceAmount: 29.9, valueType: 'VARIABLE', debitorMinimumAmount: 10 },
        },
      },
    );
    sandbox.pay(uuid);
    sandbox.charge(uuid, { amount: 12, fails: 'AM04', willRetry: true });
    const { saleUUID = '', amount } = sandbox.charge(uuid, { amount: 15.5 });
    expect(amount).toBe(15.5);
    expect(sent().slice(2)).toMatchObject([
      { chargeStatus: 'SCHEDULED', chargeAmount: 12, amount: 29.9, valueType: 'VARIABLE' },
      { chargeStatus: 'FAILED', chargeAmount: 12 },
      { chargeStatus: 'PAID', chargeAmount: 15.5 },
    ]);
    expect(await query(saleUUID)).toMatchObject({ amount: 15.5 });
  });

  it('has an id of its own, also in a sandbox that was started anew', async () => {
    const ids = await Promise.all([open(), open()]);
    const recurrences = ids.map(({ sandbox }) => sandbox.transactions[0]?.recurrence.idRec);
    for (const idRec of recurrences) expect(idRec).toMatch(/^RR\d{27}$/);
    expect(new Set(recurrences).size).toBe(2);
  });

  it('sends nothing about a hidden journey', async () => {
    const { sandbox, uuid, sent } = await open();
    sandbox.hideTransaction(uuid);
    sandbox.pay(uuid);
    sandbox.charge(uuid);
    expect(sent()).toEqual([]);
  });
});

describe('the rows of the table of inventions', () => {
  it.each<[Inventions['recurrenceEvents'], string]>([
    ['events', 'PAID 59.7, AUTHORIZED, CHARGE_SCHEDULED 2031-01-31, CHARGE_PAID 2031-01-31, CANCELLED'],
    ['payments', 'PAID 59.7, PAID 29.9'],
    [
      'both',
      'PAID 59.7, AUTHORIZED, CHARGE_SCHEDULED 2031-01-31, CHARGE_PAID 2031-01-31, PAID 29.9, CANCELLED',
    ],
    ['none', 'PAID 59.7'],
  ])('recurrenceEvents: %s', async (recurrenceEvents, expected) => {
    const { sandbox, uuid, sent, trace, payment } = await open({ recurrenceEvents });
    sandbox.pay(uuid);
    sandbox.charge(uuid);
    sandbox.cancelByPayer(uuid);
    expect(trace()).toBe(expected);
    const sales = sent().flatMap(({ saleToken }) =>
      saleToken === undefined || saleToken === uuid ? [] : [saleToken],
    );
    for (const sale of sales) expect(sale).toBe(payment(0)?.saleUUID);
    // June's form: a token of its own, and the reference of the journey.
    if (recurrenceEvents === 'payments') {
      expect(sent()[1]).toMatchObject({
        saleToken: payment(0)?.saleUUID,
        referenceCode: 'order-1',
        newStatus: 'PAID',
      });
    }
  });

  it.each<[Inventions['chargeReference'], unknown]>([
    ['journey', 'order-1'],
    ['own', expect.stringMatching(/^S\d+$/)],
    ['none', undefined],
  ])(
    'chargeReference: %s, of its transaction and its refund; the event names the order',
    async (chargeReference, expected) => {
      const { sandbox, uuid, query, sent } = await open({ chargeReference });
      sandbox.pay(uuid);
      const { saleUUID = '' } = sandbox.charge(uuid);
      sandbox.refund(saleUUID, { amount: 1 });
      expect((await query(saleUUID)).referenceCode).toEqual(expected);
      expect(sent().at(-1)).toMatchObject({ saleToken: saleUUID, refund: { amount: 1 } });
      expect(sent().at(-1)?.['referenceCode']).toEqual(expected);
      expect(sent().at(-2)).toMatchObject({ eventType: 'RECURRENCE_CHARGE_PAID', externalId: 'order-1' });
    },
  );

  it.each([
    ['same', 1],
    ['new', 2],
  ] as const)('retriedSale: %s', async (retriedSale, count) => {
    const { sandbox, uuid, sent, payment } = await open({ retriedSale });
    sandbox.pay(uuid);
    sandbox.charge(uuid, { fails: 'AM04', willRetry: true });
    sandbox.charge(uuid);
    const sales = sent()
      .slice(2)
      .map(({ saleToken }) => saleToken);
    expect(new Set(sales).size).toBe(count);
    expect(sales.at(-1)).toBe(payment(0)?.saleUUID);
  });

  it('of the public pages say so, in both languages', async () => {
    const { inventionTable } = await import('pix-automatic-sdk/sandbox');
    const ofThePages = Object.entries(inventionTable).filter(([, { about }]) =>
      about[0].includes("the service's public pages"),
    );
    expect(ofThePages.map(([row]) => row)).toEqual([
      'recurrenceEvents',
      'recurrencePlan',
      'recurrenceIds',
      'dueTime',
      'rejectionReason',
      'chargeReference',
      'retriedSale',
      'retryDay',
      'failedCharge',
      'payerIspb',
      'recurrenceCredentials',
      'unknownRecurrence',
      'recurrenceEnded',
      'invalidRecurrenceCall',
    ]);
    for (const [, { about }] of ofThePages) expect(about[1]).toContain('páginas públicas do serviço');
  });
});

describe('the body of each event', () => {
  const moves: Readonly<Record<string, (journey: Awaited<ReturnType<typeof open>>) => unknown>> = {
    RECURRENCE_AUTHORIZED: ({ sandbox, uuid }) => sandbox.authorize(uuid),
    RECURRENCE_REJECTED: ({ sandbox, uuid }) => sandbox.rejectRecurrence(uuid),
    RECURRENCE_EXPIRED: ({ sandbox, uuid }) => sandbox.expireRecurrence(uuid),
    RECURRENCE_CANCELLED: ({ sandbox, uuid }) => [sandbox.pay(uuid), sandbox.cancelByPayer(uuid)],
    RECURRENCE_CONCLUDED: ({ sandbox, uuid }) => [sandbox.pay(uuid), sandbox.concludeRecurrence(uuid)],
    RECURRENCE_CHARGE_SCHEDULED: ({ sandbox, uuid }) => [sandbox.pay(uuid), sandbox.charge(uuid)],
    RECURRENCE_CHARGE_PAID: ({ sandbox, uuid }) => [sandbox.pay(uuid), sandbox.charge(uuid)],
    RECURRENCE_CHARGE_FAILED: ({ sandbox, uuid }) => [
      sandbox.pay(uuid),
      sandbox.charge(uuid, { fails: 'AM04' }),
    ],
  };
  const isOfCharge = (event: string) => event.startsWith('RECURRENCE_CHARGE_');
  const isOpenEnded = (event: string) => event === 'RECURRENCE_CANCELLED';

  it('is one of the facts, and each fact is one', () => {
    expect(Object.keys(moves)).toEqual(Object.keys(events));
    expect(fields).toHaveLength(23);
  });

  it.each(Object.keys(moves))(
    '%s has the fields of the facts, of their types and values, and no other',
    async (event) => {
      const { finalDate: _, ...calendar } = order.recurrence.calendar;
      const request = isOpenEnded(event)
        ? { ...order, recurrence: { ...order.recurrence, calendar } }
        : order;
      const journey = await open({}, request);
      moves[event]?.(journey);
      const { uuid, sent } = journey;
      const [body = {}] = sent().filter(({ eventType }) => eventType === event);
      const isLive = isOfCharge(event) || event === 'RECURRENCE_AUTHORIZED';
      const expected = fields.filter(
        ({ field, of }) =>
          (of === 'all' || (of === 'charge' && isOfCharge(event)) || event === 'RECURRENCE_CHARGE_FAILED') &&
          // Nothing is charged next where it has ended.
          (field !== 'nextRecurrenceDate' || isLive),
      );
      expect(Object.keys(body).sort()).toEqual(expected.map(({ field }) => field).sort());
      for (const { field, types, values } of expected) {
        const value = body[field];
        expect(types, field).toContain(value === null ? 'null' : typeof value);
        if (values.length > 0) expect(values, field).toContain(value);
        if (field.endsWith('Date') && value !== null) {
          expect(value, field).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
        }
      }
      expect(body['status']).toBe(events[event] ?? 'APPROVED');
      expect(body['finalDate']).toBe(isOpenEnded(event) ? null : '2031-12-31 00:00:00');
      expect(body).toMatchObject({
        externalId: 'order-1',
        planId: 'plan-1',
        contractId: 'plan-1',
        amount: 29.9,
      });
      if (isOfCharge(event)) expect(body['saleToken']).not.toBe(uuid);
      expect(validate(recurrencePayloadSchema, body)).toMatchObject({ value: body });
    },
  );
});

it('with recurrenceEvents none, the listener gets byte for byte what the document alone gave it', async () => {
  const { url, received } = await openListener();
  const { sandbox, create, call } = await openSandbox({
    ids: sequentialIds(),
    now: () => Date.UTC(2031, 0, 1, 2, 59, 59),
    webhookUrl: url,
    inventions: { recurrenceEvents: 'none' },
  });
  const then = async (move: () => unknown) => {
    move();
    await sandbox.idle();
  };
  const { uuid: paid } = await create();
  const { uuid: authorized } = await create({ ...withoutPayment, referenceCode: 'order-2' });
  await then(() => sandbox.pay(paid));
  await then(() => sandbox.pay(authorized));
  await then(() => sandbox.charge(paid));
  await then(() => sandbox.charge(paid, { fails: 'AM04' }));
  await then(() =>
    sandbox.cancelScheduledPayment(sandbox.scheduledPayments(paid)[2]?.instructionId ?? '', 'moved'),
  );
  await then(() => sandbox.refund(paid, { amount: 10 }));
  await then(() => sandbox.reverse(paid, { amount: 5, complete: true }));
  await then(() => sandbox.reverse(paid, { amount: 5, cancel: true }));
  await then(() => sandbox.payOut({ amount: 7 }));
  await then(() => sandbox.payOut({ amount: 7, fail: 'PE0003', reason: 'closed' }));
  await then(() => sandbox.notify({ own: 1 }, 'type=own'));
  const seen = received.map(({ method, url, headers: { host: _, ...headers }, body }) => ({
    method,
    url,
    headers,
    body,
  }));
  const before = readFileSync(new URL('document-alone.json', import.meta.url), 'utf8');
  expect(seen).toEqual(JSON.parse(before));
  // Nor are the calls of the public pages there.
  const { idRec } = sandbox.transactions[0]?.recurrence ?? { idRec: '' };
  expect((await call('GET', `/v1.1/pix-automatic/authorizations/${idRec}`)).status).toBe(404);
  expect(await (await call('GET', '/v1.1/pix-automatic/scheduled-payments')).json()).toMatchObject({
    status: -1,
  });
});

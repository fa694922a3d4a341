import { explainPixCode } from 'pix-automatic-sdk/pix';
import { parseNotification } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { scheduledCharge } from '../../examples/recurrence-notifications/scheduled-charge';
import { openSandbox, order, readJson } from './helpers';

/** A sandbox with a journey, and with a listener that accepts no notification. */
async function openJourney(request: object = order) {
  const opened = await openSandbox({ webhookUrl: 'http://127.0.0.1:1/' });
  const { uuid } = await opened.create(request);
  const payloads = () =>
    opened.sandbox.deliveries
      .map(({ payload }) => payload as Record<string, unknown>)
      .filter(({ invented }) => invented);
  const lines = () =>
    payloads().map(({ dueDate, date, attempt, status, code = '' }) =>
      [dueDate, date, attempt, status, code].join(' ').trim(),
    );
  return { ...opened, uuid: uuid as string, payloads, lines };
}

describe('sandbox.playScenario', () => {
  it('plays three failures and a payment within seven days, and pays the journey first', async () => {
    const { sandbox, uuid, payloads, lines, query } = await openJourney();
    const { steps, sent } = sandbox.playScenario('no-funds-three-times', uuid);
    expect([steps, sent]).toEqual([5, payloads()]);
    expect(lines()).toEqual([
      '2031-01-31 2031-01-21 0 SCHEDULED',
      '2031-01-31 2031-01-31 1 CANCELLED FAIL',
      '2031-01-31 2031-02-02 2 CANCELLED FAIL',
      '2031-01-31 2031-02-04 3 CANCELLED FAIL',
      '2031-01-31 2031-02-06 4 PAID',
    ]);
    expect((await query(uuid)).situation).toBe('PAID');
    expect(sandbox.scheduledPayments(uuid)[0]?.status).toBe('PAID');
  });

  it('marks each notification as invented, and sends it with the query of a recurrence', async () => {
    const { sandbox, uuid, payloads } = await openJourney();
    sandbox.playScenario('payer-cancels', uuid);
    const [first] = sandbox.scheduledPayments(uuid);
    expect(payloads()).toHaveLength(6);
    expect(payloads()[1]).toEqual({
      invented: 'by the sandbox',
      transactionUUID: uuid,
      instructionId: first?.instructionId,
      dueDate: '2031-01-31',
      date: '2031-01-30',
      amount: 29.9,
      attempt: 1,
      status: 'CANCELLED',
      code: 'SLBD',
    });
    const codes = payloads().flatMap(({ code }) => code ?? []);
    expect(codes).toEqual(['SLBD', 'CCLD']);
    for (const code of codes) expect(explainPixCode(code as string, 'charge-cancelled')).toBeDefined();
    expect(sandbox.deliveries.at(-1)?.url).toContain('type=recurrence');
  });

  it('plays a whole year, whose payments it schedules, up to the journey’s final date', async () => {
    const endless = { ...order.recurrence.calendar, finalDate: undefined };
    const request = { ...order, recurrence: { ...order.recurrence, calendar: endless } };
    const year = await openJourney(request);
    expect(year.sandbox.pay(year.uuid)).toHaveLength(3);
    year.sandbox.playScenario('happy-year', year.uuid);
    const paid = year.sandbox.scheduledPayments(year.uuid).filter(({ status }) => status === 'PAID');
    expect(paid.map(({ dueDate }) => dueDate.slice(0, 7))).toEqual(
      Array.from({ length: 12 }, (_, month) => `2031-${String(month + 1).padStart(2, '0')}`),
    );
    expect(year.lines()).toHaveLength(24);

    const calendar = { ...order.recurrence.calendar, finalDate: '2031-02-01' };
    const short = await openJourney({ ...order, recurrence: { ...order.recurrence, calendar } });
    expect(short.sandbox.playScenario('happy-year', short.uuid).steps).toBe(2);
  });

  it('starts at the first payment of a journey without dates', async () => {
    const { sandbox, uuid } = await openJourney({
      ...order,
      recurrence: { ...order.recurrence, calendar: undefined },
    });
    const [first] = sandbox.pay(uuid).map(({ dueDate }) => dueDate);
    const dates = sandbox.playScenario('happy-year', uuid).sent.map(({ dueDate }) => dueDate);
    expect(new Set(dates).size).toBe(12);
    expect(dates[0]).toBe(first);
  });

  it('sends notifications that the example’s definition reads, each with its own key', async () => {
    for (const name of ['happy-year', 'no-funds-three-times', 'payer-cancels'] as const) {
      const { sandbox, uuid } = await openJourney();
      const { sent } = sandbox.playScenario(name, uuid);
      const read = sent.map((body) =>
        parseNotification({ query: 'type=recurrence', body, kinds: [scheduledCharge] }),
      );
      expect(new Set(read.map(({ kind }) => kind))).toEqual(new Set(['scheduledCharge']));
      expect(new Set(read.map(({ key }) => key)).size).toBe(sent.length);
    }
  });

  it('plays one step at a time, and the same step again without an error', async () => {
    const { sandbox, uuid, lines } = await openJourney();
    for (const step of [1, 2, 5, 5])
      expect(sandbox.playScenario('no-funds-three-times', uuid, { step }).sent).toHaveLength(1);
    expect(lines().map((line) => line.slice(22))).toEqual([
      '0 SCHEDULED',
      '1 CANCELLED FAIL',
      '4 PAID',
      '4 PAID',
    ]);
  });

  it('schedules the payments of a journey that is paid and has none yet', async () => {
    const { sandbox, create } = await openSandbox({ inventions: { scheduledPayments: 0 } });
    const { uuid } = await create(order);
    expect(sandbox.pay(uuid as string)).toEqual([]);
    expect(sandbox.playScenario('no-funds-three-times', uuid as string).sent).toHaveLength(5);
  });

  it('says that no payment is due of a journey whose last date comes first', async () => {
    const calendar = { ...order.recurrence.calendar, initialDate: undefined, finalDate: '2020-01-01' };
    const { sandbox, uuid } = await openJourney({ ...order, recurrence: { ...order.recurrence, calendar } });
    expect(sandbox.playScenario('happy-year', uuid)).toEqual({ steps: 0, sent: [] });
    expect(() => sandbox.playScenario('happy-year', uuid, { step: 1 })).toThrow(
      'This journey has no steps to play: its `finalDate` comes before its first payment.',
    );
  });

  it('refuses a step, a scenario and a journey that do not exist, and sends nothing', async () => {
    const { sandbox, uuid, payloads } = await openJourney();
    for (const step of [0, 6, 1.5, Number.NaN])
      expect(() => sandbox.playScenario('no-funds-three-times', uuid, { step })).toThrow('steps 1 to 5');
    expect(() => sandbox.playScenario('toString' as 'happy-year', uuid)).toThrow(
      'Expected one of happy-year,',
    );
    expect(() => sandbox.playScenario('happy-year', 'nope')).toThrow();
    expect(payloads()).toEqual([]);
  });

  it('can be called as a control call', async () => {
    const { call, uuid, lines } = await openJourney();
    const play = (body: object) => call('POST', `/sandbox/transactions/${uuid}/scenario`, body);
    const answer = await play({ name: 'payer-cancels', step: 2 });
    expect([answer.status, await readJson(answer)]).toMatchObject([
      200,
      { steps: 6, sent: [{ code: 'SLBD' }] },
    ]);
    expect(lines()).toHaveLength(1);
    expect((await play({ name: 'nope' })).status).toBe(400);
    expect((await play({})).status).toBe(400);
  });
});

import { SandboxError } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { openSandbox, order } from './helpers';

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof SandboxError) return error.code;
    throw error;
  }
  return undefined;
}

describe('a journey without an immediate payment', () => {
  it('is authorized by `pay`, charges nothing, and takes its payments from its calendar', async () => {
    const { sandbox, create, query } = await openSandbox();
    const recurrence = { ...order.recurrence, immediatePayment: false };
    const { uuid } = await create({ ...order, amount: undefined, recurrence });
    const payments = sandbox.pay(uuid);
    expect(payments.map(({ dueDate, amount }) => [dueDate, amount])).toEqual([
      ['2031-01-31', 29.9],
      ['2031-02-28', 29.9],
      ['2031-03-31', 29.9],
    ]);
    expect(sandbox.transactions).toMatchObject([{ situation: 'PENDING', isAuthorized: true }]);
    expect(await query(uuid)).toMatchObject({ situation: 'PENDING', refunds: { available: 0 } });
    expect(codeOf(() => sandbox.pay(uuid))).toBe('not-allowed');
    expect(codeOf(() => sandbox.refund(uuid))).toBe('not-allowed');
    expect(sandbox.payScheduledPayment(payments[0]?.instructionId ?? '').status).toBe('PAID');
  });
});

describe('refunds', () => {
  it('add up without a binary remainder', async () => {
    const { sandbox, create, query } = await openSandbox();
    const { uuid } = await create();
    sandbox.pay(uuid);
    const first = sandbox.refund(uuid, { amount: 19.9, reason: 'one' });
    expect((await query(uuid)).refunds).toMatchObject({ available: 39.8, quantity: 1, requested: 19.9 });
    const second = sandbox.refund(uuid, { amount: 0.1 });
    const rest = sandbox.refund(uuid);
    expect(rest.amount).toBe(39.7);

    const { refunds } = await query(uuid);
    expect(refunds).toMatchObject({ available: 0, quantity: 3, requested: 59.7 });
    expect(refunds.transactions.map(({ uuid }: { uuid: string }) => uuid)).toEqual([
      first.uuid,
      second.uuid,
      rest.uuid,
    ]);
    expect(refunds.transactions[0]).toEqual({
      bankDetails: { account: '123456-7', bank: 'SANDBOX', branch: '0001' },
      creation: first.creation,
      creditDate: first.creditDate,
      creditTransferDetails: { referenceCode: order.referenceCode, saleUUID: uuid, total: 19.9 },
      remark: 'one',
      status: 'PAID',
      total: 19.9,
      uuid: first.uuid,
    });
  });

  it('cannot exceed what is left, be zero, or come before the payment', async () => {
    const { sandbox, create } = await openSandbox();
    const { uuid } = await create();
    expect(codeOf(() => sandbox.refund(uuid))).toBe('not-allowed');
    sandbox.pay(uuid);
    for (const amount of [59.71, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(codeOf(() => sandbox.refund(uuid, { amount }))).toBe('invalid');
    }
    sandbox.refund(uuid);
    expect(codeOf(() => sandbox.refund(uuid))).toBe('not-allowed');
  });
});

describe('reversals', () => {
  it('return what refunds and other reversals have left, and never more', async () => {
    const { sandbox, create, query } = await openSandbox();
    const { uuid } = await create();
    sandbox.pay(uuid);
    sandbox.refund(uuid, { amount: 19.9 });
    const first = sandbox.reverse(uuid, { amount: 10 });
    expect(codeOf(() => sandbox.reverse(uuid, { amount: 29.81 }))).toBe('invalid');
    const rest = sandbox.reverse(uuid);
    expect(rest.amount).toBe(29.8);
    expect(codeOf(() => sandbox.reverse(uuid))).toBe('not-allowed');
    expect(codeOf(() => sandbox.refund(uuid))).toBe('not-allowed');
    expect((await query(uuid)).refunds.available).toBe(0);

    sandbox.completeReversal(first.uuid);
    sandbox.cancelReversal(rest.uuid);
    expect((await query(uuid)).refunds.available).toBe(29.8);
    expect(sandbox.reverse(uuid).amount).toBe(29.8);
  });

  it('in progress are named in the refusal when nothing else is left', async () => {
    const { sandbox, create } = await openSandbox();
    const { uuid } = await create();
    sandbox.pay(uuid);
    const first = sandbox.reverse(uuid, { amount: 20 });
    const second = sandbox.reverse(uuid);
    for (const again of [() => sandbox.reverse(uuid), () => sandbox.refund(uuid)]) {
      expect(again).toThrow(`20 (UUID ${first.uuid}) and 39.7 (UUID ${second.uuid})`);
      expect(again).not.toThrow('gone back already');
    }
    expect(sandbox.transactions[0]?.reversals).toMatchObject([
      { uuid: first.uuid, status: 'PENDING', amount: 20 },
      { uuid: second.uuid, status: 'PENDING', amount: 39.7 },
    ]);
    sandbox.completeReversal(first.uuid);
    expect(() => sandbox.reverse(uuid)).toThrow(`39.7 (UUID ${second.uuid})`);
    sandbox.completeReversal(second.uuid);
    expect(() => sandbox.reverse(uuid)).toThrow('all of it has gone back already');
  });

  it('return the amount of an unpaid sale once', async () => {
    const { sandbox, create } = await openSandbox();
    const { uuid } = await create();
    expect(sandbox.reverse(uuid).amount).toBe(59.7);
    expect(codeOf(() => sandbox.reverse(uuid))).toBe('not-allowed');
  });
});

describe('scheduled payments', () => {
  it.each([
    ['WEEKLY', ['2031-01-31', '2031-02-07', '2031-02-14', '2031-02-21']],
    ['MONTHLY', ['2031-01-31', '2031-02-28', '2031-03-31', '2031-04-30']],
    ['QUARTERLY', ['2031-01-31', '2031-04-30', '2031-07-31', '2031-10-31']],
    ['HALF_YEARLY', ['2031-01-31', '2031-07-31', '2032-01-31', '2032-07-31']],
    ['YEARLY', ['2031-01-31', '2032-01-31', '2033-01-31', '2034-01-31']],
    ['SEMANAL', ['2031-01-31', '2031-02-07', '2031-02-14', '2031-02-21']],
    ['an unknown one', ['2031-01-31', '2031-02-28', '2031-03-31', '2031-04-30']],
  ])('follow the periodicity %s, to the end of shorter months', async (periodicity, dueDates) => {
    const { sandbox, create } = await openSandbox({ inventions: { scheduledPayments: 4 } });
    const calendar = { initialDate: '2031-01-31', periodicity };
    const { uuid } = await create({ ...order, recurrence: { ...order.recurrence, calendar } });
    expect(sandbox.pay(uuid).map(({ dueDate }) => dueDate)).toEqual(dueDates);
  });

  it('are paid or fail, once', async () => {
    const { sandbox, create } = await openSandbox();
    const [first, second] = sandbox.pay((await create()).uuid).map(({ instructionId }) => instructionId);
    expect(sandbox.failScheduledPayment(first ?? '').status).toBe('FAILED');
    expect(sandbox.payScheduledPayment(second ?? '').status).toBe('PAID');
    expect(codeOf(() => sandbox.payScheduledPayment(first ?? ''))).toBe('not-allowed');
    expect(codeOf(() => sandbox.failScheduledPayment(second ?? ''))).toBe('not-allowed');
  });
});

describe('the sandbox’s model', () => {
  it('pays or cancels a transaction once', async () => {
    const { sandbox, create, query } = await openSandbox();
    const paid = await create();
    sandbox.pay(paid.uuid);
    expect(codeOf(() => sandbox.pay(paid.uuid))).toBe('not-allowed');
    expect(codeOf(() => sandbox.cancelTransaction(paid.uuid))).toBe('not-allowed');

    const cancelled = await create();
    sandbox.cancelTransaction(cancelled.uuid);
    expect((await query(cancelled.uuid)).situation).toBe('CANCELLED');
    expect(codeOf(() => sandbox.pay(cancelled.uuid))).toBe('not-allowed');
  });

  it('ends a reversal once', async () => {
    const { sandbox, create } = await openSandbox();
    const reversal = sandbox.reverse((await create()).uuid);
    expect(sandbox.completeReversal(reversal.uuid).status).toBe('PAID');
    expect(codeOf(() => sandbox.cancelReversal(reversal.uuid))).toBe('not-allowed');
    expect(reversal.status).toBe('PENDING');
  });

  it('names an unknown id as unknown', async () => {
    const { sandbox } = await openSandbox();
    expect(codeOf(() => sandbox.pay('nope'))).toBe('unknown');
    expect(codeOf(() => sandbox.completeReversal('nope'))).toBe('unknown');
    expect(codeOf(() => sandbox.payScheduledPayment('nope'))).toBe('unknown');
    await expect(sandbox.redeliver('nope')).rejects.toMatchObject({ code: 'unknown' });
  });

  it('schedules payments up to the final date, or monthly from the next month', async () => {
    const { sandbox, create } = await openSandbox({ inventions: { scheduledPayments: 14 } });
    const { uuid } = await create();
    expect(sandbox.pay(uuid).at(-1)?.dueDate).toBe('2031-12-31');
    const open = await create({ ...order, recurrence: { immediatePayment: true } });
    expect(sandbox.pay(open.uuid)).toHaveLength(14);
    expect(sandbox.scheduledPayments(open.uuid)[0]).toMatchObject({
      amount: 59.7,
      transactionUUID: open.uuid,
    });
  });
});

import { type Sandbox, SandboxError, type SandboxOptions } from 'pix-automatic-sdk/sandbox';
import { type FailedPayout, payoutFailure } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { credentials, openJourney, openListener, openPaid, openSandbox, order } from '../helpers';

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof SandboxError) return error.code;
    throw error;
  }
  return undefined;
}

const account = { bank: 'SANDBOX', branch: '0001', account: '123456-7' };
const withoutCharge = { ...order, recurrence: { ...order.recurrence, immediatePayment: false } };

describe('a journey without an immediate payment', () => {
  it('is authorized by `pay`, charges nothing, and takes its payments from its calendar', async () => {
    const { sandbox, uuid, query } = await openJourney({}, { ...withoutCharge, amount: undefined });
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
    const { sandbox, uuid, query } = await openPaid();
    const first = sandbox.refund(uuid, { amount: 19.9, reason: 'one' });
    expect((await query(uuid)).refunds).toMatchObject({ available: 39.8, quantity: 1, requested: 19.9 });
    const second = sandbox.refund(uuid, { amount: 0.1 });
    const rest = sandbox.refund(uuid);
    expect(rest.amount).toBe(39.7);

    const { refunds } = await query(uuid);
    expect(refunds).toMatchObject({ available: 0, quantity: 3, requested: 59.7 });
    expect(refunds.transactions).toMatchObject([first, second, rest].map(({ uuid }) => ({ uuid })));
    expect(refunds.transactions[0]).toEqual({
      bankDetails: account,
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
    const { sandbox, uuid } = await openJourney();
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
    const { sandbox, uuid, query } = await openPaid();
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
    const { sandbox, uuid } = await openPaid();
    const first = sandbox.reverse(uuid, { amount: 20 });
    const second = sandbox.reverse(uuid);
    for (const again of [() => sandbox.reverse(uuid), () => sandbox.refund(uuid)]) {
      expect(again).toThrow(`20 (UUID ${first.uuid}), 39.7 (UUID ${second.uuid})`);
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

  it('return the amount of an unpaid sale once, and end once', async () => {
    const { sandbox, uuid } = await openJourney();
    const reversal = sandbox.reverse(uuid);
    expect(reversal.amount).toBe(59.7);
    expect(codeOf(() => sandbox.reverse(uuid))).toBe('not-allowed');
    expect(sandbox.completeReversal(reversal.uuid).status).toBe('PAID');
    expect(codeOf(() => sandbox.cancelReversal(reversal.uuid))).toBe('not-allowed');
    expect(reversal.status).toBe('PENDING');
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
    const calendar = { initialDate: '2031-01-31', periodicity };
    const request = { ...order, recurrence: { ...order.recurrence, calendar } };
    const { sandbox, uuid } = await openJourney({ inventions: { scheduledPayments: 4 } }, request);
    expect(sandbox.pay(uuid).map(({ dueDate }) => dueDate)).toEqual(dueDates);
  });

  it('come up to the final date, or monthly from the next month', async () => {
    const { sandbox, uuid, create } = await openJourney({ inventions: { scheduledPayments: 14 } });
    expect(sandbox.pay(uuid).at(-1)?.dueDate).toBe('2031-12-31');
    const open = await create({ ...order, recurrence: { immediatePayment: true } });
    expect(sandbox.pay(open.uuid)).toHaveLength(14);
    expect(sandbox.scheduledPayments(open.uuid)[0]).toMatchObject({
      amount: 59.7,
      transactionUUID: open.uuid,
    });
  });

  it('are paid or fail, once', async () => {
    const { sandbox, payments } = await openPaid();
    const [first = '', second = ''] = payments;
    expect(sandbox.failScheduledPayment(first).status).toBe('FAILED');
    expect(sandbox.payScheduledPayment(second).status).toBe('PAID');
    expect(codeOf(() => sandbox.payScheduledPayment(first))).toBe('not-allowed');
    expect(codeOf(() => sandbox.failScheduledPayment(second))).toBe('not-allowed');
  });
});

describe('the sandbox’s model', () => {
  it('pays or cancels a transaction once', async () => {
    const { sandbox, uuid, create, query } = await openPaid();
    expect(codeOf(() => sandbox.pay(uuid))).toBe('not-allowed');
    expect(codeOf(() => sandbox.cancelTransaction(uuid))).toBe('not-allowed');

    const cancelled = await create();
    sandbox.cancelTransaction(cancelled.uuid);
    expect((await query(cancelled.uuid)).situation).toBe('CANCELLED');
    expect(codeOf(() => sandbox.pay(cancelled.uuid))).toBe('not-allowed');
  });

  it('names an unknown id as unknown', async () => {
    const { sandbox } = await openSandbox();
    expect(codeOf(() => sandbox.pay('nope'))).toBe('unknown');
    expect(codeOf(() => sandbox.completeReversal('nope'))).toBe('unknown');
    expect(codeOf(() => sandbox.payScheduledPayment('nope'))).toBe('unknown');
    await expect(sandbox.redeliver('nope')).rejects.toMatchObject({ code: 'unknown' });
  });
});

const dateTime = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
const uuidText = expect.stringMatching(/^[0-9a-f-]{36}$/);

/** Does something with a paid journey, and returns the notifications that this sent. */
async function notificationsOf(
  act: (sandbox: Sandbox, uuid: string) => void,
  inventions: SandboxOptions['inventions'] = {},
) {
  const listener = await openListener();
  const { sandbox, journey, uuid } = await openPaid({ inventions });
  sandbox.setWebhookUrl(listener.url);
  act(sandbox, uuid);
  await sandbox.idle();
  const sent = listener.received.map(({ url, body }) => ({ url, payload: JSON.parse(body) }));
  return { journey, sent };
}

/** A paid journey whose notification a listener has received. */
async function openDelivered() {
  const listener = await openListener();
  const opened = await openPaid({ webhookUrl: listener.url });
  await opened.sandbox.idle();
  return { ...opened, request: listener.received[0] };
}

describe('a notification', () => {
  it('is a POST with Basic auth of key and token, and JSON', async () => {
    const { request } = await openDelivered();
    expect(request?.method).toBe('POST');
    expect(request?.url).toBe('/hooks');
    expect(request?.headers['content-type']).toBe('application/json');
    const pair = Buffer.from(`${credentials.apiKey}:${credentials.apiToken}`).toString('base64');
    expect(request?.headers.authorization).toBe(`Basic ${pair}`);
  });

  it("keeps the merchant's own query before its flags", async () => {
    const listener = await openListener();
    const { sandbox } = await openSandbox({ webhookUrl: `${listener.url}?shop=a%20b&x#part` });
    sandbox.payOut({ amount: 1 });
    await sandbox.idle();
    expect(listener.received[0]?.url).toBe('/hooks?shop=a%20b&x&payout=true&type=payout');
  });
});

describe('a move sends the payload of its table', () => {
  it('when a payment is confirmed (6.2)', async () => {
    const { sandbox, uuid, query, request } = await openDelivered();
    expect(JSON.parse(request?.body ?? '')).toEqual({
      saleToken: uuid,
      referenceCode: 'order-1',
      currency: 'BRL',
      amount: 59.7,
      shopper: {
        id: 'shopper-1',
        firstName: 'Ana',
        lastName: 'Maria de Souza',
        email: 'ana@example.com',
        agency: '0001',
        account: '123456-7',
      },
      date: dateTime,
      newStatus: 'PAID',
    });
    const transaction = await query(uuid);
    expect(transaction.situation).toBe('PAID');
    expect(transaction.refunds).toMatchObject({ available: 59.7, quantity: 0, requested: 0 });
    expect(transaction.shopper.bankDetails).toEqual({ account: '123456-7', branch: '0001' });
    expect(sandbox.scheduledPayments(uuid)).toMatchObject(
      ['2031-01-31', '2031-02-28', '2031-03-31'].map((dueDate) => ({
        dueDate,
        amount: 29.9,
        status: 'SCHEDULED',
      })),
    );
  });

  it('when a reversal begins, and again when it is paid (6.3)', async () => {
    const { journey, sent } = await notificationsOf((sandbox, uuid) => {
      const reversal = sandbox.reverse(uuid, { amount: 9.7, reason: 'not identified' });
      sandbox.completeReversal(reversal.uuid);
    });
    const first = {
      id: expect.any(Number),
      uuid: uuidText,
      currency: 'BRL',
      originalAmount: 59.7,
      reversedAmount: 9.7,
      status: 'PENDING',
      bankDetails: account,
      sale: { id: journey.id, uuid: journey.uuid },
      creation: dateTime,
      receipt: null,
      reason: 'not identified',
    };
    const pending = sent.find(({ payload }) => payload.status === 'PENDING');
    const paid = sent.find(({ payload }) => payload.status === 'PAID');
    expect(sent.map(({ url }) => url)).toEqual(Array(2).fill('/hooks?reversing=true&type=reversing'));
    expect(pending?.payload).toEqual(first);
    expect(paid?.payload).toEqual({ ...first, status: 'PAID', receipt: expect.any(String) });
    expect(paid?.payload.uuid).toBe(pending?.payload.uuid);
  });

  it('when a reversal is cancelled (6.3)', async () => {
    const { sent } = await notificationsOf((sandbox, uuid) => {
      sandbox.cancelReversal(sandbox.reverse(uuid).uuid);
    });
    expect(sent.map(({ payload }) => payload.status).sort()).toEqual(['CANCELLED', 'PENDING']);
  });

  it('when a refund is credited (6.4)', async () => {
    const { journey, sent } = await notificationsOf((sandbox, uuid) => {
      sandbox.refund(uuid, { amount: 19.9, reason: 'one item returned', receipt: 'null' });
    });
    expect(sent).toEqual([
      {
        url: '/hooks?refund=true&type=refund',
        payload: {
          saleToken: journey.uuid,
          referenceCode: 'order-1',
          currency: 'BRL',
          originalAmount: 59.7,
          reversedAmount: 19.9,
          amountRefunded: 19.9,
          bankDetails: account,
          receipt: 'null',
          status: 'PAID',
          refund: {
            id: expect.any(Number),
            uuid: uuidText,
            status: 'PAID',
            amount: 19.9,
            creation: dateTime,
            creditDate: dateTime,
          },
          reason: 'one item returned',
          date: dateTime,
        },
      },
    ]);
  });

  it.each(['reversedAmount', 'amountRefunded'] as const)('when a refund carries %s alone', async (field) => {
    const { sent } = await notificationsOf((sandbox, uuid) => sandbox.refund(uuid), {
      refundAmountFields: field,
    });
    const names = Object.keys(sent[0]?.payload ?? {});
    expect(names.filter((name) => name.endsWith('Amount') || name === 'amountRefunded')).toEqual([
      'originalAmount',
      field,
    ]);
  });

  it('when a payout is made (6.5)', async () => {
    const { sent } = await notificationsOf((sandbox) => {
      sandbox.payOut({
        amount: 12.5,
        referenceCode: 'payout-1',
        bankDetails: { bank: '1', branch: '2', account: '3' },
      });
    });
    expect(sent).toEqual([
      {
        url: '/hooks?payout=true&type=payout',
        payload: {
          success: true,
          message: 'success',
          id: expect.any(Number),
          uuid: uuidText,
          currency: 'BRL',
          amount: 12.5,
          status: 'PAID',
          referenceCode: 'payout-1',
          bankDetails: { bank: '1', branch: '2', account: '3' },
          creation: dateTime,
          receipt: expect.any(String),
        },
      },
    ]);
  });

  it.each([
    ['PE0001', 'The bank details provided are not valid'],
    ['PE0002', 'The account holder does not match the provided identification document'],
    ['PE0003', 'The destination account does not accept transfers; account closed'],
    ['PE0004', 'Other reasons; account closed'],
  ] as const)('when a payout fails with %s (6.5, 7.1)', async (fail, message) => {
    const reason = message.includes(';') ? 'account closed' : undefined;
    const { sent } = await notificationsOf((sandbox) => sandbox.payOut({ amount: 5, fail, reason }));
    expect(sent).toEqual([
      {
        url: '/hooks?payout=true',
        payload: {
          success: false,
          message,
          error_code: fail,
          id: expect.any(Number),
          uuid: uuidText,
          currency: 'BRL',
          amount: 5,
          status: 'PENDING',
          bankDetails: account,
          creation: dateTime,
        },
      },
    ]);
  });

  it.each(['PE0003', 'PE0004'] as const)(
    'when a payout fails with %s and a reason, in the form that its row of the table gives it',
    async (fail) => {
      const { sent } = await notificationsOf(
        (sandbox) => sandbox.payOut({ amount: 5, fail, reason: 'account closed' }),
        { failedPayoutMessage: '{code} - {reason}' },
      );
      const failure = payoutFailure(sent[0]?.payload as FailedPayout);
      expect(failure).toEqual({ code: fail, meaning: expect.any(String), reason: 'account closed' });
    },
  );

  it('when a reversal also reverses its sale, because the table of inventions asks for it', async () => {
    const { sent } = await notificationsOf((sandbox, uuid) => sandbox.reverse(uuid), {
      saleReversalNotification: true,
    });
    const sale = sent.find(({ url }) => url === '/hooks');
    expect(sale?.payload).toMatchObject({ newStatus: 'REVERSAL', referenceCode: order.referenceCode });
  });

  it('except for a notification of the merchant’s own, which sends the given payload', async () => {
    const { sent } = await notificationsOf((sandbox) =>
      sandbox.notify({ recurrence: 'r-1' }, 'type=recurrence'),
    );
    expect(sent).toEqual([{ url: '/hooks?type=recurrence', payload: { recurrence: 'r-1' } }]);
  });

  it('except that a charged scheduled payment sends nothing, because the document shows no such notification', async () => {
    const { sent } = await notificationsOf((sandbox, uuid) => {
      sandbox.payScheduledPayment(sandbox.scheduledPayments(uuid)[0]?.instructionId ?? '');
    });
    expect(sent).toEqual([]);
  });

  it('except that an authorization without a charge sends nothing, and that its row can make month two a sale', async () => {
    const listener = await openListener();
    const options = { webhookUrl: listener.url, inventions: { scheduledPaymentSale: true } };
    const { sandbox, uuid, query } = await openJourney(options, withoutCharge);
    const [first] = sandbox.pay(uuid);
    await sandbox.idle();
    expect(listener.received).toEqual([]);
    const { saleUUID } = sandbox.payScheduledPayment(first?.instructionId ?? '');
    await sandbox.idle();
    expect(listener.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { saleToken: saleUUID, referenceCode: order.referenceCode, amount: 29.9, newStatus: 'PAID' },
    ]);
    expect(saleUUID).not.toBe(uuid);
    expect(await query(saleUUID ?? '')).toMatchObject({ situation: 'PAID', amount: 29.9 });
    expect(await query(uuid)).toMatchObject({ situation: 'PENDING' });
    expect(sandbox.transactions).toHaveLength(1);
  });
});

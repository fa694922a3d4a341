import { type Sandbox, SandboxError, type SandboxOptions, sequentialIds } from 'pix-automatic-sdk/sandbox';
import { type FailedPayout, payoutFailure } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import {
  failedPayoutFields,
  payoutFields,
  refundFields,
  reversalFields,
  saleFields,
} from '../../service/tables';
import { credentials, openJourney, openListener, openPaid, openSandbox, order } from '../helpers';

const withoutCharge = { ...order, recurrence: { ...order.recurrence, immediatePayment: false } };

type Journey = Awaited<ReturnType<typeof openJourney>>;

/** Makes a move such as `refund 19.9` or, for the second reversal, `cancelReversal 2`. */
function make({ sandbox, uuid }: Journey, move: string): unknown {
  const [name = '', text] = move.split(' ');
  const { reversals = [], scheduledPayments = [] } = sandbox.transactions[0] ?? {};
  const reversal = reversals[Number(text) - 1]?.uuid;
  const payment = scheduledPayments[Number(text) - 1]?.instructionId;
  if (name === 'pay' || name === 'cancelTransaction') return sandbox[name](uuid);
  if (name === 'charge') return sandbox.charge(uuid).status;
  if (name === 'fail') return sandbox.charge(uuid, { fails: 'AM04' }).status;
  if (name === 'refund' || name === 'reverse')
    return sandbox[name](uuid, text ? { amount: Number(text) } : {});
  const end = Reflect.get(sandbox, name) as Sandbox['completeReversal'] | Sandbox['cancelScheduledPayment'];
  return end((name.endsWith('Reversal') ? reversal : payment) ?? 'nope').status;
}

/** Each move, with the status of what it ends or else the amount that is left to refund, or why it is refused. */
async function trace(journey: Journey, moves: readonly string[]): Promise<string[]> {
  const seen: string[] = [];
  for (const move of moves) {
    try {
      const status = make(journey, move);
      const left = (await journey.query(journey.uuid)).refunds.available;
      seen.push(`${move}: ${typeof status === 'string' ? status : left}`);
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      seen.push(`${move}: ${error.code}`);
    }
  }
  return seen;
}

/** Why a move is refused; `undefined` if it is made. */
function codeOf(move: () => void): SandboxError['code'] | undefined {
  try {
    move();
    return undefined;
  } catch (error) {
    if (error instanceof SandboxError) return error.code;
    throw error;
  }
}

describe('the moves on a journey', () => {
  it.each<[claim: string, trace: string, request?: object]>([
    [
      'refunds add up without a binary remainder',
      'pay: 59.7, refund 19.9: 39.8, refund 0.1: 39.7, refund: 0, refund: not-allowed',
    ],
    ['no refund comes before the payment', 'refund: not-allowed, pay: 59.7'],
    [
      'a refund is above zero and at most what is left',
      'pay: 59.7, refund 59.71: invalid, refund 0: invalid, refund -1: invalid, refund NaN: invalid',
    ],
    [
      'reversals return what refunds and other reversals have left, and never more',
      'pay: 59.7, refund 19.9: 39.8, reverse 10: 29.8, reverse 29.81: invalid, reverse: 0, reverse: not-allowed',
    ],
    [
      'a reversal that is cancelled gives its amount back, and one that is paid does not',
      'pay: 59.7, reverse 10: 49.7, reverse: 0, completeReversal 1: PAID, cancelReversal 2: CANCELLED, refund 9: 40.7',
    ],
    [
      'a reversal returns an unpaid sale once, and ends once',
      'reverse: 0, reverse: not-allowed, completeReversal 1: PAID, cancelReversal 1: not-allowed',
    ],
    ['no reversal of another id ends', 'completeReversal 1: unknown'],
    [
      'a scheduled payment is paid, fails or is cancelled, once',
      'pay: 59.7, fail: FAILED, charge: PAID, cancelScheduledPayment 2: not-allowed, cancelScheduledPayment 3: CANCELLED',
    ],
    ['no scheduled payment of another id is cancelled', 'pay: 59.7, cancelScheduledPayment 4: unknown'],
    ['a transaction is paid once', 'pay: 59.7, pay: not-allowed, cancelTransaction: not-allowed'],
    ['a transaction that is cancelled is not paid', 'cancelTransaction: 0, pay: not-allowed'],
    [
      'without an immediate payment, paying authorizes once and charges nothing, and a scheduled payment is no refund',
      'pay: 0, pay: not-allowed, refund: not-allowed, charge: PAID',
      withoutCharge,
    ],
  ])('%s', async (_claim, line, request) => {
    const journey = await openJourney({}, request);
    const moves = line.split(', ').map((step) => step.replace(/: .*/, ''));
    expect((await trace(journey, moves)).join(', ')).toBe(line);
  });

  it('know no other id', async () => {
    const { sandbox } = await openSandbox();
    expect(() => sandbox.pay('nope')).toThrow(expect.objectContaining({ code: 'unknown' }));
    await expect(sandbox.redeliver('nope')).rejects.toMatchObject({ code: 'unknown' });
  });

  it('name the reversals in progress in a refusal when nothing else is left', async () => {
    const { sandbox, uuid } = await openPaid();
    const first = sandbox.reverse(uuid, { amount: 20 });
    const second = sandbox.reverse(uuid);
    for (const again of [() => sandbox.reverse(uuid), () => sandbox.refund(uuid)]) {
      expect(again).toThrow(`R$20.00 (UUID ${first.uuid}), R$39.70 (UUID ${second.uuid})`);
      expect(again).not.toThrow('gone back already');
    }
    sandbox.completeReversal(first.uuid);
    expect(first.status, 'what the caller holds is a copy').toBe('PENDING');
    expect(sandbox.transactions[0]?.reversals).toMatchObject([
      { uuid: first.uuid, status: 'PAID', amount: 20 },
      { uuid: second.uuid, status: 'PENDING', amount: 39.7 },
    ]);
    expect(() => sandbox.reverse(uuid)).toThrow(`R$39.70 (UUID ${second.uuid})`);
    sandbox.completeReversal(second.uuid);
    expect(() => sandbox.reverse(uuid)).toThrow('all of it has gone back already');
  });

  it.each([
    ['is refused from the minute on that its maxAge is over', { maxAge: 30 }, 30, 'not-allowed'],
    ['is taken until then', { maxAge: 30 }, 29.99, 'PAID'],
    ['is taken whenever it comes where the request has no maxAge', { maxAge: undefined }, 1_000_000, 'PAID'],
    [
      'without an immediate payment is refused then, too',
      { ...withoutCharge, maxAge: 30 },
      30,
      'not-allowed',
    ],
  ])('a payment of a QR code %s', async (_claim, fields, minutes, expected) => {
    let now = Date.UTC(2030, 0, 1);
    const { sandbox, uuid } = await openJourney({ now: () => now }, { ...order, ...fields });
    now += minutes * 60_000;
    const refused = codeOf(() => sandbox.pay(uuid));
    expect(refused ?? sandbox.transactions[0]?.situation).toBe(expected);
    expect(sandbox.transactions[0]?.scheduledPayments).toHaveLength(expected === 'PAID' ? 3 : 0);
  });

  it('lists until when a QR code can be paid, where its request says so', async () => {
    const now = () => Date.UTC(2030, 0, 1);
    const { sandbox, create } = await openSandbox({ now });
    for (const maxAge of [30, undefined, 1e300]) await create({ ...order, maxAge });
    expect(sandbox.transactions.map(({ expiresAt }) => expiresAt)).toEqual([
      '2030-01-01T00:30:00.000Z',
      undefined,
      '9999-12-31T23:59:59.000Z',
    ]);
  });
});

describe('scheduled payments', () => {
  it.each([
    ['WEEKLY', '2031-01-31 2031-02-07 2031-02-14 2031-02-21'],
    ['MONTHLY', '2031-01-31 2031-02-28 2031-03-31 2031-04-30'],
    ['YEARLY', '2031-01-31'],
    ['an unknown one', '2031-01-31 2031-02-28 2031-03-31 2031-04-30'],
  ])(
    'follow the periodicity %s to the end of shorter months, up to the final date',
    async (periodicity, days) => {
      const calendar = { initialDate: '2031-01-31', finalDate: '2031-04-30', periodicity };
      const recurrence = { ...withoutCharge.recurrence, calendar };
      const options = { inventions: { scheduledPayments: 4 } };
      const { sandbox, uuid } = await openJourney(options, { ...order, amount: undefined, recurrence });
      const payments = sandbox.pay(uuid);
      expect(payments.map(({ dueDate }) => dueDate).join(' ')).toBe(days);
      expect(payments[0]).toMatchObject({ amount: 29.9, transactionUUID: uuid });
      expect(sandbox.transactions).toMatchObject([{ situation: 'PENDING', isAuthorized: true }]);
    },
  );

  it('are monthly from next month on, of the journey’s amount, where it has neither calendar nor amount', async () => {
    const options = { inventions: { scheduledPayments: 14 }, now: () => Date.UTC(2031, 0, 31, 12) };
    const { sandbox, uuid } = await openJourney(options, {
      ...order,
      recurrence: { immediatePayment: true },
    });
    expect(sandbox.pay(uuid)).toHaveLength(14);
    expect(sandbox.scheduledPayments(uuid)[0]).toMatchObject({ dueDate: '2031-02-28', amount: 59.7 });
  });

  it.each([{}, { authorizeOnly: true }])(
    'of a test journey are 29.90 a month from next month on: %j',
    async (options) => {
      const { sandbox } = await openSandbox({ now: () => Date.UTC(2031, 0, 31, 12) });
      const payments = sandbox.pay(sandbox.createTestJourney(options).uuid);
      const due = payments.map(({ dueDate, amount }) => `${dueDate} ${amount}`).join(', ');
      expect(due).toBe('2031-02-28 29.9, 2031-03-28 29.9, 2031-04-28 29.9');
    },
  );
});

it('a notification is a POST of JSON with Basic auth, to the merchant’s own query and then its flags', async () => {
  const listener = await openListener();
  const { sandbox } = await openSandbox({ webhookUrl: `${listener.url}?shop=a%20b&x#part` });
  sandbox.payOut({ amount: 1 });
  await sandbox.idle();
  const authorization = `Basic ${btoa(`${credentials.apiKey}:${credentials.apiToken}`)}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const url = '/hooks?shop=a%20b&x&payout=true&type=payout';
  expect(listener.received).toMatchObject([{ method: 'POST', url, headers }]);
});

const date = '2030-12-31 23:59:59';
/** Ids count up: the journey has the first, its three scheduled payments the next. */
const uuidOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
const made = { id: 1_000_002, uuid: uuidOf(5), creation: date };
const receipt = 'sandbox-receipt-1000002';
const bankDetails = { bank: 'SANDBOX', branch: '0001', account: '123456-7' };
const sale = { saleToken: uuidOf(1), referenceCode: 'order-1', currency: 'BRL' };
const names = { id: 'shopper-1', firstName: 'Ana', lastName: 'Maria de Souza', email: 'ana@example.com' };
const shopper = { ...names, agency: '0001', account: '123456-7' };
const paid = { ...sale, amount: 59.7, shopper, date, newStatus: 'PAID' };
const reversal = {
  ...made,
  currency: 'BRL',
  originalAmount: 59.7,
  reversedAmount: 9.7,
  status: 'PENDING',
  bankDetails,
  sale: { id: 1_000_001, uuid: uuidOf(1) },
  receipt: null,
  reason: 'not identified',
};
const credited = { ...made, status: 'PAID', amount: 19.9, creditDate: date };
const amountless = { ...sale, originalAmount: 59.7, bankDetails, receipt, status: 'PAID', refund: credited };
const refund = { ...amountless, reversedAmount: 19.9, amountRefunded: 19.9, reason: 'one returned', date };
const payout = { ...made, currency: 'BRL', amount: 5, bankDetails };
const paidOut = { ...payout, success: true, message: 'success', status: 'PAID', receipt };

type Move = (sandbox: Sandbox, uuid: string) => unknown;
type Inventions = SandboxOptions['inventions'];
type Sent = [query: string, payload: object][];

const pay: Move = (sandbox, uuid) => sandbox.pay(uuid);
const charge: Move = (sandbox, uuid) => sandbox.charge(uuid);
const reverse = (options: object) => (sandbox: Sandbox, uuid: string) =>
  sandbox.reverse(uuid, { amount: 9.7, reason: 'not identified', ...options });
const give = (options: object) => (sandbox: Sandbox, uuid: string) =>
  sandbox.refund(uuid, { amount: 19.9, reason: 'one returned', ...options });
const payOut = (options: object) => (sandbox: Sandbox) => sandbox.payOut({ amount: 5, ...options });

/** A journey with a fixed time and fixed ids, and everything that a move sends, once it is paid. */
async function openSending(move: Move, inventions: Inventions = {}, request: object = order) {
  const options = { inventions, ids: sequentialIds(), now: () => Date.UTC(2031, 0, 1, 2, 59, 59) };
  const journey = await openJourney(options, request);
  const { sandbox, uuid } = journey;
  if (move !== pay) sandbox.pay(uuid);
  // Nothing listens there: the deliveries show what is sent.
  sandbox.setWebhookUrl('http://127.0.0.1:1/hooks');
  move(sandbox, uuid);
  const sent = sandbox.deliveries
    .filter(({ status }) => status !== 'not-sent')
    .map(({ url, payload }) => [new URL(url).search, payload]);
  return { ...journey, sent };
}

/** These payloads, each with the same flags in its query. */
const sentWith = (query: string, ...payloads: object[]): Sent => payloads.map((payload) => [query, payload]);
const reversing = '?reversing=true&type=reversing';
const refunding = '?refund=true&type=refund';
const payingOut = '?payout=true&type=payout';
const order2 = { referenceCode: 'payout-1', bankDetails: { bank: '1', branch: '2', account: '3' } };

describe('a move sends the payload of its table', () => {
  it.each<[when: string, move: Move, sent: Sent, inventions?: Inventions]>([
    ['when a payment is confirmed (6.2)', pay, sentWith('', paid)],
    [
      'when a reversal begins, and again when it is paid (6.3)',
      reverse({ complete: true }),
      sentWith(reversing, reversal, { ...reversal, status: 'PAID', receipt }),
    ],
    [
      'when a reversal is cancelled (6.3)',
      reverse({ cancel: true }),
      sentWith(reversing, reversal, { ...reversal, status: 'CANCELLED' }),
    ],
    ['when a refund is credited (6.4)', give({}), sentWith(refunding, refund)],
    [
      'when a refund has the receipt null as a text (6.4)',
      give({ receipt: 'null' }),
      sentWith(refunding, { ...refund, receipt: 'null' }),
    ],
    ...(['reversedAmount', 'amountRefunded'] as const).map((field): [string, Move, Sent, Inventions] => {
      const sent = sentWith(refunding, { ...amountless, [field]: 19.9, reason: 'one returned', date });
      return [`when a refund carries ${field} alone`, give({}), sent, { refundAmountFields: field }];
    }),
    ['when a payout is made (6.5)', payOut(order2), sentWith(payingOut, { ...paidOut, ...order2 })],
    ...[
      { fail: 'PE0001', message: 'The bank details provided are not valid' },
      { fail: 'PE0002', message: 'The account holder does not match the provided identification document' },
      {
        fail: 'PE0003',
        reason: 'closed',
        message: 'The destination account does not accept transfers; closed',
      },
      { fail: 'PE0004', reason: 'closed', message: 'Other reasons; closed' },
    ].map(({ message, ...failing }): [string, Move, Sent] => {
      const failed = { ...payout, success: false, status: 'PENDING', error_code: failing.fail, message };
      return [
        `when a payout fails with ${failing.fail} (6.5, 7.1)`,
        payOut(failing),
        [['?payout=true', failed]],
      ];
    }),
    [
      'when a reversal also reverses its sale, because the table of inventions asks for it',
      reverse({}),
      [...sentWith(reversing, reversal), ['', { ...paid, newStatus: 'REVERSAL' }]],
      { saleReversalNotification: true },
    ],
    [
      'except for a notification of the merchant’s own, which sends the given payload',
      (sandbox) => sandbox.notify({ recurrence: 'r-1' }, 'type=recurrence'),
      sentWith('?type=recurrence', { recurrence: 'r-1' }),
    ],
    ['except that a charged scheduled payment sends nothing: the document shows no payload', charge, []],
    [
      'and a charged scheduled payment that of a sale of its own, because the table of inventions asks for it',
      charge,
      sentWith('', { ...paid, saleToken: uuidOf(5), amount: 29.9 }),
      { recurrenceEvents: 'payments' },
    ],
  ])('%s', async (_when, move, sent, inventions) => {
    expect((await openSending(move, inventions)).sent).toEqual(sent);
  });

  it.each([
    ['payment (6.2)', pay, saleFields],
    ['reversal (6.3)', reverse({ complete: true }), reversalFields],
    ['refund (6.4)', give({}), refundFields],
    ['payout (6.5)', payOut(order2), payoutFields],
    // It has no receipt: the document says "if generated".
    [
      'failed payout (6.5)',
      payOut({ ...order2, fail: 'PE0003' }),
      failedPayoutFields.filter(({ path }) => path !== 'receipt'),
    ],
  ])('with every field that the document has for a %s', async (_kind, move, fields) => {
    const payload = (await openSending(move)).sent.at(-1)?.[1] ?? {};
    const has = (path: string) =>
      path.split('.').reduce<unknown>((value, name) => Object(value)[name], payload) !== undefined;
    expect(fields.map(({ path }) => path).filter((path) => !has(path))).toEqual([]);
  });

  it('except that an authorization without a charge sends nothing', async () => {
    expect((await openSending(pay, {}, withoutCharge)).sent).toEqual([]);
  });

  it.each(['PE0003', 'PE0004'] as const)(
    'when a payout fails with %s and a reason, in the form that its row of the table gives it',
    async (fail) => {
      const form = { failedPayoutMessage: '{code} - {reason}' };
      const { sent } = await openSending(payOut({ fail, reason: 'account closed' }), form);
      const failure = payoutFailure(sent[0]?.[1] as FailedPayout);
      expect(failure).toEqual({ code: fail, meaning: expect.any(String), reason: 'account closed' });
    },
  );
});

describe('the query shows', () => {
  it('a refund with all fields of section 2.3, and the account of who has paid', async () => {
    const { query, uuid } = await openSending(give({}));
    const { refunds, shopper } = await query(uuid);
    const creditTransferDetails = { referenceCode: 'order-1', saleUUID: uuid, total: 19.9 };
    const { id: _, amount: total, ...shown } = credited;
    expect(refunds).toEqual({
      available: 39.8,
      quantity: 1,
      requested: 19.9,
      transactions: [{ ...shown, total, bankDetails, creditTransferDetails, remark: 'one returned' }],
    });
    expect(shopper.bankDetails).toEqual({ account: '123456-7', branch: '0001' });
  });

  it('a charged scheduled payment as a sale that is paid, and its journey as before', async () => {
    const { sandbox, query, uuid } = await openSending(
      charge,
      { recurrenceEvents: 'payments' },
      withoutCharge,
    );
    const { saleUUID = '' } = sandbox.scheduledPayments(uuid)[0] ?? {};
    expect(await query(saleUUID)).toMatchObject({ situation: 'PAID', amount: 29.9 });
    expect(await query(uuid)).toMatchObject({ situation: 'PENDING' });
    expect(sandbox.transactions).toHaveLength(1);
  });
});

it.each<[call: string, move: (sandbox: Sandbox, uuid: string) => unknown, says: string]>([
  [
    'refund(uuid, 10)',
    ({ refund }, uuid) => refund(uuid, 10 as never),
    '`refund(uuid, { amount })`, got a number.',
  ],
  [
    'reverse(uuid, 10)',
    ({ reverse }, uuid) => reverse(uuid, 10 as never),
    '`reverse(uuid, { amount })`, got a n',
  ],
  ['payOut(10)', ({ payOut }) => payOut(10 as never), '`payOut({ amount })`, got a number.'],
  ['createTestJourney(10)', ({ createTestJourney: make }) => make(10 as never), '`createTestJourney({ ref'],
  [
    'refund(uuid, { ammount })',
    ({ refund }, uuid) => refund(uuid, { ammount: 1 } as never),
    'mean `amount`?',
  ],
  [
    'reverse(uuid, { completed })',
    ({ reverse }, uuid) => reverse(uuid, { completed: true } as never),
    'mean `com',
  ],
  ['payOut({ fails })', ({ payOut }) => payOut({ amount: 1, fails: 'PE0001' } as never), 'mean `fail`?'],
  ['createTestJourney({ amout })', ({ createTestJourney: make }) => make({ amout: 1 } as never), 'mean `am'],
  [
    'clearFaults({ operacao })',
    ({ clearFaults }) => clearFaults({ operacao: 'x' } as never),
    'no option `operacao`',
  ],
  [
    "refund(uuid, { amount: '1' })",
    ({ refund }, uuid) => refund(uuid, { amount: '1' } as never),
    'must be a number',
  ],
  ['payOut({})', ({ payOut }) => payOut({} as never), '`amount` must be a number above 0'],
])('%s is refused, and changes nothing', async (_, move, says) => {
  const { sandbox, uuid } = await openPaid();
  sandbox.fault('getTransaction', { kind: 'reset-before-read' });
  const before = [sandbox.transactions, sandbox.deliveries.length, sandbox.pendingFaults];
  expect(() => move(sandbox, uuid)).toThrow(says);
  expect([sandbox.transactions, sandbox.deliveries.length, sandbox.pendingFaults]).toEqual(before);
});

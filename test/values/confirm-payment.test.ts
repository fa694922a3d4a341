import {
  confirmPayment,
  InvalidRequestError,
  type PaymentConfirmation,
  type Transaction,
} from 'pix-automatic-sdk';
import { parseNotification } from 'pix-automatic-sdk/webhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientFor, failureOf } from '../client/support';
import { reply, stall, startHttpServer } from '../helpers/http-server';

const both = { amount: 59.7, currency: 'BRL', referenceCode: 'order-1' };
const transaction = { uuid: 'uuid-1', situation: 'PAID', ...both };
const payload = { saleToken: 'uuid-1', newStatus: 'PAID', ...both };

afterEach(() => {
  for (const name of ['timeoutMs', 'signal', 'acceptRefunded'])
    Reflect.deleteProperty(Object.prototype, name);
});

const source = (answer: object) => ({
  getTransaction: vi.fn(async (_uuid: string, _options?: object) => answer as Transaction),
});
const notification = (change: object = {}) =>
  ({ kind: 'payment', payload: { ...payload, ...change } }) as const;
/** Over HTTP, where fields of another type than documented are left out and noted. */
const served = async (change: object) =>
  clientFor(await startHttpServer(reply(200, { ...transaction, ...change })));
/** `confirmed` or not, and the fields that differ. */
const traceOf = ({ confirmed, differences }: PaymentConfirmation) =>
  [confirmed ? 'confirmed' : 'refused', ...differences.map(({ field }) => field)].join(' ');

it('a payment that the service reports as PAID, without a difference, is confirmed', async () => {
  const server = await startHttpServer(reply(200, transaction));
  const confirmation = await confirmPayment(clientFor(server), notification());
  expect(confirmation).toEqual({ confirmed: true, transaction, differences: [] });
  expect(server.requests).toMatchObject([{ method: 'GET', url: '/v1.1/transactions/uuid-1' }]);
});

const allOthers = { uuid: 'x', situation: 'PENDING', amount: 1, currency: 'USD', referenceCode: 'x' };

/** What the service may say, with the fields that differ then. Values of another type come from a changed service. */
const answers: (readonly [change: object, different: string])[] = [
  ...Object.entries({
    uuid: ['uuid-2', undefined, null],
    amount: [59.69, 0, undefined, null],
    currency: ['USD', undefined, null],
    referenceCode: ['', undefined, null],
    situation: ['PENDING', 'CANCELLED', 'paid', undefined, null],
    status: ['0', ' -1', 'error', '', true, false, {}, { code: -1 }, [], [-1]],
    type: ['REFUND', 'PAYOUT', 'sale', '', 7],
    refunds: [[], [{}], 'one', 1, true],
  }).flatMap(([field, values]) => values.map((value) => [{ [field]: value }, field] as const)),
  ...[
    ...[{ quantity: 1 }, { quantity: -1 }, { quantity: '1' }],
    ...[{ requested: 0.01 }, { requested: '0' }, { quantity: 0, requested: true }],
    ...[{ transactions: [{}] }, { transactions: [{ status: 'CANCELLED' }] }],
    ...[{ transactions: {} }, { transactions: { id: 1 } }, { transactions: 'one' }, { transactions: '' }],
    { quantity: 0, requested: 0, transactions: [{ uuid: 'refund-1' }] },
    { quantity: 1, requested: 0, transactions: [] },
    { quantity: 0, requested: 10, transactions: [] },
  ].map((refunds) => [{ refunds }, 'refunds'] as const),
  [{ refunds: { quantity: 1 }, situation: 'CANCELLED' }, 'situation refunds'],
  [{ refunds: { quantity: 1, requested: true }, amount: 1, type: 7 }, 'amount type refunds'],
  [allOthers, 'uuid amount currency referenceCode situation'],
  ...[
    ...[{ status: undefined }, { status: null }, { status: 0 }],
    ...[{ type: undefined }, { type: null }, { type: 'SALE' }],
    ...[
      ...[null, {}, { quantity: null, requested: null, transactions: null }],
      { quantity: 0, requested: 0, transactions: [], available: 59.7 },
      // What can still be refunded says nothing about what was.
      ...[{ available: 0 }, { available: 'x' }, { quantity: 0, currency: 5 }],
    ].map((refunds) => ({ refunds })),
    ...[{ has_return_error: true, return_error: { code: 'x' } }, { has_return_error: 'yes' }],
    ...[{ track: [] }, { id: '123' }],
  ].map((change) => [change, ''] as const),
];

it.each(answers)('an answer with %j differs in "%s", over HTTP too', async (change, different) => {
  const expected = different === '' ? 'confirmed' : `refused ${different}`;
  const client = source({ ...transaction, ...change });
  const confirmation = await confirmPayment(client, notification());
  expect(traceOf(confirmation)).toBe(expected);
  for (const { field, notified, queried } of confirmation.differences) {
    expect(notified).toBe(Reflect.get(transaction, field));
    if (field !== 'refunds') expect(queried).toBe(Reflect.get(change, field));
  }
  const asked = confirmPayment(await served(change), notification());
  // To our client, an answer about another transaction is no answer.
  if (typeof Reflect.get(change, 'uuid') === 'string')
    await expect(asked).rejects.toThrow('another transaction');
  else expect(traceOf(await asked)).toBe(expected);
  const accepted = await confirmPayment(client, notification(), { acceptRefunded: true });
  expect(traceOf(accepted)).toBe(different === 'refunds' ? 'confirmed refunds' : expected);
});

it.each([
  ...[-1, '-1', 999, 1, Number.NaN].map((status) => ({ status })),
  { refunds: { quantity: Number.NaN } },
])(
  '%o differs too, from a test double: our client throws for such a status, and JSON has no NaN',
  async (change) => {
    const confirmation = await confirmPayment(source({ ...transaction, ...change }), notification());
    expect(traceOf(confirmation)).toBe(`refused ${Object.keys(change)}`);
  },
);

it.each(['amount', 'currency', 'referenceCode'])(
  '%s that the notification leaves out is not compared',
  async (field) => {
    for (const absent of [undefined, null]) {
      for (const answer of [transaction, { ...transaction, [field]: undefined }]) {
        const confirmation = await confirmPayment(source(answer), notification({ [field]: absent }));
        expect(confirmation).toMatchObject({ confirmed: true, differences: [] });
      }
    }
  },
);

it.each([
  [true, true],
  [undefined, false],
  [null, false],
  [false, false],
])(
  'with acceptRefunded %s refunds are reported with their counts, without personal data, and confirmed: %s',
  async (given, confirmed) => {
    const transactions = [{ bankDetails: { account: '12345-6' }, remark: 'for Maria', total: 10 }];
    const refunds = { available: 49.7, quantity: 1, requested: 10, transactions };
    const refunded = { ...transaction, refunds };
    const queried = { quantity: 1, requested: 10, transactions: 1 };
    const differences = [{ field: 'refunds', notified: undefined, queried }];
    const options = { acceptRefunded: given as boolean };
    const confirmation = await confirmPayment(source(refunded), notification(), options);
    expect(confirmation).toEqual({ confirmed, transaction: refunded, differences });
  },
);

describe('a field of another type than documented', () => {
  it('is confirmed in refunds by acceptRefunded', async () => {
    const client = await served({ refunds: { quantity: '1' } });
    const confirmation = await confirmPayment(client, notification(), { acceptRefunded: true });
    expect(confirmation).toMatchObject({ confirmed: true, differences: [{ field: 'refunds' }] });
  });

  it('is noted on the result under a symbol that both copies of the package share, and nothing else shows', async () => {
    const result = await (await served({ refunds: 'one' })).getTransaction('uuid-1');
    expect(Object.getOwnPropertySymbols(result).map(Symbol.keyFor)).toEqual(['pix-automatic-sdk.left-out']);
    expect(Object.getOwnPropertySymbols({ ...result })).toEqual([]);
    expect(JSON.parse(JSON.stringify(result))).toEqual(transaction);
    expect(Object.keys(result).sort()).toEqual(Object.keys(transaction).sort());
    const asDocumented = await (await served({})).getTransaction('uuid-1');
    expect(Object.getOwnPropertySymbols(asDocumented)).toEqual([]);
  });

  it('prevents the confirmation when more such fields came than are noted', async () => {
    const names = (list: string) =>
      Object.fromEntries(list.split(' ').map((name) => [name, { wrong: true }]));
    const client = await served({
      ...names(
        'message id currency amount shipping discounts total appliedRate referenceCode creation maxAge',
      ),
      shopper: {
        ...names('email'),
        bankDetails: names('account branch'),
        document: names('type number'),
        phone: names('number type'),
      },
      beneficiary: 1,
      refunds: { available: 'x', quantity: '1' },
    });
    const bare = { kind: 'payment', payload: { saleToken: 'uuid-1', newStatus: 'PAID' } } as const;
    expect((await confirmPayment(client, bare)).confirmed).toBe(false);
  });
});

it.each([
  ...[10.000000000000002, 9.999999999999998].map((amount) => [amount, 10, 'BRL', '']),
  [0.1 + 0.2, 0.3, 'BRL', ''],
  [1.1 + 2.2, 3.3, 'KWD', ''],
  [100.00000000000001, 100, 'JPY', ''],
  // The larger an amount, the larger what its calculation leaves.
  [1234567890.41 * 3, 3703703671.23, 'BRL', ''],
  [3703703671.2301, 3703703671.23, 'CLF', 'amount'],
  // A real difference, however small.
  ...[10.01, 10.005, 10.004, 9.999].map((amount) => [amount, 10, 'BRL', 'amount']),
  [100.4, 100, 'JPY', 'amount'],
  [10.001, 10, 'KWD', 'amount'],
  // No currency has an amount that differs by so little.
  [10.000000000000002, 10, 'XXX', ''],
  [10.000000000000002, 10, undefined, ''],
] as Array<[number, number, string | undefined, string]>)(
  '%d is compared with %d as money, in the minor units of %s: "%s" differs',
  async (notified, queried, currency, different) => {
    const expected = different === '' ? 'confirmed' : `refused ${different}`;
    const client = source({ ...transaction, amount: queried, currency });
    // The currency of either says how many decimals the amounts have.
    for (const named of currency === undefined ? [undefined] : [currency, undefined]) {
      const asked = confirmPayment(client, notification({ amount: notified, currency: named }));
      expect(traceOf(await asked)).toBe(expected);
    }
  },
);

it.each([
  ['59.70', 'confirmed'],
  ['59.7', 'confirmed'],
  ['59.71', 'refused amount'],
  ['59,70', 'refused amount'],
  ['', 'refused amount'],
])(
  'an amount that the service has as text counts as the number that it says: %j is %s',
  async (amount, expected) => {
    expect(traceOf(await confirmPayment(await served({ amount }), notification()))).toBe(expected);
  },
);

describe('an amount that the notification has as text', () => {
  /** Read from a body, as the listener does it: the text is left out of the payload. */
  const read = (amount: unknown) => {
    const parsed = parseNotification({ body: { ...payload, amount } });
    if (parsed.kind !== 'payment') throw new Error('This is a payment.');
    expect(parsed.payload).not.toHaveProperty('amount');
    return parsed;
  };

  it.each(['59.7', '59.70', '059.7', '59.700000000000003'])('is read: %s is confirmed', async (text) => {
    expect(await confirmPayment(source(transaction), read(text))).toMatchObject({ confirmed: true });
  });

  it.each(['59.69', '0', '-59.7', '5970'])('is read: %s differs', async (text) => {
    const { confirmed, differences } = await confirmPayment(source(transaction), read(text));
    const difference = { field: 'amount', notified: Number(text), queried: 59.7 };
    expect({ confirmed, differences }).toEqual({ confirmed: false, differences: [difference] });
  });

  it.each(['59,70', 'R$ 59.69', '1e3', '0x10', '', ' ', 'NaN', {}, true, ['59.69']])(
    'is not compared if it is %j, which is no number',
    async (wrong) => {
      expect(await confirmPayment(source(transaction), read(wrong))).toMatchObject({ confirmed: true });
    },
  );

  it('is not read from a body of another form, which has no such issue', async () => {
    const raw = { amount: '5970' };
    const foreign = { ...notification({ amount: undefined }), raw };
    expect(await confirmPayment(source(transaction), foreign)).toMatchObject({ confirmed: true });
  });
});

const otherKinds = ['saleStatus', 'refund', 'reversal', 'payout', 'unrecognized', undefined];

it.each([
  ...otherKinds.map((kind) => [{ kind, payload }, 'kind']),
  ...[undefined, null, 7, 'payment'].map((wrong) => [wrong, 'kind']),
  ...[undefined, null, 'uuid-1'].map((wrong) => [{ kind: 'payment', payload: wrong }, 'payload']),
] as Array<[unknown, string]>)(
  '%j instead of a payment is refused in %s, and the service is not asked',
  async (wrong, field) => {
    const client = source(transaction);
    const thrown = await failureOf(confirmPayment(client, wrong as never));
    expect(thrown).toBeInstanceOf(InvalidRequestError);
    expect(thrown).toMatchObject({ outcome: 'not-sent', issues: [{ path: [field] }] });
    const says = /^The notification was refused .+: expected (payment; a notification of|an object)/;
    expect(thrown.message).toMatch(says);
    expect(client.getTransaction).not.toHaveBeenCalled();
  },
);

it.each([
  ['acceptRefunded', ['true', 1, {}]],
  ['timeoutMs', [0, -1, '5']],
])('%s is refused where it is one of %j, and the service is not asked', async (name, wrong) => {
  const client = source(transaction);
  for (const value of wrong) {
    const thrown = await failureOf(confirmPayment(client, notification(), { [name]: value }));
    expect(thrown).toMatchObject({ code: 'configuration', message: expect.stringContaining(`\`${name}\``) });
  }
  expect(client.getTransaction).not.toHaveBeenCalled();
});

it.each([undefined, null, {}, { signal: null }])(
  'with options of %j, and a polluted prototype, it takes five seconds at most, so that the listener answers promptly',
  async (options) => {
    const polluted = { timeoutMs: 1, acceptRefunded: true, signal: AbortSignal.abort() };
    Object.assign(Object.prototype, polluted);
    const client = source({ ...transaction, refunds: { quantity: 1 } });
    expect((await confirmPayment(client, notification(), options as never)).confirmed).toBe(false);
    const [[uuid, limits] = []] = client.getTransaction.mock.calls;
    expect(uuid).toBe('uuid-1');
    expect({ ...limits }).toEqual({ timeoutMs: 5_000, totalTimeoutMs: 5_000, signal: undefined });
  },
);

it.each([
  ['a time limit', () => ({ timeoutMs: 120 }), { code: 'timeout' }],
  ['a signal', () => ({ signal: AbortSignal.timeout(50), timeoutMs: 9_000 }), { code: 'aborted' }],
  ['one that has fired', () => ({ signal: AbortSignal.abort() }), { code: 'aborted', outcome: 'not-sent' }],
])('%s ends the query at once', async (_, options, expected) => {
  const client = clientFor(await startHttpServer(stall));
  expect(await failureOf(confirmPayment(client, notification(), options()))).toMatchObject(expected);
});

it('throws the error of the query, so that the notification is delivered again', async () => {
  const client = clientFor(await startHttpServer(reply(404)));
  expect(await failureOf(confirmPayment(client, notification()))).toMatchObject({ httpStatus: 404 });
  const thrown = await failureOf(confirmPayment(client, notification({ saleToken: '..' })));
  expect(thrown.code).toBe('invalid_request');
});

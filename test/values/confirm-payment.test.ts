import { confirmPayment, InvalidRequestError, type Transaction } from 'pix-automatic-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientFor, failureOf } from '../client/support';
import { reply, stall, startHttpServer } from '../helpers/http-server';

const transaction = {
  uuid: 'uuid-1',
  situation: 'PAID',
  amount: 59.7,
  currency: 'BRL',
  referenceCode: 'order-1',
};
const payload = {
  saleToken: 'uuid-1',
  newStatus: 'PAID',
  amount: 59.7,
  currency: 'BRL',
  referenceCode: 'order-1',
};

const polluted = Object.prototype as unknown as Record<string, unknown>;
afterEach(() => {
  for (const name of ['timeoutMs', 'signal', 'acceptRefunded']) delete polluted[name];
});

const source = (answer: Transaction) => ({ getTransaction: vi.fn(async () => answer) });
const notification = (change: object = {}) => ({
  kind: 'payment' as const,
  payload: { ...payload, ...change },
});

it.each([undefined, null, 'uuid-1'])(
  'a notification whose payload is %j is refused, and nothing is sent',
  async (given) => {
    const client = source(transaction);
    const failure = failureOf(confirmPayment(client, { kind: 'payment', payload: given as never }));
    expect(await failure).toMatchObject({
      code: 'invalid_request',
      outcome: 'not-sent',
      issues: [{ path: ['payload'] }],
    });
    expect(client.getTransaction).not.toHaveBeenCalled();
  },
);

it('a payment that the service reports as PAID, without a difference, is confirmed', async () => {
  const server = await startHttpServer(reply(200, transaction));
  const confirmation = await confirmPayment(clientFor(server), notification());
  expect(confirmation).toEqual({ confirmed: true, transaction, differences: [] });
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1.1/transactions/uuid-1',
  ]);
});

describe('a field of another type than documented', () => {
  it.each([
    ['refunds', { refunds: 'one' }],
    ['refunds', { refunds: { quantity: '1' } }],
    ['refunds', { refunds: { quantity: 0, requested: true } }],
    ['refunds', { refunds: { transactions: { id: 1 } } }],
    ['type', { type: 7 }],
    ['status', { status: 'error' }],
    ['status', { status: '' }],
    ['status', { status: true }],
    ['status', { status: { code: -1 } }],
    ['status', { status: [-1] }],
    ['status', { status: ' -1' }],
  ])(
    'prevents the confirmation in a field that the confirmation depends on: %s of %j',
    async (field, change) => {
      const server = await startHttpServer(reply(200, { ...transaction, ...change }));
      const { confirmed, differences } = await confirmPayment(clientFor(server), notification());
      expect(confirmed).toBe(false);
      expect(differences).toMatchObject([{ field, notified: undefined }]);
    },
  );

  it.each([
    { track: [] },
    { id: '123' },
    { refunds: { quantity: 0, currency: 5 } },
    { refunds: { available: 'x' } },
  ])('allows the confirmation in any other field: %j', async (change) => {
    const server = await startHttpServer(reply(200, { ...transaction, ...change }));
    expect(await confirmPayment(clientFor(server), notification())).toMatchObject({
      confirmed: true,
      differences: [],
    });
  });

  it('adds no second difference to a field that already differs', async () => {
    const refunds = { quantity: 1, requested: true };
    const server = await startHttpServer(reply(200, { ...transaction, refunds }));
    const { differences } = await confirmPayment(clientFor(server), notification());
    const queried = { quantity: 1, requested: undefined, transactions: undefined };
    expect(differences).toEqual([{ field: 'refunds', notified: undefined, queried }]);
  });

  it('is reported beside the difference of another field', async () => {
    const server = await startHttpServer(reply(200, { ...transaction, amount: 1, type: 7 }));
    const { differences } = await confirmPayment(clientFor(server), notification());
    expect(differences).toEqual([
      { field: 'amount', notified: 59.7, queried: 1 },
      { field: 'type', notified: undefined, queried: undefined },
    ]);
  });

  it('is noted on the result, where neither JSON nor Object.keys shows the note', async () => {
    const server = await startHttpServer(reply(200, { ...transaction, track: [] }));
    const result = await clientFor(server).getTransaction('uuid-1');
    expect(JSON.parse(JSON.stringify(result))).toEqual(transaction);
    expect(Object.keys(result).sort()).toEqual(Object.keys(transaction).sort());
  });

  it('is noted under a symbol that the ESM and CommonJS copies share, and that a spread drops', async () => {
    const server = await startHttpServer(reply(200, { ...transaction, refunds: 'one' }));
    const result = await clientFor(server).getTransaction('uuid-1');
    expect(Object.getOwnPropertySymbols(result).map(Symbol.keyFor)).toEqual(['pix-automatic-sdk.left-out']);
    expect(Object.getOwnPropertySymbols({ ...result })).toEqual([]);
  });

  it('is noted on no result whose fields are as documented', async () => {
    const server = await startHttpServer(reply(200, transaction));
    const result = await clientFor(server).getTransaction('uuid-1');
    expect(Object.getOwnPropertySymbols(result)).toEqual([]);
  });

  it('prevents the confirmation when more such fields came than are noted', async () => {
    const names = (list: string) =>
      Object.fromEntries(list.split(' ').map((name) => [name, { wrong: true }]));
    const wrong = {
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
    };
    const server = await startHttpServer(reply(200, { uuid: 'uuid-1', situation: 'PAID', ...wrong }));
    const bare = { kind: 'payment', payload: { saleToken: 'uuid-1', newStatus: 'PAID' } } as const;
    expect((await confirmPayment(clientFor(server), bare)).confirmed).toBe(false);
  });
});

describe('a difference', () => {
  it.each([
    ['uuid', { uuid: 'uuid-2' }, 'uuid-1', 'uuid-2'],
    ['amount', { amount: 59.69 }, 59.7, 59.69],
    ['amount', { amount: 0 }, 59.7, 0],
    ['currency', { currency: 'USD' }, 'BRL', 'USD'],
    ['referenceCode', { referenceCode: '' }, 'order-1', ''],
    ['situation', { situation: 'PENDING' }, 'PAID', 'PENDING'],
    ['situation', { situation: 'CANCELLED' }, 'PAID', 'CANCELLED'],
    ['situation', { situation: 'paid' }, 'PAID', 'paid'],
  ])('of %s (%j) prevents the confirmation', async (field, change, notified, queried) => {
    const confirmation = await confirmPayment(source({ ...transaction, ...change }), notification());
    expect(confirmation.confirmed).toBe(false);
    expect(confirmation.differences).toEqual([{ field, notified, queried }]);
  });

  it('in every field is reported field by field', async () => {
    const other = { uuid: 'x', situation: 'PENDING', amount: 1, currency: 'USD', referenceCode: 'x' };
    const { differences } = await confirmPayment(source(other), notification());
    expect(differences.map(({ field }) => field)).toEqual([
      'uuid',
      'amount',
      'currency',
      'referenceCode',
      'situation',
    ]);
  });
});

it.each(['uuid', 'situation', 'amount', 'currency', 'referenceCode'] as const)(
  '%s that the service leaves out is a difference',
  async (field) => {
    const { [field]: _, ...rest } = transaction;
    for (const answer of [rest, { ...transaction, [field]: null }, { ...transaction, [field]: undefined }]) {
      const confirmation = await confirmPayment(source(answer), notification());
      expect(confirmation).toMatchObject({ confirmed: false, differences: [{ field }] });
      expect(confirmation.differences).toHaveLength(1);
    }
  },
);

it.each(['amount', 'currency', 'referenceCode'] as const)(
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

describe('the status of the body', () => {
  it.each([undefined, null, 0])('%s allows the confirmation', async (status) => {
    expect(await confirmPayment(source({ ...transaction, status }), notification())).toMatchObject({
      confirmed: true,
    });
  });

  it.each([-1, 999, 1, Number.NaN, '0', '-1', 'error', '', true, false, {}, []])(
    '%j is a difference, whatever the rest of the body says',
    async (status) => {
      const answer = { ...transaction, status } as never;
      expect(await confirmPayment(source(answer), notification())).toMatchObject({
        confirmed: false,
        differences: [{ field: 'status', notified: undefined, queried: status }],
      });
    },
  );
});

it.each([
  { has_return_error: true, return_error: { code: 'x' } },
  { has_return_error: 'yes' },
  { refunds: { available: 0 } },
  { refunds: { available: 10, quantity: 0 } },
])('what is documented as not looked at prevents nothing: %j', async (change) => {
  const server = await startHttpServer(reply(200, { ...transaction, ...change }));
  expect(await confirmPayment(clientFor(server), notification())).toMatchObject({ confirmed: true });
});

describe('the type of the transaction', () => {
  it.each([undefined, null, 'SALE'])('%s allows the confirmation', async (type) => {
    expect(await confirmPayment(source({ ...transaction, type }), notification())).toMatchObject({
      confirmed: true,
    });
  });

  it.each(['REFUND', 'PAYOUT', 'sale', ''])('%j is a difference', async (type) => {
    expect(await confirmPayment(source({ ...transaction, type }), notification())).toMatchObject({
      confirmed: false,
      differences: [{ field: 'type', notified: undefined, queried: type }],
    });
  });
});

describe('refunds', () => {
  it.each([
    undefined,
    null,
    {},
    { quantity: 0, requested: 0, transactions: [], available: 59.7 },
    { quantity: null, requested: null, transactions: null },
    // What can still be refunded says nothing about what was.
    { available: 0 },
  ])('%j says that nothing was refunded, and allows the confirmation', async (refunds) => {
    expect(await confirmPayment(source({ ...transaction, refunds }), notification())).toMatchObject({
      confirmed: true,
    });
  });

  it.each([
    { quantity: 1 },
    { requested: 0.01 },
    { transactions: [{}] },
    { transactions: [{ status: 'CANCELLED' }] },
    { quantity: 0, requested: 0, transactions: [{ uuid: 'refund-1' }] },
    { quantity: 1, requested: 0, transactions: [] },
    { quantity: 0, requested: 10, transactions: [] },
    { quantity: -1 },
    { quantity: Number.NaN },
    // Of another type than documented: from a test double of the client, or after the service changed.
    { quantity: '1' },
    { requested: '0' },
    { transactions: {} },
    { transactions: 'one' },
    { transactions: '' },
    [[]],
    [[{}]],
    'one',
    1,
    true,
  ])('%j is a difference, because something was refunded or may have been', async (refunds) => {
    const answer = { ...transaction, refunds } as never;
    const confirmation = await confirmPayment(source(answer), notification());
    expect(confirmation).toMatchObject({ confirmed: false, differences: [{ field: 'refunds' }] });
  });

  it('the difference has the counts and no personal data', async () => {
    const transactions = [{ bankDetails: { account: '12345-6' }, remark: 'for Maria', total: 10 }];
    const refunds = { available: 49.7, quantity: 1, requested: 10, transactions };
    const { differences } = await confirmPayment(source({ ...transaction, refunds }), notification());
    expect(differences).toEqual([
      { field: 'refunds', notified: undefined, queried: { quantity: 1, requested: 10, transactions: 1 } },
    ]);
  });
});

describe('acceptRefunded', () => {
  const refunded = { refunds: { quantity: 1, requested: 10, transactions: [{}] } };

  it('confirms a payment that was refunded, and still reports the refund', async () => {
    const confirmation = await confirmPayment(source({ ...transaction, ...refunded }), notification(), {
      acceptRefunded: true,
    });
    const queried = { quantity: 1, requested: 10, transactions: 1 };
    expect(confirmation).toMatchObject({
      confirmed: true,
      differences: [{ field: 'refunds', notified: undefined, queried }],
    });
  });

  it('confirms a payment whose refunds do not have the documented type', async () => {
    const server = await startHttpServer(reply(200, { ...transaction, refunds: { quantity: '1' } }));
    const confirmation = await confirmPayment(clientFor(server), notification(), { acceptRefunded: true });
    expect(confirmation).toMatchObject({ confirmed: true, differences: [{ field: 'refunds' }] });
  });

  it.each([
    { situation: 'CANCELLED' },
    { amount: 1 },
    { status: 'error' },
    { type: 'REFUND' },
    { uuid: 'uuid-2' },
  ])('changes nothing about any other difference: %j', async (change) => {
    const answer = { ...transaction, ...refunded, ...change } as never;
    const confirmation = await confirmPayment(source(answer), notification(), { acceptRefunded: true });
    expect(confirmation.confirmed).toBe(false);
    expect(confirmation.differences).toHaveLength(2);
  });

  it.each([undefined, null, false])('%s means that a refund prevents the confirmation', async (given) => {
    const options = { acceptRefunded: given as false };
    expect(
      await confirmPayment(source({ ...transaction, ...refunded }), notification(), options),
    ).toMatchObject({ confirmed: false });
  });

  it.each(['true', 1, {}])(
    '%j instead of true or false is refused, and the service is not asked',
    async (wrong) => {
      const client = source(transaction);
      const options = { acceptRefunded: wrong as never };
      expect(await failureOf(confirmPayment(client, notification(), options))).toMatchObject({
        code: 'configuration',
        message: expect.stringContaining('`acceptRefunded`'),
      });
      expect(client.getTransaction).not.toHaveBeenCalled();
    },
  );
});

it('a polluted prototype adds no options', async () => {
  Object.assign(polluted, { timeoutMs: 1, acceptRefunded: true, signal: AbortSignal.abort() });
  const client = source({ ...transaction, refunds: { quantity: 1 } });
  expect(await confirmPayment(client, notification())).toMatchObject({ confirmed: false });
  await confirmPayment(client, notification(), {});
  for (const [, options] of client.getTransaction.mock.calls as unknown as Array<[string, object]>) {
    expect({ ...options }).toEqual({ timeoutMs: 5_000, totalTimeoutMs: 5_000, signal: undefined });
  }
});

it.each(['saleStatus', 'refund', 'reversal', 'payout', 'unrecognized', undefined])(
  'a notification of kind %s is refused, and the service is not asked',
  async (kind) => {
    const client = source(transaction);
    const thrown = await failureOf(confirmPayment(client, { kind, payload } as never));
    expect(thrown).toBeInstanceOf(InvalidRequestError);
    expect(thrown.message).toMatch(
      /^The notification was refused .+ kind: expected payment; a notification of/,
    );
    expect(thrown['issues']).toMatchObject([{ path: ['kind'] }]);
    expect(client.getTransaction).not.toHaveBeenCalled();
  },
);

it.each([undefined, null, 7, 'payment'])('%s instead of a notification is refused', async (wrong) => {
  const client = source(transaction);
  const thrown = await failureOf(confirmPayment(client, wrong as never));
  expect(thrown).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' });
  expect(client.getTransaction).not.toHaveBeenCalled();
});

describe('a signal', () => {
  it('that fires ends the query at once', async () => {
    const server = await startHttpServer(stall);
    const controller = new AbortController();
    const reason = new Error('the request went away');
    const options = { signal: controller.signal, timeoutMs: 60_000 };
    const failure = failureOf(confirmPayment(clientFor(server), notification(), options));
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort(reason);
    expect(await failure).toMatchObject({ code: 'aborted', cause: reason });
  });

  it('that has already fired stops the query before it is sent', async () => {
    const server = await startHttpServer(reply(200, transaction));
    const options = { signal: AbortSignal.abort() };
    const thrown = await failureOf(confirmPayment(clientFor(server), notification(), options));
    expect(thrown).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    expect(server.requests).toEqual([]);
  });

  it.each([null, undefined])('of %s counts as no signal', async (signal) => {
    const server = await startHttpServer(reply(200, transaction));
    expect(await confirmPayment(clientFor(server), notification(), { signal })).toMatchObject({
      confirmed: true,
    });
  });
});

it('options of null count as no options', async () => {
  expect(await confirmPayment(source(transaction), notification(), null as never)).toMatchObject({
    confirmed: true,
  });
});

it('confirmPayment takes five seconds at most, retries included, so that the listener answers promptly', async () => {
  const client = source(transaction);
  await confirmPayment(client, notification());
  expect(client.getTransaction).toHaveBeenCalledExactlyOnceWith('uuid-1', {
    timeoutMs: 5_000,
    totalTimeoutMs: 5_000,
  });
});

it('confirmPayment takes no longer than timeoutMs', async () => {
  const server = await startHttpServer(stall);
  const started = performance.now();
  const thrown = await failureOf(confirmPayment(clientFor(server), notification(), { timeoutMs: 120 }));
  expect(thrown.code).toBe('timeout');
  expect(performance.now() - started).toBeLessThan(3_000);
});

it('a timeoutMs of 0 is refused, and the service is not asked', async () => {
  const client = source(transaction);
  expect(await failureOf(confirmPayment(client, notification(), { timeoutMs: 0 }))).toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('`timeoutMs`'),
  });
  expect(client.getTransaction).not.toHaveBeenCalled();
});

it('confirmPayment throws the error of the query, so that the notification is delivered again', async () => {
  const server = await startHttpServer(reply(404));
  expect(await failureOf(confirmPayment(clientFor(server), notification()))).toMatchObject({
    httpStatus: 404,
  });
});

it('a saleToken that would change the path is refused', async () => {
  const server = await startHttpServer(reply(200, transaction));
  const thrown = await failureOf(confirmPayment(clientFor(server), notification({ saleToken: '..' })));
  expect(thrown.code).toBe('invalid_request');
  expect(server.requests).toEqual([]);
});

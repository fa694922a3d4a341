import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOrders, OrderBusyError } from '../../src/orders';
import { MemoryStore } from '../../src/stores/memory-store';
import { type StoreSteps, stepsOf } from '../../src/stores/steps';
import { deferred } from '../helpers/deferred';
import { storeOf } from '../helpers/store-of';
import { attemptIn } from './attempt-in';
import { type Answer, errors, request, setUp } from './support';

const LEASE_MS = 90_000 + 60_000;

/** A request with these fields of its recurrence. */
const recurring = (fields: object) => ({ recurrence: { ...request.recurrence, ...fields } });

describe('open', () => {
  it('creates one journey, and returns the same one ever after', async () => {
    const { client, open, states } = setUp();
    const journey = await open();
    expect(journey).toEqual({
      state: 'open',
      createdAt: 1_000_000,
      attempt: 1,
      referenceCode: 'order-1',
      uuid: 'uuid-of-order-1',
      qrCode: { plain: 'qr-of-order-1' },
    });
    expect(await open()).toEqual(journey);
    expect(client.calls).toEqual([{ ...request, referenceCode: 'order-1' }]);
    expect(client.options).toEqual([{ totalTimeoutMs: 90_000 }]);
    expect(await states()).toEqual(['order-1 created']);
  });

  it('records the intent before it sends, for as long as the call may take and a minute', async () => {
    const { client, read, open, clock } = setUp([], { totalTimeoutMs: 5_000 });
    const create = vi.spyOn(client, 'createRecurringCheckout');
    create.mockImplementationOnce(async () => {
      const { order } = await read();
      expect(order.attempts).toMatchObject([{ state: 'sending', leaseUntil: clock.now + 65_000 }]);
      throw errors.refused();
    });
    await expect(open()).rejects.toMatchObject({ httpStatus: 422 });
  });

  it('waits for another call, then gives up with nothing sent', async () => {
    const answer = deferred<Answer>();
    const { client, open, store } = setUp([answer.promise], { waitMs: 60_000 });
    const first = open();
    await expect.poll(() => client.calls).toHaveLength(1);
    const hasty = createOrders({ client, store, waitMs: 60 });
    const busy = { name: 'OrderBusyError', code: 'order_busy', outcome: 'not-sent' };
    await expect(hasty.open('order-1', request)).rejects.toMatchObject(busy);
    expect(client.calls).toHaveLength(1);
    answer.resolve(undefined);
    expect(await first).toMatchObject({ attempt: 1 });
  });

  it.each([
    ['refused', errors.refused, []],
    ['not sent', errors.notSent, []],
    ['unknown', errors.unknown, ['order-1 lost']],
    ['not an error of a call', () => new TypeError('a double'), ['order-1 lost']],
  ])(
    'after a call that was %s, throws its error, and the next open makes a new attempt',
    async (_, make, kept) => {
      const error = make();
      const { open, states, client } = setUp([error]);
      await expect(open()).rejects.toBe(error);
      expect(await states()).toEqual(kept);
      expect(await open()).toMatchObject({ attempt: 2, referenceCode: 'order-1-2' });
      expect(await states()).toEqual([...kept, 'order-1-2 created']);
      expect(client.calls).toHaveLength(2);
    },
  );

  it('keeps the uuid of an error, for find, and shows nothing', async () => {
    const { orders, open } = setUp([errors.unknownWithUuid()]);
    await expect(open()).rejects.toMatchObject({ uuid: 'seen-uuid' });
    const found = { key: 'order-1', attempts: [{ state: 'lost' }] };
    expect(await orders.find({ uuid: 'seen-uuid' })).toMatchObject(found);
  });

  it('refuses a different amount, naming paths and no values, and sends nothing', async () => {
    const { orders, open, client } = setUp();
    await open();
    const recurrence = { amount: { recurrenceAmount: 31 }, calendar: { periodicity: 'WEEKLY' } };
    const other = { currency: 'USD', amount: 60, ...recurring({ immediatePayment: false, ...recurrence }) };
    const error = await open('order-1', other).catch((reason: unknown) => reason);
    const ofRecurrence = ['immediatePayment', 'amount.recurrenceAmount', 'calendar.periodicity'];
    expect(error).toMatchObject({
      name: 'OrderConflictError',
      code: 'order_conflict',
      outcome: 'not-sent',
      uuid: 'uuid-of-order-1',
      paths: ['currency', 'amount', ...ofRecurrence.map((path) => `recurrence.${path}`)],
    });
    expect(String(error)).not.toMatch(/60|31|USD|WEEKLY/);
    // Everything but the money may differ.
    const date = recurring({ calendar: { initialDate: '2027-01-01' } });
    const corrected = { ...request, maxAge: 30, shopper: { name: 'Maria da Silva' }, ...date };
    expect(await orders.open('order-1', corrected)).toMatchObject({ attempt: 1 });
    expect(client.calls).toHaveLength(1);
  });

  it.each([
    ['amount', { amount: Number('59,70') }],
    ['recurrence.amount.recurrenceAmount', recurring({ amount: { recurrenceAmount: 1 / 0 } })],
    ['maxAge', { maxAge: Number.NaN }],
    ['recurrence.calendar.initialDate', recurring({ calendar: { initialDate: new Date('31/12/2026') } })],
  ])('refuses what JSON would lose before it records anything: %s', async (path, fields) => {
    const { open, states, client } = setUp();
    await open('order-2', { amount: undefined });
    const issues = [expect.objectContaining({ path: path.split('.') })];
    const error = { code: 'invalid_request', outcome: 'not-sent', issues };
    await expect(open('order-1', fields)).rejects.toMatchObject(error);
    expect(await states()).toEqual([]);
    // Nor is it taken for a request without that field.
    await expect(open('order-2', fields)).rejects.toMatchObject(error);
    expect(client.calls).toHaveLength(1);
  });

  it('sends what it has hashed, although the caller changes the request meanwhile', async () => {
    const { open, client } = setUp();
    const mine = { ...request, recurrence: { ...request.recurrence } };
    const opened = open('order-1', mine);
    mine.amount = 1;
    mine.recurrence.amount = { recurrenceAmount: 1 };
    await opened;
    expect(client.calls).toEqual([{ ...request, referenceCode: 'order-1' }]);
    expect(await open()).toMatchObject({ attempt: 1 });
  });

  it('gives the order order-1-2 and the second attempt of order-1 two references', async () => {
    const { orders, open, client } = setUp([undefined, errors.unknown()]);
    await open('order-1-2');
    await expect(open()).rejects.toThrow('504');
    expect(await open()).toMatchObject({ attempt: 2, referenceCode: 'order-1-3' });
    await orders.close('order-1-2');
    expect(await open('order-1-2')).toMatchObject({ referenceCode: 'order-1-2-2' });
    const references = client.calls.map(({ referenceCode }) => referenceCode);
    expect(new Set(references).size).toBe(references.length);
  });

  it('never returns the QR code of an owner that outlived its lease, but the order’s', async () => {
    const slow = deferred<Answer>();
    const { orders, open, clock, states } = setUp([slow.promise]);
    const late = open();
    await expect.poll(() => states()).toEqual(['order-1 sending']);
    clock.now += LEASE_MS;
    const shown = await open();
    slow.resolve(undefined);
    expect(await late).toEqual(shown);
    expect(await states()).toEqual(['order-1 lost', 'order-1-2 created']);
    const lost = { state: 'lost', uuid: 'uuid-of-order-1' };
    expect((await orders.find({ key: 'order-1' })).attempts[0]).toMatchObject(lost);
  });

  it.each([
    ['', 'empty'],
    [' order', 'a space at an end'],
    ['order\n1', 'a control character'],
    ['\ud800', 'half a character'],
    ['x'.repeat(201), 'too long'],
    [42, 'a number'],
    [{}, 'an object'],
  ])('refuses the key %j (%s)', async (key, why) => {
    const { open, client } = setUp();
    const refused = open(key as string);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
    if (typeof key !== 'string')
      await expect(refused).rejects.toThrow(`expected a text, got ${why}: a text of`);
    expect(client.calls).toEqual([]);
  });

  it('refuses a referenceCode in the request, which it would replace, and records nothing', async () => {
    const { open, states, client } = setUp();
    const refused = open('order-1', { referenceCode: 'mine' } as never);
    await expect(refused).rejects.toThrow(
      'referenceCode: expected none: `orderKey`, the first argument, becomes the',
    );
    expect([client.calls, await states()]).toEqual([[], []]);
  });
});

describe('find', () => {
  it('knows an attempt by its uuid, by its reference, and by the uuid before the reference', async () => {
    const { orders, open } = setUp([{ uuid: 'first' }, { uuid: 'second' }]);
    await open();
    await open('order-2');
    const at = { attempt: 1, createdAt: 1_000_000 };
    const attempts = [{ ...at, referenceCode: 'order-1', state: 'created', uuid: 'first' }];
    const lists = { payments: [], returns: [], recurrences: [], cases: [], dismissed: [] };
    const first = { key: 'order-1', state: 'open', attempts, ...lists };
    const nobody = { key: 'nobody', state: 'none', attempts: [], ...lists };
    expect(await orders.find({ key: 'order-1' })).toEqual(first);
    expect(await orders.find({ key: 'nobody' })).toEqual(nobody);
    expect(await orders.find({ uuid: 'first' })).toEqual(first);
    expect(await orders.find({ referenceCode: 'order-1' })).toEqual(first);
    expect(await orders.find({ uuid: 'first', referenceCode: 'order-2' })).toEqual(first);
    expect(await orders.find({ uuid: 'unknown', referenceCode: 'order-1' })).toEqual(first);
    expect(await orders.find({ uuid: 'unknown', referenceCode: null })).toBeUndefined();
    await expect(orders.find({} as never)).rejects.toMatchObject({ code: 'configuration' });
  });
});

describe('close', () => {
  it('lets the next open make a new journey, under a reference of its own', async () => {
    const { orders, open, states } = setUp();
    await open();
    await orders.close('order-1');
    expect(await open('order-1', { amount: 70 })).toMatchObject({ attempt: 2 });
    expect(await states()).toEqual(['order-1 closed', 'order-1-2 created']);
  });

  it('closes every journey that is not paid, gives what it closed, and nothing the second time', async () => {
    const { orders, open, states, write } = setUp();
    const { uuid } = await open();
    await write(attemptIn(2, 'lost'));
    await write(attemptIn(3, 'expired'));
    const closed = { state: 'closed', createdAt: expect.any(Number) };
    expect((await orders.close('order-1')).attempts).toMatchObject([
      { ...closed, attempt: 1, referenceCode: 'order-1', uuid },
      { ...closed, attempt: 2 },
      { ...closed, attempt: 3 },
    ]);
    expect(await orders.close('order-1')).toEqual({ attempts: [], recurrences: [] });
    expect(await states()).toEqual(['order-1 closed', 'order-1-2 closed', 'order-1-3 closed']);
  });

  it('never shows the QR code of a journey that was closed while it was being created', async () => {
    const { orders, open, client, states } = setUp();
    const create = client.createRecurringCheckout.bind(client);
    vi.spyOn(client, 'createRecurringCheckout').mockImplementationOnce(async (...call) => {
      const answer = await create(...call);
      expect((await orders.close('order-1')).attempts).toMatchObject([{ attempt: 1 }]);
      return answer;
    });
    const message = expect.stringContaining('was closed');
    await expect(open()).rejects.toMatchObject({ code: 'store_failed', message });
    expect(await states()).toEqual(['order-1 closed']);
    expect(client.calls).toHaveLength(1);
    // Its payer is asked about all the same.
    expect(await orders.find({ uuid: 'uuid-of-order-1' })).toMatchObject({ attempts: [{ state: 'closed' }] });
  });

  it('closes although another change of the order comes between, and keeps no QR code', async () => {
    const { store, read, write, open, states } = setUp();
    await open();
    const steps = stepsOf(store);
    let others = 1;
    const contended = storeOf({
      ...steps,
      changeRecord: (prefix, id, next, known) =>
        steps.changeRecord(
          prefix,
          id,
          async (before: Parameters<typeof next>[0]) => {
            const after = await next(before);
            if (others > 0) {
              others -= 1;
              await write(attemptIn(2, 'expired'));
            }
            return after;
          },
          known,
        ),
    });
    await setUp([], { store: contended }).orders.close('order-1');
    expect(await states()).toEqual(['order-1 closed', 'order-1-2 closed']);
    expect((await read()).order.attempts[0]?.qrCode).toBeUndefined();
  });

  it("refuses a transaction's uuid, whose order would stay open behind an answer of []", async () => {
    const { orders, open, states } = setUp();
    const { uuid = '' } = await open();
    await expect(orders.close(uuid)).rejects.toMatchObject({
      code: 'invalid_request',
      issues: [{ path: ['orderKey'], message: 'expected the key of the order, got a uuid' }],
    });
    expect(await states()).toEqual(['order-1 created']);
    expect(await orders.close('order-9')).toEqual({ attempts: [], recurrences: [] });
  });

  it('does nothing about an order without a journey, and closes one that is being made', async () => {
    const { orders, states, clock, write } = setUp();
    await orders.close('order-1');
    const times = { startedAt: clock.now, leaseUntil: clock.now + LEASE_MS };
    await write(attemptIn(1, 'sending', times));
    await orders.close('order-1');
    expect(await states()).toEqual(['order-1 closed']);
  });
});

describe('a database that fails', () => {
  /** A store that fails before or after it has read, written a new order or changed it, as often as the test says. */
  function failing(step: 'read' | 'insert' | 'update', times: number, acts = false) {
    const steps = stepsOf(new MemoryStore());
    let left = times;
    const faultily = async <Result>(isMeant: boolean, act: () => Promise<Result>): Promise<Result> => {
      const fails = isMeant && left > 0;
      if (fails) left -= 1;
      if (fails && !acts) throw new Error('no database');
      const result = await act();
      if (fails) throw new Error('the answer was lost');
      return result;
    };
    return storeOf({
      readRecord: (prefix, id) =>
        faultily(step === 'read' && prefix === 'order:', () => steps.readRecord(prefix, id)),
      writeRecord: (prefix, id, value, read, until) => {
        const kind = read.version === 0 ? 'insert' : 'update';
        const write = () => steps.writeRecord(prefix, id, value, read, until);
        return faultily(step === kind && prefix === 'order:', write);
      },
    });
  }

  it.each([
    ['read', 2, false],
    ['insert', 2, false],
    ['insert', 1, true],
    ['update', 2, false],
    ['update', 1, true],
  ] as const)(
    'survives %s failing %s times (after it acted: %s), with one journey',
    async (method, times, acts) => {
      const { open, client } = setUp([], { store: failing(method, times, acts), waitMs: 10_000 });
      expect(await open()).toMatchObject({ attempt: 1, uuid: 'uuid-of-order-1' });
      expect(client.calls).toHaveLength(1);
    },
  );

  it('sends nothing without a recorded intent, and throws the database’s error', async () => {
    const { open, client } = setUp([], { store: failing('insert', 99) });
    await expect(open()).rejects.toThrow('no database');
    expect(client.calls).toEqual([]);
  });

  /** The error of an open whose store has failed like this. */
  const storeError = (says: string, cause: unknown) => ({
    name: 'StoreError',
    message: expect.stringContaining(says),
    cause,
  });

  it.each([
    ['KnexTimeoutError', 'Knex: Timeout acquiring a connection. Are you missing a .transacting(trx) call?'],
    ['Error', 'timeout exceeded when trying to connect'],
  ])('names a transaction around it where the pool has no connection: %s %s', async (name, text) => {
    const cause = Object.assign(new Error(text), { name });
    const readRecord = () => Promise.reject(cause);
    const { open, client } = setUp([], { store: storeOf({ readRecord }) });
    await expect(open()).rejects.toMatchObject(storeError('inside a transaction', cause));
    expect(client.calls).toEqual([]);
  });

  it('returns no journey that it could not record', async () => {
    const { open } = setUp([], { store: failing('update', 99) });
    await expect(open()).rejects.toMatchObject(storeError('uuid-of-order-1', new Error('no database')));
  });

  it('goes on for waitMs after its call, however long the call took', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = deferred<Answer>();
    const { open, client } = setUp([answer.promise], { store: failing('update', 5), waitMs: 3_000 });
    const opened = open();
    await expect.poll(() => client.calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    answer.resolve(undefined);
    // Five failures take 1.55 s of pauses.
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await opened).toMatchObject({ uuid: 'uuid-of-order-1' });
  });

  it('throws the call’s error rather than that of recording it', async () => {
    const { open } = setUp([errors.unknownWithUuid()], { store: failing('update', 99) });
    await expect(open()).rejects.toMatchObject({ uuid: 'seen-uuid' });
  });

  it('does not send again and again over a replica that shows no write', async () => {
    const store = storeOf({
      readRecord: async () => ({ value: undefined, version: 0, now: 0 }),
      writeRecord: async () => true,
    });
    const { open, client } = setUp([], { store });
    await expect(open()).rejects.toBeInstanceOf(OrderBusyError);
    expect(client.calls).toEqual([]);
  });

  it('does not repeat writes that do not show without end, and names a journey behind them', async () => {
    const steps = stepsOf(new MemoryStore());
    const update = vi.fn(async () => true);
    const writeRecord: StoreSteps['writeRecord'] = (prefix, id, value, read, until) =>
      read.version === 0 ? steps.writeRecord(prefix, id, value, read, until) : update();
    const store = storeOf({ ...(steps as StoreSteps<undefined>), writeRecord });
    const { open, client } = setUp([], { store });
    await expect(open()).rejects.toMatchObject(storeError('uuid-of-order-1', expect.any(OrderBusyError)));
    expect(client.calls).toHaveLength(1);
    expect(update.mock.calls.length).toBeLessThan(10);
  });
});

describe('options', () => {
  const { client, store } = setUp();

  it.each([
    ['no client', { store }, 'Expected `client`: `PaymentsClient.fromEnv()`'],
    [
      'no client at all',
      { store, client: {} },
      'Expected `client` with `createRecurringCheckout`: `Payments',
    ],
    ['no store', { client }, 'store'],
    ['the steps of a store', { client, store: stepsOf(store) }, 'store'],
    ['no time for a call', { client, store, totalTimeoutMs: 0 }, 'Expected `totalTimeoutMs`'],
    ['no time to wait', { client, store, waitMs: Number.NaN }, 'Expected `waitMs`'],
  ])('refuses %s', (_, options, says) => {
    const refused = { code: 'configuration', message: expect.stringContaining(says) };
    expect(() => createOrders(options as never)).toThrow(expect.objectContaining(refused));
  });
});

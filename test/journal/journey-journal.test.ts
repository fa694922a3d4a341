import { describe, expect, it, vi } from 'vitest';
import { type InvalidRequestError, StoreError, TimeoutError } from '../../src/errors';
import {
  JourneyBusyError,
  JourneyConflictError,
  JourneyJournal,
  MemoryJourneyRecords,
} from '../../src/journal';
import { type Answer, deferred, errors, record, request, setUp } from './support';

const LEASE_MS = 90_000 + 60_000;

describe('open', () => {
  it('creates one journey, and returns the same one ever after', async () => {
    const { client, journal, states } = setUp();
    const journey = await journal.open('order-1', request);
    expect(journey).toEqual({
      orderKey: 'order-1',
      attempt: 1,
      referenceCode: 'order-1',
      uuid: 'uuid-of-order-1',
      qrCode: { plain: 'qr-of-order-1' },
    });
    expect(await journal.open('order-1', request)).toEqual(journey);
    expect(client.calls).toEqual([{ ...request, referenceCode: 'order-1' }]);
    expect(client.options).toEqual([{ totalTimeoutMs: 90_000 }]);
    expect(await states()).toEqual(['order-1 created']);
  });

  it('records the intent before it sends, for as long as the call may take and a minute', async () => {
    const { client, records, journal, clock } = setUp([], { totalTimeoutMs: 5_000 });
    const create = vi.spyOn(client, 'createRecurringCheckout');
    create.mockImplementationOnce(async () => {
      const { attempts } = await records.read('order-1');
      expect(attempts).toMatchObject([{ state: 'sending', leaseUntil: clock.now + 65_000 }]);
      throw errors.refused();
    });
    await expect(journal.open('order-1', request)).rejects.toMatchObject({ httpStatus: 422 });
  });

  it('waits for another call, then gives up with nothing sent', async () => {
    const { client, journal } = setUp([deferred<Answer>().promise]);
    void journal.open('order-1', request);
    const error = await journal.open('order-1', request).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(JourneyBusyError);
    expect(error).toMatchObject({ code: 'journey_busy', outcome: 'not-sent' });
    expect(client.calls).toHaveLength(1);
  });

  it.each([
    ['refused', errors.refused, 'refused'],
    ['not sent', errors.notSent, 'refused'],
    ['unknown', errors.unknown, 'lost'],
    ['not an error of a call', () => new TypeError('a double'), 'lost'],
  ])(
    'after a call that was %s, throws its error, and the next open makes a new attempt',
    async (_, make, state) => {
      const error = make();
      const { journal, states, client } = setUp([error]);
      await expect(journal.open('order-1', request)).rejects.toBe(error);
      expect(await states()).toEqual([`order-1 ${state}`]);
      expect(await journal.open('order-1', request)).toMatchObject({
        attempt: 2,
        referenceCode: 'order-1-2',
      });
      expect(await states()).toEqual([`order-1 ${state}`, 'order-1-2 created']);
      expect(client.calls).toHaveLength(2);
    },
  );

  it('keeps the uuid of an error, for find, and shows nothing', async () => {
    const { journal } = setUp([errors.unknownWithUuid()]);
    await expect(journal.open('order-1', request)).rejects.toMatchObject({ uuid: 'seen-uuid' });
    expect(await journal.find({ uuid: 'seen-uuid' })).toMatchObject({ orderKey: 'order-1', state: 'lost' });
  });

  it('refuses other money, naming paths and no values, and sends nothing', async () => {
    const { journal, client } = setUp();
    await journal.open('order-1', request);
    const other = {
      ...request,
      currency: 'USD',
      amount: 60,
      recurrence: {
        immediatePayment: true,
        amount: { recurrenceAmount: 31 },
        calendar: { periodicity: 'WEEKLY' },
      },
    };
    const error = await journal.open('order-1', other).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(JourneyConflictError);
    expect(error).toMatchObject({
      code: 'journey_conflict',
      outcome: 'not-sent',
      uuid: 'uuid-of-order-1',
      paths: ['currency', 'amount', 'recurrence.amount.recurrenceAmount', 'recurrence.calendar.periodicity'],
    });
    expect(String(error)).not.toMatch(/60|31|USD|WEEKLY/);
    // Everything but the money may differ.
    const corrected = {
      ...request,
      maxAge: 30,
      shopper: { name: 'Maria da Silva' },
      recurrence: { ...request.recurrence, calendar: { initialDate: '2027-01-01' } },
    };
    expect(await journal.open('order-1', corrected)).toMatchObject({ attempt: 1 });
    expect(client.calls).toHaveLength(1);
  });

  it.each([
    ['an amount that is NaN', { amount: Number('59,70') }, 'amount'],
    [
      'an amount without end',
      { recurrence: { ...request.recurrence, amount: { recurrenceAmount: 1 / 0 } } },
      'recurrence.amount.recurrenceAmount',
    ],
    ['a field beside the money', { maxAge: Number.NaN }, 'maxAge'],
    [
      'an invalid date',
      { recurrence: { ...request.recurrence, calendar: { initialDate: new Date('31/12/2026') as never } } },
      'recurrence.calendar.initialDate',
    ],
  ])('refuses what JSON would lose before it records anything: %s', async (_, fields, path) => {
    const { journal, states, client } = setUp();
    await journal.open('order-2', { ...request, amount: undefined } as never);
    const error = await journal.open('order-1', { ...request, ...fields }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' });
    expect((error as InvalidRequestError).issues.map((issue) => issue.path.join('.'))).toEqual([path]);
    expect(await states()).toEqual([]);
    // Nor is it taken for a request without that field.
    await expect(journal.open('order-2', { ...request, ...fields })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(client.calls).toHaveLength(1);
  });

  it('sends what it has hashed, although the caller changes the request meanwhile', async () => {
    const { journal, client } = setUp();
    const mine = { ...request, recurrence: { ...request.recurrence } };
    const opened = journal.open('order-1', mine);
    mine.amount = 1;
    mine.recurrence.amount = { recurrenceAmount: 1 };
    await opened;
    expect(client.calls).toEqual([{ ...request, referenceCode: 'order-1' }]);
    expect(await journal.open('order-1', request)).toMatchObject({ attempt: 1 });
  });

  it('gives the order order-1-2 and the second attempt of order-1 two references', async () => {
    const { journal, client } = setUp([undefined, errors.unknown()]);
    await journal.open('order-1-2', request);
    await expect(journal.open('order-1', request)).rejects.toThrow('504');
    expect(await journal.open('order-1', request)).toMatchObject({ attempt: 2, referenceCode: 'order-1-3' });
    await journal.close('order-1-2');
    expect(await journal.open('order-1-2', request)).toMatchObject({ referenceCode: 'order-1-2-2' });
    const references = client.calls.map(({ referenceCode }) => referenceCode);
    expect(new Set(references).size).toBe(references.length);
  });

  it('never returns the QR code of an owner that outlived its lease, but the order’s', async () => {
    const slow = deferred<Answer>();
    const { journal, clock, states } = setUp([slow.promise]);
    const late = journal.open('order-1', request);
    await vi.waitFor(async () => expect(await states()).toEqual(['order-1 sending']));
    clock.now += LEASE_MS;
    const shown = await journal.open('order-1', request);
    slow.resolve(undefined);
    expect(await late).toEqual(shown);
    expect(await states()).toEqual(['order-1 surplus', 'order-1-2 created']);
    expect(await journal.find({ referenceCode: 'order-1' })).toMatchObject({
      state: 'surplus',
      uuid: 'uuid-of-order-1',
    });
  });

  it.each([
    ['', 'empty'],
    [' order', 'a space at an end'],
    ['order\n1', 'a control character'],
    ['\ud800', 'half a character'],
    ['x'.repeat(201), 'too long'],
    [42, 'a number'],
  ])('refuses the key %j (%s)', async (key, _why) => {
    const { journal, client } = setUp();
    await expect(journal.open(key as string, request)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(client.calls).toEqual([]);
  });
});

describe('lookUp', () => {
  const qrCode = { plain: 'looked-up' };

  it('finds a lost journey with its QR code, and no second one is made', async () => {
    const lookUp = vi.fn(async () => ({ uuid: 'found', qrCode }));
    const { journal, client } = setUp([errors.unknown()], { lookUp });
    await expect(journal.open('order-1', request)).rejects.toThrow('504');
    expect(await journal.open('order-1', request)).toMatchObject({ attempt: 1, uuid: 'found', qrCode });
    expect(lookUp.mock.calls).toEqual([['order-1']]);
    expect(client.calls).toHaveLength(1);
  });

  it.each([
    ['undefined', undefined, undefined],
    ['a journey without a QR code', { uuid: 'found' }, 'found'],
    ['a journey with an empty QR code', { uuid: 'found', qrCode: { plain: '' } }, 'found'],
  ])('makes a new attempt after %s', async (_, found, uuid) => {
    const { journal, states, records } = setUp([errors.unknown()], { lookUp: async () => found });
    await expect(journal.open('order-1', request)).rejects.toThrow('504');
    expect(await journal.open('order-1', request)).toMatchObject({ attempt: 2 });
    expect(await states()).toEqual(['order-1 lost', 'order-1-2 created']);
    expect((await records.read('order-1')).attempts[0]?.uuid).toBe(uuid);
  });

  it('sends nothing when it fails', async () => {
    const lookUp = () => Promise.reject(new Error('no answer'));
    const { journal, client } = setUp([errors.unknown()], { lookUp });
    await expect(journal.open('order-1', request)).rejects.toThrow('504');
    await expect(journal.open('order-1', request)).rejects.toThrow('no answer');
    expect(client.calls).toHaveLength(1);
  });

  it('is waited for as long as a call may take, all attempts together, and nothing is sent', async () => {
    const lookUp = vi.fn(
      () => new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), 400)),
    );
    const lost = [errors.unknown(), errors.unknown()];
    const { journal, client, records } = setUp(lost, { totalTimeoutMs: 700 });
    for (const _ of lost) await expect(journal.open('order-1', request)).rejects.toThrow('504');
    const looking = new JourneyJournal({ client, records, lookUp, totalTimeoutMs: 700 });
    const error = await looking.open('order-1', request).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent' });
    expect(lookUp.mock.calls).toEqual([['order-1'], ['order-1-2']]);
    expect(client.calls).toHaveLength(2);
  });
});

describe('find', () => {
  it('knows an attempt by its uuid, by its reference, and by the uuid before the reference', async () => {
    const { journal } = setUp([{ uuid: 'first' }, { uuid: 'second' }]);
    await journal.open('order-1', request);
    await journal.open('order-2', request);
    const first = {
      orderKey: 'order-1',
      attempt: 1,
      referenceCode: 'order-1',
      state: 'created',
      uuid: 'first',
    };
    expect(await journal.find({ uuid: 'first' })).toEqual(first);
    expect(await journal.find({ referenceCode: 'order-1' })).toEqual(first);
    expect(await journal.find({ uuid: 'first', referenceCode: 'order-2' })).toEqual(first);
    expect(await journal.find({ uuid: 'unknown', referenceCode: 'order-1' })).toEqual(first);
    expect(await journal.find({ uuid: 'unknown', referenceCode: null })).toBeUndefined();
    await expect(journal.find({} as never)).rejects.toMatchObject({ code: 'configuration' });
  });
});

describe('close', () => {
  it('lets the next open make a new journey, under a reference of its own', async () => {
    const { journal, states } = setUp();
    await journal.open('order-1', request);
    await journal.close('order-1');
    expect(await journal.open('order-1', { ...request, amount: 70 })).toMatchObject({ attempt: 2 });
    expect(await states()).toEqual(['order-1 closed', 'order-1-2 created']);
  });

  it('closes only the journey that is named, however often it runs', async () => {
    const { journal, states } = setUp();
    const { uuid } = await journal.open('order-1', request);
    await journal.close('order-1', { uuid });
    await journal.open('order-1', request);
    await journal.close('order-1', { uuid });
    expect(await states()).toEqual(['order-1 closed', 'order-1-2 created']);
  });

  it('does nothing about an order without a journey, or whose journey is being made', async () => {
    const { journal, states, clock, records } = setUp();
    await journal.close('order-1');
    await records.insert(record(1, 'sending', { startedAt: clock.now, leaseUntil: clock.now + LEASE_MS }));
    await journal.close('order-1');
    expect(await states()).toEqual(['order-1 sending']);
  });
});

describe('a database that fails', () => {
  /** Records whose method fails, before or after it has acted, as often as the test says. */
  function failing(method: 'read' | 'insert' | 'update', times: number, acts = false) {
    const records = new MemoryJourneyRecords();
    const work = records[method].bind(records) as (...args: unknown[]) => Promise<never>;
    let left = times;
    Object.assign(records, {
      async [method](...args: unknown[]) {
        const fails = left > 0;
        left -= 1;
        if (fails && !acts) throw new Error('no database');
        const result = await work(...args);
        if (fails) throw new Error('the answer was lost');
        return result;
      },
    });
    return records;
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
      const { journal, client } = setUp([], { records: failing(method, times, acts), waitMs: 10_000 });
      expect(await journal.open('order-1', request)).toMatchObject({ attempt: 1, uuid: 'uuid-of-order-1' });
      expect(client.calls).toHaveLength(1);
    },
  );

  it('sends nothing without a recorded intent, and throws the database’s error', async () => {
    const { journal, client } = setUp([], { records: failing('insert', 99) });
    await expect(journal.open('order-1', request)).rejects.toThrow('no database');
    expect(client.calls).toEqual([]);
  });

  it('returns no journey that it could not record', async () => {
    const { journal } = setUp([], { records: failing('update', 99) });
    const error = await journal.open('order-1', request).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({
      message: expect.stringContaining('uuid-of-order-1'),
      cause: new Error('no database'),
    });
  });

  it('goes on for waitMs after its call, however long the call took', async () => {
    const answer = deferred<Answer>();
    const records = failing('update', 5);
    const { journal, client } = setUp([answer.promise], { records, waitMs: 3_000 });
    const opened = journal.open('order-1', request);
    await vi.waitFor(() => expect(client.calls).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 1_700));
    answer.resolve(undefined);
    // Five failures take 1.55 s of pauses; before the call, 1.3 s were left.
    expect(await opened).toMatchObject({ uuid: 'uuid-of-order-1' });
  });

  it('throws the call’s error rather than that of recording it', async () => {
    const { journal } = setUp([errors.unknownWithUuid()], { records: failing('update', 99) });
    await expect(journal.open('order-1', request)).rejects.toMatchObject({ uuid: 'seen-uuid' });
  });

  it('does not send again and again over a replica that shows no write', async () => {
    const records = new MemoryJourneyRecords();
    records.read = async () => ({ now: 0, attempts: [] });
    const { journal, client } = setUp([], { records });
    await expect(journal.open('order-1', request)).rejects.toBeInstanceOf(JourneyBusyError);
    expect(client.calls).toEqual([]);
  });
});

describe('writes that do not show', () => {
  it('are not repeated without end, and a journey behind them is named', async () => {
    const { journal, client, records } = setUp();
    const update = vi.spyOn(records, 'update').mockResolvedValue();
    const error = await journal.open('order-1', request).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({
      message: expect.stringContaining('uuid-of-order-1'),
      cause: expect.any(JourneyBusyError),
    });
    expect(client.calls).toHaveLength(1);
    expect(update.mock.calls.length).toBeLessThan(10);
  });
});

describe('options', () => {
  const { client, records } = setUp();

  it.each([
    ['no client', { records }],
    ['no records', { client }],
    ['a lookUp that is no function', { client, records, lookUp: {} }],
    ['no time for a call', { client, records, totalTimeoutMs: 0 }],
    ['no time to wait', { client, records, waitMs: Number.NaN }],
  ])('refuses %s', (_, options) => {
    expect(() => new JourneyJournal(options as never)).toThrow(
      expect.objectContaining({ code: 'configuration' }),
    );
  });
});

import { confirmPayment, type Transaction } from 'pix-automatic-sdk';
import { fixtures } from 'pix-automatic-sdk/testing';
import {
  constructNotification,
  defineNotification,
  InvalidNotificationError,
  parseNotification,
  type RecurrenceEventType,
  type WebhookReport,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { createStore } from '../../src/stores';
import { MemoryRecords } from '../helpers/memory-records';
import { queries, recurrencePayload, salePayload } from './payloads';
import { authorization, createListener, credentials, everythingPrintedOf, linesOf, send } from './support';

// The events are of the service's public pages: its document shows none of them.

const keyOf = (body: object) => parseNotification({ body }).key;
const charge = (eventType: RecurrenceEventType, fields: object = {}) =>
  recurrencePayload({ eventType, ...fields });
const paid = (fields: object = {}) => charge('RECURRENCE_CHARGE_PAID', fields);

describe('an event of a recurrence', () => {
  it.each<[RecurrenceEventType, string]>([
    ['RECURRENCE_AUTHORIZED', 'RR1:RECURRENCE_AUTHORIZED'],
    ['RECURRENCE_REJECTED', 'RR1:RECURRENCE_REJECTED'],
    ['RECURRENCE_EXPIRED', 'RR1:RECURRENCE_EXPIRED'],
    ['RECURRENCE_CANCELLED', 'RR1:RECURRENCE_CANCELLED'],
    ['RECURRENCE_CONCLUDED', 'RR1:RECURRENCE_CONCLUDED'],
    ['RECURRENCE_CHARGE_SCHEDULED', 'RR1%2Fc-1:RECURRENCE_CHARGE_SCHEDULED:2027-02-15'],
    ['RECURRENCE_CHARGE_FAILED', 'RR1%2Fc-1:RECURRENCE_CHARGE_FAILED:2027-02-15:2027-01-15:true'],
  ])('%s is of kind recurrence, under its subject and state', (eventType, key) => {
    const body = charge(eventType);
    const input = { authorization, url: '/webhooks?shop=7', body: JSON.stringify(body) };
    expect(constructNotification(input, credentials)).toStrictEqual({
      kind: 'recurrence',
      payload: body,
      raw: body,
      key: `recurrence:${key}`,
    });
  });

  it('of a charge without a saleToken is told apart by its due day', () => {
    const [one, other] = ['2027-02-15 00:00:00', '2027-03-15 00:00:00'].map((chargeDueDate) =>
      keyOf({ ...charge('RECURRENCE_CHARGE_SCHEDULED'), saleToken: null, chargeDueDate }),
    );
    expect([one, other]).toEqual([
      'recurrence:RR1%2F2027-02-15:RECURRENCE_CHARGE_SCHEDULED:2027-02-15',
      'recurrence:RR1%2F2027-03-15:RECURRENCE_CHARGE_SCHEDULED:2027-03-15',
    ]);
  });

  it.each<[string, object, boolean]>([
    ['at another time of the day', { eventDate: '2027-01-15 23:59:59' }, true],
    ['with another text of the bank', { rejectionReason: 'other' }, true],
    ['on another day', { eventDate: '2027-01-16 14:31:07' }, false],
    ['with no retry any more', { retryScheduled: false }, false],
    ['of another due day', { chargeDueDate: '2027-03-15 00:00:00' }, false],
    ['of another sale', { saleToken: 'c-2' }, false],
    ['of another recurrence', { idRec: 'RR2' }, false],
  ])('that a charge failed, %s, is a repeat or another: %j', (_, change, isRepeat) => {
    const [first, second] = [charge('RECURRENCE_CHARGE_FAILED'), charge('RECURRENCE_CHARGE_FAILED', change)];
    expect(keyOf(first) === keyOf(second)).toBe(isRepeat);
  });

  it.each([
    ['an eventType that the pages do not show', { eventType: 'RECURRENCE_CHARGE_REFUNDED' }],
    ['an eventType in lower case', { eventType: 'recurrence_authorized' }],
    ['no idRec', { idRec: undefined }],
    ['an empty idRec', { idRec: '' }],
    ['an idRec that is no text', { idRec: 7 }],
  ])('is unrecognized with %s: it may be about money', (_, change) => {
    for (const body of [recurrencePayload(), paid()]) {
      expect(parseNotification({ body: { ...body, ...change } }).kind).toBe('unrecognized');
    }
  });

  it('is what the document shows, where it has the shape of that', () => {
    for (const event of [recurrencePayload(), paid({ saleToken: 's-1' })]) {
      expect(keyOf({ ...event, ...salePayload() })).toBe('payment:s-1:PAID');
      expect(keyOf({ ...event, refund: { uuid: 'r-1' }, saleToken: 's-1', status: 'PAID' })).toBe(
        'refund:r-1:PAID',
      );
    }
  });

  it('is refused under the flags of another kind', () => {
    for (const body of [recurrencePayload(), paid()]) {
      const error = expect.objectContaining({
        issues: [{ path: [], message: expect.stringMatching(/refund.*got that of a recurrence$/) }],
      });
      expect(() => parseNotification({ url: queries.refund, body })).toThrow(error);
    }
  });

  it('is of a merchant’s own kind, if that takes it', () => {
    const own = defineNotification({
      kind: 'mine',
      match: ({ eventType }) => eventType === 'RECURRENCE_CHARGE_PAID',
      schema: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
      subject: () => 'x',
    });
    expect(parseNotification({ body: paid(), kinds: [own] }).kind).toBe('mine');
  });

  it('has a field of another type left out, kept in raw, and named', () => {
    const body = {
      ...charge('RECURRENCE_CHARGE_FAILED'),
      saleToken: '',
      retryScheduled: 'yes',
      amount: '59.7',
    };
    const {
      key,
      raw,
      issues = [],
    } = parseNotification({ body }) as { issues?: { path: unknown }[] } & ReturnType<
      typeof parseNotification
    >;
    expect(raw).toEqual(body);
    expect(issues.map(({ path }) => path)).toEqual([['amount'], ['saleToken'], ['retryScheduled']]);
    expect(key).toBe('recurrence:RR1%2F2027-02-15:RECURRENCE_CHARGE_FAILED:2027-02-15:2027-01-15:');
  });
});

describe('a charge that is paid', () => {
  it('is a payment of its own sale, with its event', () => {
    const body = paid();
    expect(parseNotification({ body })).toStrictEqual({
      kind: 'payment',
      payload: {
        saleToken: 'c-1',
        newStatus: 'PAID',
        amount: 59.7,
        referenceCode: 'order-1',
        date: body.eventDate,
        recurrence: body,
      },
      raw: body,
      key: 'payment:c-1:PAID',
    });
  });

  it.each([undefined, null, '', 7, 'x'.repeat(513), 'c-\uFFFD'])(
    'is refused with the saleToken %j',
    (saleToken) => {
      const body = { ...paid(), saleToken };
      const thrown = () => parseNotification({ body });
      expect(thrown).toThrow(InvalidNotificationError);
      expect(thrown).toThrow(
        expect.objectContaining({
          issues: [{ path: ['saleToken'], message: 'required, the uuid of the charge' }],
        }),
      );
    },
  );

  it('is acted on once, in whichever form and order it comes', async () => {
    const ordinary = { ...salePayload(), saleToken: 'c-1', referenceCode: 'another' };
    for (const bodies of [
      [paid(), ordinary, paid()],
      [ordinary, paid(), ordinary],
    ]) {
      const { handler, acted, reports } = createListener();
      for (const body of bodies) expect(await send(handler, body)).toBe(200);
      expect([acted, linesOf(reports)]).toEqual([['payment:c-1:PAID'], []]);
    }
  });

  it.each([
    ['sum', { chargeAmount: 30 }, 'amount'],
    ['due day', { chargeDueDate: '2027-03-15 00:00:00' }, 'chargeDueDate'],
  ])(
    'is an unexpected repeat with another %s under the same sale: nothing is dropped',
    async (_, change, field) => {
      const { handler, acted, reports } = createListener();
      for (const body of [paid(), paid(change)]) expect(await send(handler, body)).toBe(200);
      expect(acted).toEqual(['payment:c-1:PAID']);
      expect(linesOf(reports)).toEqual(['unexpected_repeat 200 payment:c-1:PAID']);
      expect(reports[0]?.issues).toMatchObject([{ path: [field] }]);
    },
  );
});

describe('confirmPayment of a charge', () => {
  const source = (fields: Partial<Transaction>) => ({
    getTransaction: async (): Promise<Transaction> => ({
      ...fixtures.transaction({ refunds: undefined }),
      uuid: 'c-1',
      ...fields,
    }),
  });
  const notification = (body: object) => parseNotification({ body }) as never;

  it.each<[string, Partial<Transaction>, string]>([
    ['has the journey’s reference', { referenceCode: 'order-1' }, ''],
    ['has another reference', { referenceCode: 'c-0001' }, ''],
    ['has none', { referenceCode: undefined }, ''],
    ['has another sum', { amount: 12 }, 'amount'],
    ['is not paid', { situation: 'PENDING' }, 'situation'],
    ['is another one', { uuid: 'c-2' }, 'uuid'],
  ])('differs as it should where the transaction %s', async (_, said, different) => {
    const { confirmed, differences } = await confirmPayment(source(said), notification(paid()));
    expect(differences.map(({ field }) => field).join()).toBe(different);
    expect(confirmed).toBe(different === '');
  });

  it('compares the sum of the charge that came as text, and never the recurrence’s', async () => {
    const confirm = (fields: object) =>
      confirmPayment(source({ amount: 59.7 }), notification({ ...paid(), ...fields }));
    const fieldsOf = async (fields: object) => (await confirm(fields)).differences.map(({ field }) => field);
    expect(await fieldsOf({ chargeAmount: '59.7', amount: '12' })).toEqual([]);
    expect(await fieldsOf({ chargeAmount: '12', amount: '59.7' })).toEqual(['amount']);
    expect(await fieldsOf({ chargeAmount: undefined, amount: '12' })).toEqual([]);
  });

  it.each([{}, { idRec: 'RR1' }, 'x', 1, null, paid()])(
    'compares the reference of a sale whose own body has the field recurrence: %j',
    async (recurrence) => {
      const body = { ...salePayload(), saleToken: 'c-1', recurrence };
      const read = parseNotification({ body });
      expect(read.raw).toEqual(body);
      expect(Object.keys(Reflect.get(read, 'payload') as object)).not.toContain('recurrence');
      const { differences } = await confirmPayment(source({ referenceCode: 'other' }), read as never);
      expect(differences.map(({ field }) => field)).toEqual(['referenceCode']);
    },
  );
});

describe('createWebhookHandler', () => {
  it('gives each event to on.recurrence once, and a redelivery with a later date is none', async () => {
    const seen: string[] = [];
    const on = {
      recurrence: ({ payload }: { payload: { eventType: string } }) => void seen.push(payload.eventType),
    };
    const { handler, reports } = createListener({ on });
    const days = ['2027-01-15 14:31:07', '2027-01-15 23:00:00'];
    for (const eventDate of days) {
      for (const eventType of ['RECURRENCE_AUTHORIZED', 'RECURRENCE_CHARGE_FAILED'] as const) {
        expect(await send(handler, charge(eventType, { eventDate }))).toBe(200);
      }
    }
    expect([seen, reports]).toEqual([['RECURRENCE_AUTHORIZED', 'RECURRENCE_CHARGE_FAILED'], []]);
  });

  it('answers 200 to one without a callback, reports it as unhandled, and keeps it', async () => {
    const { handler, reports } = createListener({ deadLetters: true });
    expect(await send(handler, recurrencePayload())).toBe(200);
    expect(linesOf(reports)).toEqual(['unhandled 200 recurrence:RR1:RECURRENCE_AUTHORIZED']);
    expect((await handler.deadLetters.list()).map(({ key }) => key)).toEqual([
      'recurrence:RR1:RECURRENCE_AUTHORIZED',
    ]);
  });

  it('leaves nothing personal anywhere but in the body of a letter', async () => {
    const personal = /Maria|12345678909|saldo insuficiente/;
    const records = new MemoryRecords();
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const reports: WebhookReport[] = [];
    const failing = () => {
      throw new Error('no table');
    };
    for (const on of [
      { recurrence: 'ignore', payment: () => undefined },
      {},
      { recurrence: failing, payment: failing },
    ]) {
      for (const isLogged of [true, false]) {
        const onReport = isLogged ? undefined : (report: WebhookReport) => void reports.push(report);
        const store = createStore(records, { namespace: `n${records.written.length}` });
        const { handler } = createListener({ store, on, deadLetters: true, onReport });
        for (const eventType of [
          'RECURRENCE_AUTHORIZED',
          'RECURRENCE_CHARGE_FAILED',
          'RECURRENCE_CHARGE_PAID',
        ] as const) {
          await send(handler, charge(eventType));
          // And one that is no notification.
          await send(handler, { ...charge(eventType), idRec: 'x'.repeat(600) });
        }
      }
    }
    expect(reports.length).toBeGreaterThan(5);
    expect(everythingPrintedOf(reports.map((report) => ({ ...report, received: undefined })))).not.toMatch(
      personal,
    );
    expect(log.mock.calls.length).toBeGreaterThan(5);
    expect(log.mock.calls.join('\n')).not.toMatch(personal);
    log.mockRestore();
    const [letters, others] = [true, false].map((isLetter) =>
      records.written.filter(({ key }) => key.includes('letter:') === isLetter),
    );
    expect(others?.length).toBeGreaterThan(5);
    expect(JSON.stringify(others)).not.toMatch(personal);
    // A letter has it in its body alone.
    expect(letters?.length).toBeGreaterThan(5);
    const withoutBody = letters?.map(({ key, record }) => [
      key,
      record.replace(/"body":"(?:[^"\\]|\\.)*"/, ''),
    ]);
    expect(JSON.stringify(letters)).toMatch(personal);
    expect(JSON.stringify(withoutBody)).not.toMatch(personal);
    const error = (() => {
      try {
        parseNotification({ body: { ...paid(), saleToken: null } });
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(InvalidNotificationError);
    expect(everythingPrintedOf(error)).not.toMatch(personal);
  });
});

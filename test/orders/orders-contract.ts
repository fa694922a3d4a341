import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createOrders } from '../../src/orders';
import { type Attempt, withAttempt } from '../../src/orders/attempt';
import {
  findOrder,
  type OrderReading,
  readOrder,
  takeReference,
  writeOrder,
} from '../../src/orders/order-records';
import { type Store, stepsOf } from '../../src/stores/steps';
import { allOf } from '../helpers/all-of';
import { attemptIn } from './attempt-in';
import { FakeClient, request } from './support';

const qrCode = { plain: 'é"\\\'?$1 🇧🇷', base64: 'A'.repeat(200_000), extra: [null, '\0'] };

/** What orders in every kind of store do. Each test uses orders of its own, so that all can share a table. */
export function testOrders(name: string, storeOf: (namespace: string) => Promise<Store> | Store): void {
  describe(`orders in a store: ${name}`, () => {
    const setUp = async (namespace = 'orders') => {
      const store = await storeOf(namespace);
      const steps = stepsOf(store);
      const read = (key: string) => readOrder(steps, key);
      const write = (reading: OrderReading, attempt: Attempt) =>
        writeOrder(steps, withAttempt(reading.order, attempt), reading);
      return { store, steps, read, write, orderKey: randomUUID() };
    };

    it('gives back what it was given, to the last character of a QR code, and the time', async () => {
      const { read, write, orderKey } = await setUp();
      const empty = await read(orderKey);
      expect(Math.abs(empty.now - Date.now())).toBeLessThan(60_000);
      expect(empty.order.attempts).toEqual([]);
      const first = attemptIn(1, 'sending', { money: { amount: 'ab', 'recurrence.amount': 'cd' } });
      await write(empty, first);
      const written = await read(orderKey);
      expect(written.order.attempts).toEqual([first]);
      const created = { ...first, state: 'created', uuid: randomUUID(), qrCode } as const;
      await write(written, created);
      expect((await read(orderKey)).order.attempts).toEqual([created]);
    });

    it('writes nothing where the order has changed since it was read: two attempts are never open', async () => {
      const { read, write, orderKey } = await setUp();
      const empty = await read(orderKey);
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          write(empty, attemptIn(1, 'sending', { token: `${index}` })),
        ),
      );
      const first = await read(orderKey);
      expect(first.order.attempts).toHaveLength(1);
      await write(empty, attemptIn(2, 'created'));
      await Promise.all([write(first, attemptIn(2, 'sending')), write(first, attemptIn(3, 'sending'))]);
      expect((await read(orderKey)).order.attempts).toHaveLength(2);
    });

    it('tells orders apart by their bytes', async () => {
      const { steps, read, write, orderKey } = await setUp();
      const keys = ['e', 'E', 'é', 'e ', '{e}', '%', '/order:'].map((end) => orderKey + end);
      for (const key of keys) {
        const reading = await read(key);
        expect(reading.order.attempts).toEqual([]);
        expect(await takeReference(steps, reading.order)).toEqual({ referenceCode: key, lastReference: 1 });
        expect(await write(reading, attemptIn(1, 'sending', { referenceCode: key }))).toBe(true);
      }
      for (const key of keys) expect((await findOrder(steps, { referenceCode: key })).key).toBe(key);
    });

    it('finds an order by a uuid, else by a reference', async () => {
      const { steps, read, write, orderKey } = await setUp();
      const uuid = randomUUID();
      const keyOf = async (reference: object) => (await findOrder(steps, reference)).key;
      expect(await keyOf({ uuid })).toBeUndefined();
      const first = await read(orderKey);
      const { referenceCode } = await takeReference(steps, first.order);
      await write(first, attemptIn(1, 'lost', { referenceCode }));
      const second = await read(orderKey);
      await write(second, attemptIn(2, 'created', { uuid, referenceCode: `${orderKey}-2` }));
      expect(await keyOf({ uuid, referenceCode: 'unknown' })).toBe(orderKey);
      expect(await keyOf({ uuid: randomUUID(), referenceCode })).toBe(orderKey);
    });

    it('gives a reference to one order, and again to the order that has it', async () => {
      const { steps, read, orderKey } = await setUp();
      // Each of these orders would have this reference next, if it were free.
      const [first, second] = await Promise.all([orderKey, `${orderKey}-2`].map(read));
      const taken = await Promise.all([
        takeReference(steps, { ...(first as OrderReading).order, lastReference: 1 }),
        takeReference(steps, (second as OrderReading).order),
      ]).catch(() => []);
      const references = taken.map(({ referenceCode }) => referenceCode);
      expect(new Set(references).size).toBe(references.length);
      // A crash may leave a reference before its attempt.
      const again = await takeReference(steps, (await read(`${orderKey}-2`)).order);
      expect((await findOrder(steps, again)).key).toBe(`${orderKey}-2`);
      expect(await takeReference(steps, (await read(`${orderKey}-2`)).order)).toEqual(again);
    });

    it('takes a reference of chance once ten are taken, and none twice', async () => {
      const { steps, read, orderKey } = await setUp();
      for (let other = 1; other <= 10; other += 1) {
        const key = other === 1 ? orderKey : `${orderKey}-${other}`;
        await takeReference(steps, (await read(key)).order);
      }
      const { order } = await read(orderKey);
      const first = await takeReference(steps, { ...order, lastReference: 1 });
      expect(first).toEqual({ referenceCode: `${orderKey}-11`, lastReference: 11 });
      await takeReference(steps, (await read(`${orderKey}-11`)).order).catch(() => undefined);
      const many = { ...(await read(`${orderKey}-x`)).order, key: `${orderKey}-x` };
      for (let other = 1; other <= 10; other += 1) {
        const key = other === 1 ? many.key : `${many.key}-${other}`;
        await takeReference(steps, { ...many, key: `taker-${key}`, lastReference: 0 });
        await steps.writeRecord(
          'reference:',
          key,
          { key: 'theirs', at: 1 },
          await steps.readRecord('reference:', key),
          9e15,
        );
      }
      const chance = await takeReference(steps, many);
      expect(chance.referenceCode).toMatch(new RegExp(`^${many.key}-[\\da-f]{8}-[\\da-f]{3}$`));
      expect(chance.lastReference).toBe(10);
    });

    it('lists orders and their pointers by pages', async () => {
      const { store, steps } = await setUp(`list-${randomUUID()}`);
      const client = new FakeClient();
      const orders = createOrders({ client, store });
      const keys = Array.from({ length: 7 }, (_, index) => `order ${index} é`);
      for (const key of keys) await orders.open(key, request);
      for (const prefix of ['order:', 'open:'] as const) {
        const found: string[] = [];
        for (let after: string | undefined; ; ) {
          const page = await steps.listRecords<{ key: string }>(prefix, { after, limit: 3 });
          found.push(...page.map(({ value }) => value.key));
          after = page.at(-1)?.value.key;
          if (page.length < 3) break;
        }
        expect(found.toSorted()).toEqual(keys);
      }
      const all = (await allOf(orders.list())).map(({ key }) => key);
      expect(all.toSorted()).toEqual(keys);
      const rest = await allOf(orders.list({ after: String(all[3]) }));
      expect(rest.map(({ key }) => key)).toEqual(all.slice(4));
    });

    it('gives 20 calls at once one journey', async () => {
      const { store, orderKey } = await setUp();
      const client = new FakeClient();
      const all = Array.from({ length: 20 }, () => createOrders({ client, store, waitMs: 30_000 }));
      const journeys = await Promise.all(all.map((orders) => orders.open(orderKey, request)));
      expect(new Set(journeys.map(({ uuid }) => uuid)).size).toBe(1);
      expect(client.calls).toHaveLength(1);
    });

    it('shows the payer of one merchant nothing of another whose order has the same number', async () => {
      const { orderKey } = await setUp();
      const journeys = await Promise.all(
        ['merchant-a', 'merchant-b'].map(async (namespace) => {
          const client = new FakeClient([{ uuid: `${namespace} ${orderKey}` }]);
          const orders = createOrders({ client, store: await storeOf(namespace) });
          const opened = await orders.open(orderKey, request);
          expect(await orders.find({ uuid: String(opened.uuid) })).toMatchObject({ key: orderKey });
          expect(client.calls).toHaveLength(1);
          return opened.uuid;
        }),
      );
      expect(journeys).toEqual([`merchant-a ${orderKey}`, `merchant-b ${orderKey}`]);
      const b = createOrders({ client: new FakeClient(), store: await storeOf('merchant-b') });
      expect(await b.find({ uuid: `merchant-a ${orderKey}` })).toBeUndefined();
    });
  });
}

import { describe, expect, it, vi } from 'vitest';
import { createStore } from '../../src/stores/create-store';
import { MemoryRecords } from '../../src/stores/memory-store';
import { stepsOf } from '../../src/stores/steps';
import { memory, newId, Shop } from './places';
import { monthly, Subscription } from './subscription';
import { errors, setUp } from './support';

const bytesOf = (record: object) => new TextEncoder().encode(JSON.stringify(record)).length;

describe('the record of an order', () => {
  it('has about 7 kB after 60 months', async () => {
    const shop = new Shop(memory().open());
    await shop.pay(await shop.uuid());
    for (let month = 2; month <= 60; month += 1) {
      shop.place.skip?.(30 * 86_400_000);
      expect(await shop.pay(newId(), { amount: 29.9 })).toBe(200);
    }
    expect(await shop.lines()).toHaveLength(60);
    const { value = {} } = await stepsOf(shop.place.store).readRecord<object>('order:', shop.key);
    expect((value as { payments: object[] }).payments).toHaveLength(60);
    expect(bytesOf(value)).toBeLessThan(7_500);
  });

  it('has about 8 kB after 60 months of events, and nothing of a person', async () => {
    const clock = { now: Date.parse('2027-01-15T12:00:00Z') };
    const records = new MemoryRecords(1_000_000, () => clock.now);
    const write = vi.spyOn(records, 'write');
    const store = createStore(records) as never;
    const s = new Subscription({ ...memory().open(), store });
    await s.open(monthly);
    const person = {
      payerName: 'MARIA SILVA',
      payerDocument: '12345678909',
      contractDescription: 'Plano da Maria',
      rejectionReason: 'conta de MARIA bloqueada',
    };
    expect(await s.tell('authorized', person)).toBe(200);
    for (let month = 1; month <= 60; month += 1) {
      clock.now += 30 * 86_400_000;
      const eventDate = new Date(clock.now).toISOString().slice(0, 19).replace('T', ' ');
      const charge = {
        saleToken: s.charged(),
        chargeDueDate: eventDate,
        eventDate,
        chargeAmount: 29.9,
        ...person,
      };
      for (const name of ['charge_scheduled', 'charge_failed']) {
        expect(await s.tell(name, { ...charge, retryScheduled: true, rejectionCode: 'AM04' })).toBe(200);
      }
      expect(await s.tellPaid(charge.saleToken, charge)).toBe(200);
    }
    expect(await s.tell('cancelled', person)).toBe(200);
    const { value = {} } = await stepsOf(store).readRecord<object>('order:', s.key);
    expect((value as { payments: object[] }).payments).toHaveLength(60);
    console.log(`60 months of events: ${bytesOf(value)} bytes`);
    expect(bytesOf(value)).toBeLessThan(8_000);
    // Neither the order, nor its pointers, nor what is done.
    expect(write.mock.calls.length).toBeGreaterThan(300);
    expect(JSON.stringify(write.mock.calls)).not.toMatch(/maria|12345678909|bloqueada/i);
  });

  it('keeps nothing of 1,000 refused opens', async () => {
    const clock = { now: Date.parse('2027-01-15T12:00:00Z') };
    const records = new MemoryRecords(1_000_000, () => clock.now);
    const write = vi.spyOn(records, 'write');
    const keys = async () => {
      const written = [...new Set(write.mock.calls.map(([key]) => key))];
      const versions = await Promise.all(written.map(async (key) => (await records.read(key)).version));
      return written.filter((_, at) => versions[at] !== 0);
    };
    const { open, client, read, states } = setUp(Array.from({ length: 1_000 }, errors.refused), {
      store: createStore(records) as never,
    });
    for (let tries = 0; tries < 1_000; tries += 1) await expect(open()).rejects.toThrow('422');
    expect(client.calls).toHaveLength(1_000);
    const { order } = await read();
    expect(order.attempts).toEqual([]);
    expect(bytesOf(order)).toBeLessThan(600);
    clock.now += 60_000;
    expect(await records.deleteExpired(10_000)).toBe(1_000);
    expect(await keys()).toEqual(['default/order:order-1']);
    await open();
    expect(await states()).toEqual(['order-1-1001 created']);
    expect(await keys()).toHaveLength(4);
  });

  it('has nothing more after 300 repeats with other content, which are one case', async () => {
    const shop = new Shop(memory().open());
    const sale = await shop.uuid();
    await shop.pay(sale);
    const size = async () =>
      bytesOf((await stepsOf(shop.place.store).readRecord<object>('order:', shop.key)).value ?? {});
    const before = await size();
    for (let repeat = 0; repeat < 300; repeat += 1) {
      expect(await shop.pay(sale, { amount: 1 + repeat })).toBe(200);
    }
    expect(await shop.lines()).toHaveLength(1);
    expect(await shop.cases()).toHaveLength(1);
    expect(await size()).toBe(before);
  });
});

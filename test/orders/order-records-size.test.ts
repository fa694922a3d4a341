import { describe, expect, it, vi } from 'vitest';
import { createStore } from '../../src/stores/create-store';
import { MemoryRecords } from '../../src/stores/memory-store';
import { stepsOf } from '../../src/stores/steps';
import { memory, newId, Shop } from './places';
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
    expect(bytesOf(order)).toBeLessThan(500);
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

import { expect, it } from 'vitest';
import { StoreError } from '../../src/errors';
import { Slots } from '../../src/stores/postgres/slots';

it('a slot that was given back is free for the next one, any number of times', async () => {
  const slots = new Slots(2);
  for (let round = 0; round < 10; round += 1) {
    await slots.take(10);
    await slots.take(10);
    await expect(slots.take(10)).rejects.toBeInstanceOf(StoreError);
    slots.give();
    slots.give();
  }
});

it('a slot goes to the request that has waited longest, and not to one that has given up', async () => {
  const slots = new Slots(1);
  await slots.take(10);
  const order: string[] = [];
  const gaveUp = slots.take(10);
  const first = slots.take(10_000).then(() => order.push('first'));
  const second = slots.take(10_000).then(() => order.push('second'));
  await expect(gaveUp).rejects.toBeInstanceOf(StoreError);
  slots.give();
  await first;
  expect(order).toEqual(['first']);
  slots.give();
  await second;
  slots.give();
  await slots.take(10);
});

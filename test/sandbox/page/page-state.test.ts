import { expect, it } from 'vitest';
import { openListener, openSandbox, order, readJson } from '../helpers';

it('a list of the page has its newest 50 first, and the oldest on the last page', async () => {
  const { sandbox, call, create } = await openSandbox({ webhookUrl: (await openListener()).url });
  for (let number = 1; number <= 51; number += 1) {
    const { uuid } = await create({ ...order, referenceCode: `order-${number}` });
    sandbox.pay(uuid);
  }
  const pages = async (list: string, key: string) => {
    const found: unknown[][] = [];
    for (const query of ['', '?page=2', '?page=3']) {
      const { total, items } = await readJson(await call('GET', `/sandbox/page/${list}${query}`));
      expect(total).toBe(51);
      found.push(items.map((item: Record<string, unknown>) => item[key]));
    }
    return found;
  };
  const from = (newest: number, count: number) =>
    Array.from({ length: count }, (_, index) => `order-${newest - index}`);
  const expected = [from(51, 50), from(1, 1), []];
  expect(await pages('journeys', 'referenceCode')).toEqual(expected);
  expect(await pages('deliveries', 'reference')).toEqual(expected);
  expect(await pages('calls', 'reference')).toEqual(expected);
  // A hundred calls and as many pages take their time on a busy machine.
}, 60_000);

import { MemoryStore } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import type { WebhookReport } from '../../src/webhooks';
import { createListener } from '../../src/webhooks/handler';
import type { OrderLink } from '../../src/webhooks/order-link';
import { credentials, linesOf, send } from './support';
import { committing, WatchedStore } from './watched-store';

/** Orders that leave a payment to a person until `isExpected`. */
function createUndecided(store: WatchedStore, leave: () => Promise<void> = async () => undefined) {
  const log: string[] = [];
  const reports: WebhookReport[] = [];
  const decided = { isExpected: false };
  const orders: OrderLink = {
    find: async () => 'order-1',
    read: async () => ({
      order: { key: 'order-1', attempt: 1, state: 'created' },
      markPaid: async () => void log.push('mark'),
      ...(!decided.isExpected && {
        async leaveUndone() {
          log.push('letter');
          await leave();
          return { code: 'unexpected_repeat', status: 200 };
        },
      }),
    }),
  };
  const { handler } = createListener(
    {
      credentials,
      store,
      onReport: (report) => reports.push(report),
      on: { payment: () => void log.push('callback') },
    },
    orders,
  );
  return { handler, log, reports, decided };
}

describe.each([
  ['under a lease', () => new WatchedStore(), ['callback', 'mark']],
  ['in a transaction', () => new WatchedStore(new MemoryStore(), committing), ['mark', 'callback']],
])('a payment that is left undone %s', (_, open, order) => {
  it('is answered as said, runs nothing, and can be acted on later', async () => {
    const store = open();
    const { handler, log, reports, decided } = createUndecided(store);
    expect([await send(handler), await send(handler)]).toEqual([200, 200]);
    expect(log).toEqual(['letter', 'letter']);
    expect(linesOf(reports)).toEqual(Array(2).fill('unexpected_repeat 200 payment:s-1:PAID'));
    decided.isExpected = true;
    expect([await send(handler), log.slice(2)]).toEqual([200, order]);
  });

  it('is answered 503 where what a person gets cannot be written', async () => {
    const store = open();
    const { handler, log, reports } = createUndecided(store, () => Promise.reject(new Error('broken')));
    expect([await send(handler), log]).toEqual([503, ['letter']]);
    expect(linesOf(reports)).toEqual(['store_failed 503 payment:s-1:PAID']);
  });
});

it('a lease is released after the letter, and never completed', async () => {
  const store = new WatchedStore();
  const { handler } = createUndecided(store);
  await send(handler);
  expect(store.steps).toEqual(['claim', 'release']);
});

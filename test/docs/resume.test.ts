import { type PaymentsClient, TimeoutError, type Transaction } from 'pix-automatic-sdk';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { afterEach, expect, it, vi } from 'vitest';
import { blockWith } from './markdown';
import { loadBlock } from './run-block';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('the reconciliation of the guide to the client resumes where a run was cut short', async () => {
  const checked = new Set<string>();
  const paid: string[] = [];
  const uuids = Array.from({ length: 60 }, (_, index) => `uuid-${index}`);
  vi.stubGlobal('orders', {
    openAndNotCheckedOn: async () => uuids.filter((uuid) => !checked.has(uuid)),
    markAsChecked: async (uuid: string) => void checked.add(uuid),
  });
  vi.spyOn(console, 'error').mockReturnValue();
  let failures = 1;
  const handler = createWebhookHandler({
    credentials: { apiKey: 'key', apiToken: 'token' },
    on: {
      payment: ({ payload }) => {
        if (failures-- > 0) throw new Error('the database is down');
        paid.push(payload.saleToken);
      },
    },
    onReport: () => {},
  });
  let isDown = false;
  const asked: string[] = [];
  const client = {
    getTransaction: async (uuid: string): Promise<Transaction> => {
      asked.push(uuid);
      // The service goes down in the middle of the first run.
      if (asked.length === 25) isDown = true;
      if (isDown)
        throw new TimeoutError('m', { operation: 'getTransaction', attempts: 1, outcome: 'unknown' });
      return { uuid, situation: 'PAID' };
    },
  };
  vi.useFakeTimers();
  try {
    const { reconcileOrders } = await loadBlock(blockWith('function reconcileOrders', 'docs/client.md'));
    const run = () => reconcileOrders(client as unknown as PaymentsClient, handler, '2026-11-23');

    const first = expect(run()).rejects.toMatchObject({ code: 'timeout' });
    await vi.runAllTimersAsync();
    await first;
    // The order whose callback failed is asked again.
    expect(checked.size).toBe(23);

    isDown = false;
    const before = asked.length;
    const second = run();
    await vi.runAllTimersAsync();
    await second;
    expect(new Set(asked.slice(before))).toEqual(new Set(['uuid-0', ...uuids.slice(24)]));
    expect(paid.sort()).toEqual([...uuids].sort());
  } finally {
    vi.useRealTimers();
  }
});

import { createServer } from 'node:http';
import { PaymentsClient, reconcile, type Transaction } from 'pix-automatic-sdk';
import { MemoryDeadLetters } from 'pix-automatic-sdk/stores';
import { fixtures } from 'pix-automatic-sdk/testing';
import {
  type ConfigurationError,
  MemoryStore,
  type PaymentConfirmation,
  type Transact,
  toNodeListener,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import { createListener, hang, queries, refundPayload, salePayload, WatchedStore } from './support';

const paid = (more: Partial<Transaction> = {}): Transaction => {
  const { amount, currency, referenceCode } = salePayload();
  return {
    ...fixtures.transaction(),
    uuid: 's-1',
    refunds: undefined,
    situation: 'PAID',
    amount,
    currency,
    referenceCode,
    ...more,
  };
};

/** The service, over real HTTP, with a client for it. `answers` may be changed. */
async function createService(answers: { status: number; body: unknown }) {
  const asked: string[] = [];
  const url = await listen(
    createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(answers.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answers.body));
    }),
  );
  const client = new PaymentsClient({ baseUrl: url, apiKey: 'key-1', apiToken: 'token', maxRetries: 0 });
  return { client, asked, answers };
}

async function createConfirming(
  answers: { status: number; body: unknown },
  options: (client: PaymentsClient) => Partial<WebhookHandlerOptions> = (client) => ({ confirm: client }),
) {
  const service = await createService(answers);
  const store = new WatchedStore();
  const deadLetters = new MemoryDeadLetters();
  const seen: (PaymentConfirmation | undefined)[] = [];
  const act = (_: unknown, { confirmation }: { confirmation: PaymentConfirmation | undefined }) =>
    void seen.push(confirmation);
  const listener = createListener({
    store,
    deadLetters,
    on: { payment: act, refund: act },
    ...options(service.client),
  });
  const url = await listen(createServer(toNodeListener(listener.handler)));
  const pay = async () => (await deliver(url, salePayload())).status;
  return { ...listener, ...service, store, deadLetters, seen, url, pay };
}

describe('confirm', () => {
  it('asks the service before a payment’s callback runs, and gives it the answer', async () => {
    const { pay, asked, seen, store, deadLetters } = await createConfirming({ status: 200, body: paid() });
    expect(await pay()).toBe(200);
    expect(asked).toEqual(['/v1.1/transactions/s-1']);
    expect(seen).toMatchObject([
      { confirmed: true, transaction: { uuid: 's-1', situation: 'PAID' }, differences: [] },
    ]);
    // A duplicate that is done asks nothing.
    expect(await pay()).toBe(200);
    expect([asked.length, seen.length, store.steps]).toEqual([1, 1, ['claim', 'complete', 'claim']]);
    expect(await deadLetters.list()).toEqual([]);
  });

  it.each<[string, Partial<Transaction>, string[]]>([
    ['is not paid', { situation: 'PENDING' }, ['situation']],
    ['has another amount', { amount: 1 }, ['amount']],
    ['was refunded', { refunds: { quantity: 1 } }, ['refunds']],
  ])('runs no callback for a payment that %s, as the service says', async (_, more, fields) => {
    const { pay, seen, store, deadLetters, reports, answers } = await createConfirming({
      status: 200,
      body: paid(more),
    });
    expect(await pay()).toBe(500);
    expect([seen, store.steps]).toEqual([[], ['claim', 'release']]);
    expect(reports).toMatchObject([{ code: 'not_confirmed', status: 500, key: 'payment:s-1:PAID' }]);
    expect(reports[0]?.issues?.map(({ path }) => path.join('.'))).toEqual(fields);
    expect(reports[0]?.message).toContain(`Fields: ${fields.join(', ')}.`);
    expect(await deadLetters.list()).toMatchObject([{ code: 'not_confirmed', key: 'payment:s-1:PAID' }]);
    // The next delivery asks again.
    answers.body = paid();
    expect(await pay()).toBe(200);
    expect([seen.length, await deadLetters.list()]).toEqual([1, []]);
  });

  it('with acceptRefunded runs the callback of a payment that was refunded since, and of no other', async () => {
    const { pay, seen, answers } = await createConfirming(
      { status: 200, body: paid({ refunds: { quantity: 1 }, amount: 1 }) },
      (client) => ({ confirm: { client, acceptRefunded: true } }),
    );
    expect(await pay()).toBe(500);
    answers.body = paid({ refunds: { quantity: 1 } });
    expect(await pay()).toBe(200);
    expect(seen).toMatchObject([{ confirmed: true, differences: [{ field: 'refunds' }] }]);
  });

  it('that cannot ask runs no callback, and says what the client threw', async () => {
    const { pay, seen, store, deadLetters, reports } = await createConfirming({ status: 503, body: {} });
    expect(await pay()).toBe(500);
    expect([seen, store.steps]).toEqual([[], ['claim', 'release']]);
    expect(reports).toMatchObject([
      { code: 'confirm_failed', status: 500, error: { name: 'ApiError', httpStatus: 503 } },
    ]);
    expect(await deadLetters.list()).toMatchObject([{ code: 'confirm_failed', errorName: 'ApiError' }]);
  });

  it('that takes longer than callbackTimeoutMs is ended by then', async () => {
    let signal: AbortSignal | undefined;
    const { pay, reports, seen } = await createConfirming({ status: 200, body: paid() }, () => ({
      callbackTimeoutMs: 30,
      confirm: {
        getTransaction: (_, options) => {
          signal = options?.signal;
          return hang();
        },
      },
    }));
    expect(await pay()).toBe(500);
    expect(reports).toMatchObject([{ code: 'confirm_failed', error: { name: 'DeadlineExceeded' } }]);
    expect([seen, signal?.aborted]).toEqual([[], true]);
  });

  it('asks about payments only', async () => {
    const { url, asked, seen } = await createConfirming({ status: 200, body: paid() });
    expect((await deliver(`${url}/${queries.refund}`, refundPayload())).status).toBe(200);
    expect([asked, seen]).toEqual([[], [undefined]]);
  });

  it('is asked again by a replay', async () => {
    const { pay, handler, deadLetters, answers, seen } = await createConfirming({
      status: 200,
      body: paid({ amount: 1 }),
    });
    await pay();
    const entries = await deadLetters.list();
    expect(await handler.replay(entries)).toMatchObject([{ status: 'failed', code: 'not_confirmed' }]);
    expect(seen).toEqual([]);
    answers.body = paid();
    expect(await handler.replay(entries)).toMatchObject([{ status: 'done' }]);
    expect([seen.length, await deadLetters.list()]).toEqual([1, []]);
  });

  describe('with a store in transactional mode', () => {
    const order: string[] = [];
    const transactional =
      (usesPrepare: boolean): Transact<undefined> =>
      async ({ subject, state, prepare }, work) => {
        order.push('read');
        if (usesPrepare) await prepare?.();
        order.push('begin');
        await work(undefined, { subject, state, token: 't', fence: 1, handledStates: [] });
        order.push('commit');
        return { status: 'completed' };
      };
    const inTransaction =
      (usesPrepare = true) =>
      (client: PaymentsClient) => {
        order.length = 0;
        const confirm = {
          getTransaction: (uuid: string) => {
            order.push('ask');
            return client.getTransaction(uuid);
          },
        };
        const store = Object.assign(new MemoryStore(), { transact: transactional(usesPrepare) });
        return { confirm, store };
      };

    it('is asked after the first read and before the transaction begins', async () => {
      const { pay, seen } = await createConfirming({ status: 200, body: paid() }, inTransaction());
      expect(await pay()).toBe(200);
      expect([order, seen.length]).toEqual([['read', 'ask', 'begin', 'commit'], 1]);
    });

    it('is asked even over a store that does not know `prepare`', async () => {
      const { pay, seen, reports } = await createConfirming(
        { status: 200, body: paid({ situation: 'PENDING' }) },
        inTransaction(false),
      );
      expect(await pay()).toBe(500);
      expect([order, seen]).toEqual([['read', 'begin', 'ask'], []]);
      expect(reports).toMatchObject([{ code: 'not_confirmed' }]);
    });
  });

  it.each([
    ['text', 'client'],
    ['null', null],
    ['a client of something else', { get: () => undefined }],
    ['a wrong acceptRefunded', { client: { getTransaction: hang }, acceptRefunded: 'yes' }],
  ])('refuses %s', (_, confirm) => {
    let thrown: unknown;
    try {
      createListener({ confirm: confirm as never });
    } catch (error) {
      thrown = error;
    }
    expect((thrown as ConfigurationError | undefined)?.code).toBe('configuration');
    expect((thrown as Error).message).toContain('`confirm');
  });
});

describe('handler.settle', () => {
  it('acts on what reconcile yields, once, whether it or the notification comes first', async () => {
    const { client } = await createService({ status: 200, body: paid() });
    const store = new WatchedStore();
    const acted: unknown[] = [];
    const { handler } = createListener({
      store,
      on: {
        payment: (notification, { confirmation, credentialIndex }) =>
          void acted.push([notification, confirmation?.confirmed, credentialIndex]),
      },
    });
    const url = await listen(createServer(toNodeListener(handler)));
    const results: unknown[] = [];
    for await (const each of reconcile(client, ['s-1'])) {
      if (each.transaction !== undefined)
        results.push(await handler.settle(each), await handler.settle(each));
    }
    const key = 'payment:s-1:PAID';
    expect(results).toEqual([
      { key, status: 'done' },
      { key, status: 'already-done' },
    ]);
    expect((await deliver(url, salePayload())).status).toBe(200);
    const { amount, currency, referenceCode } = salePayload();
    expect(acted).toEqual([
      [
        {
          kind: 'payment',
          key,
          payload: { saleToken: 's-1', newStatus: 'PAID', amount, currency, referenceCode },
          raw: expect.objectContaining({ uuid: 's-1', situation: 'PAID' }),
        },
        true,
        -1,
      ],
    ]);
    expect(store.claims.map(({ subject, state }) => [subject, state])).toEqual([['payment:s-1', 'PAID']]);
  });

  it.each<[string, Transaction]>([
    ['is pending', paid({ situation: 'PENDING' })],
    ['is another one', paid({ uuid: 's-2' })],
    ['was refunded', paid({ refunds: { requested: 1 } })],
    ['has no situation', paid({ situation: undefined })],
  ])('claims nothing for a transaction that %s', async (_, transaction) => {
    const store = new WatchedStore();
    const { handler, acted, reports } = createListener({ store });
    expect(await handler.settle({ uuid: 's-1', transaction })).toEqual({
      key: 'payment:s-1:PAID',
      status: 'not-paid',
      code: 'not_confirmed',
    });
    expect([store.steps, acted, reports]).toEqual([[], [], []]);
  });

  it('accepts a refunded one where `confirm` does, and asks nobody', async () => {
    const { handler, acted } = createListener({
      confirm: { client: { getTransaction: hang }, acceptRefunded: true },
    });
    const transaction = paid({ refunds: { requested: 1 } });
    expect(await handler.settle({ uuid: 's-1', transaction })).toMatchObject({ status: 'done' });
    expect(acted).toEqual(['payment:s-1:PAID']);
  });

  it('says what is busy, failed or unhandled, and reports a failure', async () => {
    const store = new WatchedStore();
    store.faults.claim.push(async () => ({ status: 'busy' }));
    const deadLetters = new MemoryDeadLetters();
    const { handler, reports } = createListener({
      store,
      deadLetters,
      on: { payment: () => Promise.reject(new Error('bug')) },
    });
    const each = { uuid: 's-1', transaction: paid() };
    expect(await handler.settle(each)).toMatchObject({ status: 'busy', code: 'busy' });
    expect(await handler.settle(each)).toMatchObject({ status: 'failed', code: 'callback_failed' });
    expect(reports.map(({ code }) => code)).toEqual(['busy', 'callback_failed']);
    expect(await deadLetters.list()).toEqual([]);
    for (const on of [{}, { payment: 'ignore' } as const]) {
      expect(await createListener({ on }).handler.settle(each)).toMatchObject({
        status: 'unhandled',
        code: 'unhandled',
      });
    }
    await handler.drain();
    expect(await handler.settle(each)).toMatchObject({ status: 'failed', code: 'draining' });
  });

  it.each([
    ['nothing', undefined],
    ['an entry with an error', { uuid: 's-1', error: new Error() }],
    ['an empty uuid', { uuid: '', transaction: paid() }],
  ])('refuses %s', async (_, paidOrNot) => {
    await expect(createListener().handler.settle(paidOrNot as never)).rejects.toThrow(
      'handler.settle({ uuid, transaction })',
    );
  });
});

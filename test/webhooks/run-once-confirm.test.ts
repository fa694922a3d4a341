import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PaymentConfirmation, PaymentsClient, reconcile, type Transaction } from 'pix-automatic-sdk';
import { fixtures } from 'pix-automatic-sdk/testing';
import {
  credentialsFromEnv,
  type WebhookContext,
  type WebhookDone,
  type WebhookReport,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import type { FakeTransact } from '../helpers/fake-transact';
import { listen } from '../helpers/listen';
import { createBug, hang, throwing } from './faults';
import { refundPayload, salePayload } from './payloads';
import { basic, codesOf, createListener, linesOf, replayAll, send } from './support';
import { busy, committing, WatchedStore } from './watched-store';

const KEY = 'payment:s-1:PAID';
const { amount, currency, referenceCode } = salePayload();
const paid = (more: Partial<Transaction> = {}): Transaction => ({
  ...fixtures.transaction(),
  ...{ uuid: 's-1', refunds: undefined, situation: 'PAID', amount, currency, referenceCode },
  ...more,
});

type Answer = (request: IncomingMessage) => readonly [status: number, body: unknown];

/** The service, over real HTTP. */
const serveWith = (answer: Answer) =>
  listen(
    createServer((request, response) => {
      const [status, body] = answer(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }),
  );

/** A client of a service that answers so. `answers` may be changed. */
async function createService(body: unknown, status = 200) {
  const asked: string[] = [];
  const answers = { status, body };
  const baseUrl = await serveWith(({ url = '' }) => {
    asked.push(url);
    return [answers.status, answers.body];
  });
  const client = new PaymentsClient({ baseUrl, apiKey: 'key-1', apiToken: 'token', maxRetries: 0 });
  return { client, asked, answers };
}

/** A listener that asks this service, which answers so. */
async function createConfirming(
  body: unknown,
  options: (client: PaymentsClient) => object = (client) => ({ confirm: client }),
  status = 200,
) {
  const service = await createService(body, status);
  const store = new WatchedStore();
  const seen: (PaymentConfirmation | undefined)[] = [];
  const act = (_: unknown, { confirmation }: { confirmation: PaymentConfirmation | undefined }) =>
    void seen.push(confirmation);
  const on = { payment: act, refund: act };
  const listener = createListener({ store, deadLetters: true, on, ...options(service.client) });
  return { ...listener, ...service, store, letters: store.letters, seen, pay: () => send(listener.handler) };
}

describe('confirm', () => {
  it('asks the service before a payment’s callback runs, and gives it the answer', async () => {
    const { pay, asked, seen, store, letters } = await createConfirming(paid());
    expect([await pay(), asked]).toEqual([200, ['/v1.1/transactions/s-1']]);
    const transaction = { uuid: 's-1', situation: 'PAID' };
    expect(seen).toMatchObject([{ confirmed: true, transaction, differences: [] }]);
    // A duplicate that is done asks nothing.
    expect(await pay()).toBe(200);
    expect([asked.length, seen.length, store.steps]).toEqual([1, 1, ['claim', 'complete', 'claim']]);
    expect(await letters.list()).toEqual([]);
  });

  it.each<[string, Partial<Transaction>, string]>([
    ['is not paid', { situation: 'PENDING' }, 'situation'],
    ['has another amount', { amount: 1 }, 'amount'],
    ['was refunded', { refunds: { quantity: 1 } }, 'refunds'],
  ])('runs no callback for a payment that %s, as the service says', async (_, more, field) => {
    const { pay, handler, seen, store, letters, reports, answers } = await createConfirming(paid(more));
    expect([await pay(), seen, store.steps]).toEqual([500, [], ['claim', 'release']]);
    const message = 'differs from what the service says, or the service does not say it';
    expect(linesOf(reports)).toEqual([`not_confirmed 500 ${KEY}`]);
    expect(reports[0]).toMatchObject({ issues: [{ path: [field], message }] });
    expect(reports[0]?.message).toContain(`Fields: ${field}.`);
    expect(await letters.list()).toMatchObject([{ code: 'not_confirmed', key: KEY }]);
    // A replay asks again, and so does the next delivery.
    expect(await replayAll(handler)).toEqual([{ key: KEY, status: 'failed', code: 'not_confirmed' }]);
    answers.body = paid();
    expect([await pay(), seen.length, await letters.list()]).toEqual([200, 1, []]);
  });

  it.each([
    ['none', { amount: undefined, currency: null }],
    ['no currency', { currency: undefined }],
    ['text in place of the amount', { amount: String(amount) }],
    ['what a calculation has left', { amount: Number(amount) + 1e-14 }],
  ])(
    'gives the callback the service’s amount and currency where the notification has %s',
    async (_, more) => {
      const given: { readonly payload: object; readonly raw: object }[] = [];
      const payment = (notification: { payload: object; raw: object }) => void given.push(notification);
      const { handler, answers } = await createConfirming(paid(), (confirm) => ({
        confirm,
        on: { payment },
      }));
      const body = { ...salePayload(), ...more };
      const raw = JSON.parse(JSON.stringify(body));
      expect(await send(handler, body)).toBe(200);
      const said = { amount, currency };
      expect(given).toMatchObject([{ payload: { saleToken: 's-1', newStatus: 'PAID', ...said }, raw }]);
      // What the service does not say stays as the notification has it.
      answers.body = paid({ uuid: 's-2', amount: undefined, currency: undefined });
      const bare = { ...salePayload(), saleToken: 's-2', amount: undefined, currency: null };
      expect(await send(handler, bare)).toBe(200);
      expect(given[1]?.payload).toMatchObject({ saleToken: 's-2', currency: null });
      expect(given[1]?.payload).not.toHaveProperty('amount');
    },
  );

  it('with acceptRefunded runs the callback of a payment that was refunded since, and of no other', async () => {
    const refunded = paid({ refunds: { quantity: 1 }, amount: 1 });
    const confirm = (client: PaymentsClient) => ({ confirm: { client, acceptRefunded: true } });
    const { pay, seen, answers } = await createConfirming(refunded, confirm);
    expect(await pay()).toBe(500);
    answers.body = paid({ refunds: { quantity: 1 } });
    expect(await pay()).toBe(200);
    expect(seen).toMatchObject([{ confirmed: true, differences: [{ field: 'refunds' }] }]);
  });

  it('that cannot ask runs no callback, and says what the client threw', async () => {
    const { pay, seen, store, letters, reports } = await createConfirming({}, undefined, 503);
    expect([await pay(), seen, store.steps]).toEqual([500, [], ['claim', 'release']]);
    const error = { name: 'ApiError', httpStatus: 503 };
    expect(reports).toMatchObject([{ code: 'confirm_failed', status: 500, error }]);
    expect(await letters.list()).toMatchObject([{ code: 'confirm_failed', errorName: 'ApiError' }]);
  });

  it.each([
    ['the client switches first', 'new', 'old'],
    ['the service switches first', 'old', 'new'],
  ])('works through a rotation in which %s, with both pairs in the environment', async (_, ours, other) => {
    const pair = (which: string) => ({ apiKey: `${which}-key`, apiToken: `${which}-token` });
    let inUse = other;
    const baseUrl = await serveWith(({ headers, url }) => {
      const { apiKey, apiToken } = pair(inUse);
      const isAccepted = headers['x-api-key'] === apiKey && headers['x-api-token'] === apiToken;
      return isAccepted ? [200, paid({ uuid: url?.split('/').at(-1) })] : [401, {}];
    });
    const env = {
      PAYMENTS_BASE_URL: baseUrl,
      PAYMENTS_API_KEY: pair(ours).apiKey,
      PAYMENTS_API_TOKEN: pair(ours).apiToken,
      PAYMENTS_API_KEY_PREVIOUS: pair(other).apiKey,
      PAYMENTS_API_TOKEN_PREVIOUS: pair(other).apiToken,
    };
    const confirm = PaymentsClient.fromEnv(env);
    const { handler, acted, reports } = createListener({ credentials: credentialsFromEnv(env), confirm });
    const statuses: number[] = [];
    // Until the other side has switched, after it has, and if it goes back.
    for (const [index, used] of [other, other, ours, ours, other].entries()) {
      inUse = used;
      const headers = { authorization: basic(pair(used)) };
      statuses.push(await send(handler, { ...salePayload(), saleToken: `s-${index}` }, { headers }));
    }
    expect([statuses, acted.length, reports]).toEqual([[200, 200, 200, 200, 200], 5, []]);
  });

  it('that takes longer than callbackTimeoutMs is ended by then', async () => {
    let signal: AbortSignal | undefined;
    const getTransaction = (_: string, options?: { signal?: AbortSignal }) => {
      signal = options?.signal;
      return hang();
    };
    const options = { callbackTimeoutMs: 30, confirm: { getTransaction } };
    const { pay, reports, seen } = await createConfirming(paid(), () => options);
    expect(await pay()).toBe(500);
    expect(reports).toMatchObject([{ code: 'confirm_failed', error: { name: 'DeadlineExceeded' } }]);
    expect([seen, signal?.aborted]).toEqual([[], true]);
  });

  it('leaves the callback the rest of callbackTimeoutMs', async () => {
    const getTransaction = () => sleep(300).then(() => paid());
    const options = { callbackTimeoutMs: 600, confirm: { getTransaction }, on: { payment: hang } };
    const { pay, reports } = await createConfirming(paid(), () => options);
    expect([await pay(), codesOf(reports)]).toEqual([500, ['callback_timeout']]);
    const [report] = reports as [WebhookReport];
    const [, ms] = /^took longer than (\d+) ms$/.exec((report.error as Error).message) ?? [];
    expect(Number(ms)).toBeLessThanOrEqual(301);
  });

  it('asks about payments only', async () => {
    const { handler, asked, seen } = await createConfirming(paid());
    expect([await send(handler, refundPayload()), asked, seen]).toEqual([200, [], [undefined]]);
  });

  it.each([
    ['PAID', ['ask', 'begin', 'commit']],
    ['CANCELLED', ['ask']],
  ])('asks about a %s payment before a transaction begins', async (situation, steps) => {
    const order: string[] = [];
    const transact: FakeTransact<undefined> = async (request, work) => {
      order.push('begin');
      const committed = await committing(request, work);
      order.push('commit');
      return committed;
    };
    const store = new WatchedStore(undefined, transact);
    const { pay, seen, reports } = await createConfirming(paid({ situation }), (client) => ({
      confirm: { getTransaction: (uuid: string) => order.push('ask') && client.getTransaction(uuid) },
      store,
    }));
    const isPaid = situation === 'PAID';
    expect([await pay(), order, seen.length]).toEqual([isPaid ? 200 : 500, steps, isPaid ? 1 : 0]);
    const refused = isPaid ? [] : ['not_confirmed'];
    expect([codesOf(reports), codesOf(await store.letters.list())]).toEqual([refused, refused]);
  });
});

describe('a settlement', () => {
  const key = KEY;
  const each = { uuid: 's-1', transaction: paid() };

  it('acts on what reconcile yields, once, whether it or the notification comes first', async () => {
    const { client } = await createService(paid());
    const store = new WatchedStore();
    const acted: unknown[] = [];
    const payment = (notification: unknown, { confirmation, credentialIndex }: WebhookContext) =>
      void acted.push([notification, confirmation?.confirmed, credentialIndex]);
    const { handler, settle } = createListener({ store, on: { payment } });
    for await (const found of reconcile(client, ['s-1'])) {
      if (found.transaction === undefined) throw found.error;
      expect(await settle(found)).toMatchObject({ code: 'done', isRepeat: false });
      expect(await settle(found)).toMatchObject({ code: 'done', isRepeat: true });
    }
    expect(await send(handler)).toBe(200);
    const payload = { saleToken: 's-1', newStatus: 'PAID', amount, currency, referenceCode };
    expect(acted).toEqual([[{ kind: 'payment', key, payload, raw: payload }, true, -1]]);
    expect(store.claims).toMatchObject([{ subject: 'payment:s-1', state: 'PAID' }]);
  });

  it('is told apart from a delivery in transactions, so that the store leaves a slot to those', async () => {
    const isReplay: unknown[] = [];
    const transact: FakeTransact<undefined> = (request, work) => {
      isReplay.push(request.isReplay);
      return committing(request, work);
    };
    const { handler, settle } = createListener({ store: new WatchedStore(undefined, transact) });
    expect(await send(handler)).toBe(200);
    expect(await settle(each)).toMatchObject({ code: 'done', isRepeat: false });
    expect(isReplay).toEqual([false, true]);
  });

  it.each<[string, Partial<Transaction>]>([
    ['is pending', { situation: 'PENDING' }],
    ['is another one', { uuid: 's-2' }],
    ['is no sale', { type: 'PAYOUT' }],
    ['has no situation', { situation: undefined }],
  ])('runs nothing for a transaction that %s', async (_, more) => {
    const { settle, acted } = createListener({ store: new WatchedStore() });
    const refused = { code: 'not_confirmed' };
    expect(await settle({ uuid: 's-1', transaction: paid(more) })).toMatchObject(refused);
    expect(acted).toEqual([]);
  });

  it('accepts a refunded one, and asks nobody', async () => {
    const confirm = { client: { getTransaction: hang }, acceptRefunded: true };
    const { settle, acted } = createListener({ confirm });
    const transaction = paid({ refunds: { requested: 1 } });
    expect(await settle({ uuid: 's-1', transaction })).toMatchObject({ code: 'done', isRepeat: false });
    expect(acted).toEqual([key]);
  });

  it('says what is busy, failed or unhandled, and reports a failure', async () => {
    const store = new WatchedStore();
    store.faults.claim.push(busy);
    const on = { payment: throwing(new Error('bug')) };
    const { handler, settle, reports } = createListener({ store, deadLetters: true, on });
    expect(await settle(each)).toMatchObject({ code: 'busy' });
    expect(await settle(each)).toMatchObject({ code: 'callback_failed' });
    expect(reports).toMatchObject([
      { code: 'busy', delivery: undefined },
      { code: 'callback_failed', message: 'The callback threw. It was to be settled: do so again.' },
    ]);
    expect(await handler.deadLetters.list()).toMatchObject([{ key, code: 'callback_failed' }]);
    for (const none of [{}, { payment: 'ignore' } as const]) {
      const { settle: without } = createListener({ on: none });
      expect(await without(each)).toMatchObject({ code: 'unhandled' });
    }
    await handler.drain();
    expect(await settle(each)).toMatchObject({ code: 'draining' });
  });

  it('takes a payment out of the dead letters', async () => {
    const { fix, breaks } = createBug();
    const { handler, settle } = createListener({ deadLetters: true, on: { payment: breaks() } });
    expect(await send(handler)).toBe(500);
    fix();
    expect(await handler.deadLetters.list()).toHaveLength(1);
    expect(await settle(each)).toMatchObject({ code: 'done', isRepeat: false });
    expect(await handler.deadLetters.list()).toEqual([]);
  });

  it('has told of itself when it ends, however long its dead letter takes to go', async () => {
    const store = new WatchedStore();
    store.letters.faults.forget = () => sleep(30);
    const told: string[] = [];
    const onDone = ({ origin }: WebhookDone) => void told.push(origin);
    const { settle } = createListener({ store, deadLetters: true, onDone });
    expect(await settle(each)).toMatchObject({ code: 'done', isRepeat: false });
    expect(told).toEqual(['settle']);
  });
});

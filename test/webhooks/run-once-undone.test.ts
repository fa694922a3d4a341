import { MemoryStore } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { CASE_TEXTS, endedBy, fateOfCase } from '../../src/orders/case-reasons';
import { stepsOf } from '../../src/stores/steps';
import type { WebhookReport } from '../../src/webhooks';
import { createListener } from '../../src/webhooks/handler';
import type { OrderLink } from '../../src/webhooks/order-link';
import type { FakeTransact } from '../helpers/fake-transact';
import { credentials, linesOf, send } from './support';
import { WatchedStore } from './watched-store';

/** Orders that leave a payment to a person until `isExpected`. */
function createUndecided(store: WatchedStore, leave: () => Promise<void> = async () => undefined) {
  const log: string[] = [];
  const reports: WebhookReport[] = [];
  const decided = { isExpected: false };
  const orders: OrderLink = {
    client: { getTransaction: async () => ({}) },
    meant: (recognized) => recognized,
    endedBy,
    texts: CASE_TEXTS,
    fateOf: fateOfCase,
    onAnswer: async () => undefined,
    find: async () => ({ key: 'order-1', early: [] }),
    plan: async () => ({
      details: { order: 'order-1' },
      reason: decided.isExpected ? undefined : 'other_amount',
      run: () => void log.push('callback'),
      before: async () => true,
      record: async () => void log.push('mark'),
      followUps: () => [],
    }),
    missingProof: async () => undefined,
    strayOf: async () => undefined,
    isAsItWas: async () => false,
    about: async () => ({}),
    async note() {
      log.push('letter');
      await leave();
    },
    end: async () => undefined,
  };
  const { handler } = createListener(
    {
      credentials,
      store,
      onReport: (report) => reports.push(report),
      on: {},
      deadLetters: true,
    },
    orders,
  );
  return { handler, log, reports, decided };
}

/** A transaction that holds letters, too. */
const committingLetters: FakeTransact<undefined> = async ({ subject, state }, work) => {
  const claim = { subject, state, token: 't', fence: 1, handledStates: [] };
  await work(undefined, claim, stepsOf(new MemoryStore()));
  return { status: 'completed' };
};

describe.each([
  [
    'under a lease',
    () => new WatchedStore(),
    ['callback', 'mark'],
    ['dead_letters_failed 503 payment:s-1:PAID', 'other_amount 503 payment:s-1:PAID'],
  ],
  [
    'in a transaction',
    () => new WatchedStore(new MemoryStore(), committingLetters),
    ['mark', 'callback'],
    ['store_failed 503 payment:s-1:PAID'],
  ],
])('a payment that is left undone %s', (_, open, order, failed) => {
  it('is answered as said, runs nothing, and can be acted on later', async () => {
    const store = open();
    const { handler, log, reports, decided } = createUndecided(store);
    expect([await send(handler), await send(handler)]).toEqual([200, 200]);
    expect(log).toEqual(['letter', 'letter']);
    expect(linesOf(reports)).toEqual(Array(2).fill('other_amount 200 payment:s-1:PAID'));
    decided.isExpected = true;
    expect([await send(handler), log.slice(2)]).toEqual([200, order]);
  });

  it('is answered 503 where what a person gets cannot be written', async () => {
    const store = open();
    const { handler, log, reports } = createUndecided(store, () => Promise.reject(new Error('broken')));
    expect([await send(handler), log]).toEqual([503, ['letter']]);
    expect(linesOf(reports)).toEqual(failed);
  });
});

it('a lease is released after the letter, and never completed', async () => {
  const store = new WatchedStore();
  const { handler } = createUndecided(store);
  await send(handler);
  expect(store.steps).toEqual(['claim', 'release']);
});

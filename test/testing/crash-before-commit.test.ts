import { PGlite, type Transaction } from '@electric-sql/pglite';
import { ConfigurationError } from 'pix-automatic-sdk';
import type { Store } from 'pix-automatic-sdk/stores';
import { storeWithin, type TransactionAccess } from 'pix-automatic-sdk/stores';
import { crashBeforeCommit, notificationRequest } from 'pix-automatic-sdk/testing';
import { createWebhookHandler, MemoryStore } from 'pix-automatic-sdk/webhooks';
import { expect, it, onTestFinished, vi } from 'vitest';
import { stepsOf } from '../../src/stores/steps';
import { storeOf } from '../helpers/store-of';
import { credentials } from './support';

it('rolls back what a callback wrote in the transaction, and shows what it wrote outside', {
  timeout: 60_000,
}, async () => {
  const database = new PGlite();
  onTestFinished(() => database.close());
  const access: TransactionAccess<Transaction> = {
    transaction: (work) => database.transaction(work),
    query: async (tx, text, values) => (await (tx ?? database).query<object>(text, values)).rows as never,
  };
  const store = storeWithin(access, { dialect: 'postgres' });
  await store.createTable();
  await database.exec('CREATE TABLE orders (reference text)');
  const mails: string[] = [];
  const reports: string[] = [];
  const shop = (used: Store<Transaction>) =>
    createWebhookHandler({
      credentials,
      store: used,
      on: {
        payment: async ({ payload }, { transaction }) => {
          await transaction.query('INSERT INTO orders VALUES ($1)', [payload.referenceCode]);
          mails.push(payload.saleToken);
        },
      },
      onReport: ({ code }) => reports.push(code),
    });
  const paid = async () => (await database.query('SELECT reference FROM orders')).rows.length;
  const deliver = async (handler: ReturnType<typeof shop>) =>
    (await handler(notificationRequest('payment', {}, credentials))).status;

  const crashing = shop(crashBeforeCommit(store));
  expect([await deliver(crashing), await deliver(crashing)]).toEqual([500, 500]);
  expect(reports).toEqual(['store_failed', 'store_failed']);
  expect(await paid()).toBe(0);
  expect(mails).toHaveLength(2); // the mail is outside of the transaction

  for (const handler of [shop(store), shop(store), crashing]) expect(await deliver(handler)).toBe(200);
  expect(await paid()).toBe(1);
  expect(mails).toHaveLength(3);
});

it('passes on what the store answers without a callback', async () => {
  const transact = vi.fn(async () => ({ status: 'busy' as const }));
  const crashing = stepsOf(crashBeforeCommit(storeOf({ transact })));
  const request = { subject: 's', state: 'PAID', retentionMs: 1, timeoutMs: 1 };
  expect(await crashing.transact?.(request, async () => undefined)).toEqual({ status: 'busy' });
  expect(transact).toHaveBeenCalledOnce();
});

it('keeps the other methods of the store, and what they know', async () => {
  class ShopStore extends MemoryStore {
    readonly #orders = ['order-1'];
    readonly name = 'shop';
    orders() {
      return this.#orders;
    }
  }
  const store = new ShopStore();
  const transact = vi.fn();
  Object.assign(stepsOf(store), { transact });
  const crashing = crashBeforeCommit(store);
  expect([crashing.name, ...crashing.orders(), await crashing.deleteExpired()]).toEqual([
    'shop',
    'order-1',
    0,
  ]);
  expect(crashing).toBeInstanceOf(ShopStore);
  expect(stepsOf(store).transact).toBe(transact);
});

it.each([undefined, null, {}, new MemoryStore()])('refuses %o, which has no transactions', (store) => {
  expect(() => crashBeforeCommit(store as never)).toThrow(ConfigurationError);
});

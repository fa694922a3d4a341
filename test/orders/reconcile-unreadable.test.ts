import { expect, it } from 'vitest';
import { createStore } from '../../src/stores';
import { MemoryRecords } from '../../src/stores/memory-store';
import { notificationRequest } from '../../src/testing';
import type { WebhookReport } from '../../src/webhooks';
import { allOf } from '../helpers/all-of';
import { credentials, paid, setUp } from './support';

const KEYS = Array.from({ length: 12 }, (_, at) => `order-${at}`);
const HOUR_MS = 60 * 60 * 1000;

/** Twelve open orders, one of whose records is of a newer release. */
async function setUpNewer() {
  const clock = { now: 1_000_000 };
  const records = new MemoryRecords(1_000, () => clock.now);
  const reports: WebhookReport[] = [];
  const booked: string[] = [];
  const failing = { is: false };
  const book = async (_: unknown, { key }: { readonly key: string }) => {
    if (failing.is) throw new Error('a bug');
    booked.push(key);
  };
  const parts = setUp([], {
    store: createStore(records),
    credentials,
    on: { paid: book, returned: 'ignore' },
    onReport: (report: WebhookReport) => reports.push(report),
  } as Parameters<typeof setUp>[1]);
  for (const key of KEYS) await parts.open(key);
  const makeNewer = async (key: string) => {
    const { version } = await records.read(key);
    const record = '{"format":99,"token":"of a newer release"}';
    expect(version).toBeGreaterThan(0);
    const times = { next: version + 1, before: clock.now + 1, expiresAt: clock.now + 1_000 * HOUR_MS };
    expect(await records.write(key, { record, version, ...times })).toBe(true);
  };
  const told = () =>
    reports.splice(0).map(({ code, message }) => `${code} ${/There (?:was|were) \d+/.exec(message)?.[0]}`);
  const pay = (key: string) =>
    parts.client.transactions.set(`uuid-of-${key}`, paid(`uuid-of-${key}`, { referenceCode: key }));
  return { ...parts, clock, makeNewer, told, pay, booked, failing };
}

const ONE = 'record_unreadable There was 1';

it('an order that cannot be read keeps no other one from being reconciled: 11 of 12 are booked, with one report', async () => {
  const { orders, makeNewer, told, pay, booked } = await setUpNewer();
  for (const key of KEYS) pay(key);
  await makeNewer('default/order:order-5');
  expect(await orders.reconcile()).toMatchObject({ asked: 11, paid: 11, failed: 0, isComplete: true });
  expect([booked.length, told()]).toEqual([11, [ONE]]);
});

it('nor does a pointer that cannot be read', async () => {
  const { orders, makeNewer, told, pay, booked } = await setUpNewer();
  for (const key of KEYS) pay(key);
  await makeNewer('default/open:order-5');
  expect(await orders.reconcile()).toMatchObject({ asked: 11, paid: 11, isComplete: true });
  expect([booked.length, told()]).toEqual([11, [ONE]]);
});

it('it is left out of the list of orders, with one report', async () => {
  const { orders, makeNewer, told } = await setUpNewer();
  await makeNewer('default/order:order-5');
  const listed = (await allOf(orders.list())).map(({ key }) => key);
  expect(listed.sort()).toEqual(KEYS.filter((key) => key !== 'order-5').sort());
  expect(told()).toEqual([ONE]);
});

it('a dead letter that cannot be read keeps no other one from being replayed: 11 of 12 are booked', async () => {
  const { orders, clock, makeNewer, told, pay, booked, failing } = await setUpNewer();
  failing.is = true;
  for (const key of KEYS) {
    pay(key);
    const payload = { saleToken: `uuid-of-${key}`, referenceCode: key, amount: 59.7, currency: 'BRL' };
    expect((await orders.webhook(notificationRequest('payment', payload, credentials))).status).toBe(500);
  }
  failing.is = false;
  await makeNewer('default/letter:payment:uuid-of-order-5:PAID');
  clock.now += HOUR_MS;
  told();
  const results = await orders.webhook.replay();
  expect(results.map(({ status }) => status)).toEqual(Array(11).fill('done'));
  expect([booked.length, told()]).toEqual([11, [ONE]]);
  expect(await orders.webhook.deadLetters.list()).toEqual([]);
});

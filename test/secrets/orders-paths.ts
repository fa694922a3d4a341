import { ApiError } from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import type { Store } from 'pix-automatic-sdk/stores';
import { fixtures, notificationRequest } from 'pix-automatic-sdk/testing';
import { MemoryStore, type WebhookReport } from 'pix-automatic-sdk/webhooks';
import type { CheckoutSource } from '../../src/orders/open';
import { allOf } from '../helpers/all-of';
import { storeOf } from '../helpers/store-of';
import { FakeClient, paid } from '../orders/support';
import { hang } from '../webhooks/faults';
import { reportedCodes } from './handler-paths';
import { credentials, marked } from './marks';
import { type Paths, pathsOver } from './path';
import { text } from './webhook-paths';

const { account, cpf, email } = marked;
const value = { until: 9, attempts: text, uuid: text, [cpf]: email } as never;
const recordOfMarks = storeOf({ readRecord: async () => ({ value, version: 1, now: 1 }) });

function orders(store = new MemoryStore() as Store) {
  const createRecurringCheckout = hang as CheckoutSource['createRecurringCheckout'];
  return createOrders({ client: { createRecurringCheckout, getTransaction: hang }, store, waitMs: 20 });
}

const { referenceCode: _, ...request } = fixtures.recurringCheckoutRequest({ shopper: { name: email } });
const other = { ...request, amount: 1, shopper: { ...request.shopper, name: cpf } };

/** Two calls for one order, of which the first gets no answer. */
function openTwice(second: typeof request): Promise<unknown> {
  const shop = orders();
  return Promise.race([shop.open('order-1', request), shop.open('order-1', second)]);
}

/** What `maintain` gives and reports about an order, if its query ends like this. */
async function maintain(query: () => Promise<ReturnType<typeof fixtures.transaction>>) {
  const reports: WebhookReport[] = [];
  const shop = createOrders({
    client: { createRecurringCheckout: async () => fixtures.recurringCheckout(), getTransaction: query },
    credentials,
    store: new MemoryStore(),
    onReport: (report) => reports.push(report),
    on: { paid: async () => undefined, returned: 'ignore' },
  });
  await shop.open('order-1', request);
  const result = await shop.maintain();
  for (const { code } of reports) reportedCodes.add(code);
  return [result, ...reports];
}

const answered = (httpStatus: number, retryAfterMs?: number) => async () => {
  const call = { operation: 'getTransaction', attempts: 1, outcome: 'refused', body: text } as const;
  throw new ApiError('refused', { ...call, httpStatus, retryAfterMs });
};

const person = { shopper: { name: email, documentId: cpf, account }, [cpf]: text };
const money = { amount: 59.7, currency: 'BRL' };

/** An order, its payer, and what is reported about them. Both what is delivered and what the service says holds marks. */
function shopOf(needsPerson?: string) {
  const client = Object.assign(new FakeClient(), { request: noSuchCall });
  const seen: unknown[] = [];
  const clock = { now: Date.now() };
  const shop = createOrders({
    client,
    credentials,
    store: new MemoryStore({ clock: () => clock.now }),
    onReport: (report) => seen.push(report) && reportedCodes.add(report.code),
    on: {
      paid: async (_, context) => {
        if (needsPerson !== undefined) context.needsPerson(needsPerson);
      },
      returned: async () => undefined,
    },
  });
  const deliver = async (kind: 'payment' | 'refund' | 'recurrence', body: object) => {
    const sent = { referenceCode: 'order-1', ...money, ...person, ...body };
    const answer = await shop.webhook(notificationRequest(kind, sent as never, credentials));
    seen.push([answer.status, [...answer.headers], await answer.text()]);
  };
  return {
    shop,
    seen,
    client,
    clock,
    deliver,
    open: async () => String((await shop.open('order-1', { ...request, ...money })).uuid),
    /** A sale is paid, and the service says so. */
    pay(saleToken: string, said: object = {}, notified: object = said) {
      client.transactions.set(saleToken, paid(saleToken, { ...person, ...said } as never));
      return deliver('payment', { saleToken, ...notified });
    },
  };
}

type Shop = ReturnType<typeof shopOf>;

/** A service without the calls of its public pages. */
const noSuchCall = async () => {
  throw new ApiError('404', {
    operation: 'getTransaction',
    attempts: 1,
    outcome: 'refused',
    httpStatus: 404,
    body: { [cpf]: email },
  });
};

/** What names the payer in an event of a recurrence. */
const payer = { payerName: text, payerDocument: cpf, failureMessage: text };
const event = (eventType: string, more: object = {}) => ({
  eventType,
  idRec: 'RR-1',
  externalId: 'order-1',
  ...payer,
  ...more,
});
const charged = (more: object) =>
  event('RECURRENCE_CHARGE_PAID', { saleToken: 's-1', chargeAmount: money.amount, ...more });

/** What a person has to decide, by the code of its report. */
const cases: Readonly<Record<string, (shop: Shop) => Promise<void>>> = {
  no_order: ({ pay }) => pay('s-1', { referenceCode: 'nobody' }),
  other_amount: async ({ open, pay }) => pay(await open(), { amount: 1 }),
  async other_sale({ open, pay }) {
    await open();
    await pay('s-1');
  },
  async closed({ open, pay, shop }) {
    const sale = await open();
    await shop.close('order-1');
    await pay(sale);
  },
  async paid_twice({ open, pay, shop }) {
    const first = await open();
    await shop.close('order-1');
    await pay(await open(), { referenceCode: 'order-1-2' });
    await pay(first);
  },
  unclear_amount: async ({ open, pay }) =>
    pay(await open(), { amount: undefined }, { amount: null, currency: null }),
  async early_return({ open, deliver }) {
    const refund = { uuid: 'r-1', amount: 5, status: 'PAID' };
    await deliver('refund', { saleToken: await open(), refund, reversedAmount: 5, amountRefunded: 5 });
  },
  returned_in_full: async ({ open, pay }) =>
    pay(await open(), { refunds: { transactions: [{ uuid: 'r-1', total: 59.7, status: 'PAID' }] } }, {}),
  async sale_status({ open, pay, deliver }) {
    const saleToken = await open();
    await pay(saleToken);
    await deliver('payment', { saleToken, newStatus: 'REVERSAL' });
  },
  needs_person: async ({ open, pay }) => pay(await open()),
  async authorized_twice({ open, deliver }) {
    await open();
    await deliver('recurrence', event('RECURRENCE_AUTHORIZED'));
    await deliver('recurrence', event('RECURRENCE_AUTHORIZED', { idRec: 'RR-2' }));
  },
  async other_order({ open, pay, deliver, client, shop }) {
    const sale = await open();
    await pay(sale);
    await shop.open('order-2', { ...request, ...money });
    client.transactions.set('s-1', paid('s-1', { ...person, ...money, referenceCode: 'order-2' } as never));
    await deliver('recurrence', charged({}));
  },
  async not_maintained({ shop, clock, deliver }) {
    await shop.maintain();
    clock.now += 26 * 3_600_000;
    await deliver('refund', { saleToken: 's-1', refund: { uuid: 'r-1', amount: 5, status: 'PAID' } });
  },
  async recurrence_call_missing({ open, pay, deliver, client }) {
    const sale = await open();
    await pay(sale);
    client.transactions.set(
      's-1',
      paid('s-1', { ...person, ...money, referenceCode: 'of-the-charge' } as never),
    );
    await deliver('recurrence', charged({}));
  },
};

const reviews = pathsOver('orders: a case, its reports and answers', cases, async (cause) => {
  const shop = shopOf(cause === cases['needs_person'] ? text : undefined);
  await cause(shop);
  const found = await allOf(shop.shop.cases());
  // A person is meant to read the body, and what the merchant's own callback has said.
  return [...shop.seen, ...found.map((each) => ({ ...each, body: '', note: '' }))];
});

export const ordersPaths: Paths = {
  ...reviews,
  'createOrders: text for options': () => createOrders(text as never),
  'orders: an order key that is none': () => orders().open({ [cpf]: text } as never, request),
  'orders: nothing to find': () => orders().find({ [cpf]: text } as never),
  'orders: another call is on its way': () => openTwice(request),
  'orders: two requests over different money': () => openTwice(other),
  'orders: a store of marks': () => createOrders({ client: {}, store: text } as never),
  'orders: a payment that is not confirmed': () =>
    maintain(async () => ({ ...fixtures.transaction(), situation: 'PAID', type: email })),
  'orders: a rate limit': () => maintain(answered(429, 1e6)),
  'orders: refused credentials': () => maintain(answered(401)),
  'orders: a record of marks': () => orders(recordOfMarks).open('o', request),
};

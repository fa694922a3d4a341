import { ApiError } from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import type { Store } from 'pix-automatic-sdk/stores';
import { fixtures } from 'pix-automatic-sdk/testing';
import { MemoryStore, type WebhookReport } from 'pix-automatic-sdk/webhooks';
import type { CheckoutSource } from '../../src/orders/open';
import { storeOf } from '../helpers/store-of';
import { hang } from '../webhooks/faults';
import { reportedCodes } from './handler-paths';
import { credentials, marked } from './marks';
import type { Paths } from './path';
import { text } from './webhook-paths';

const { cpf, email } = marked;
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

export const ordersPaths: Paths = {
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

import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders, type OpenedOrder } from 'pix-automatic-sdk/orders';
import { defineNotification, MemoryStore, type WebhookContext } from 'pix-automatic-sdk/webhooks';

/** Each state can be dealt with on its own: what is left has a QR code. */
export function shown(order: OpenedOrder): string | undefined {
  if (order.state === 'paid') return 'Thank you';
  if (order.state === 'review') return 'We are looking at your payment';
  if (order.state === 'authorized') return `You have approved it; next charge: ${order.nextChargeAt}`;
  return order.qrCode.plain ?? undefined;
}

/** The QR code is for an open order only. */
// @ts-expect-error: a paid order has none
export const wrong = (order: OpenedOrder) => order.qrCode;

// Every callback of orders may hand what it got to a person, own kinds and payouts too.
const charged = defineNotification({
  kind: 'charged',
  match: (body) => body['yourEvent'] === 'CHARGED',
  schema: {} as StandardSchemaV1<unknown, { readonly yourSale: string }>,
  subject: ({ yourSale }) => yourSale,
});
declare const client: PaymentsClient;
createOrders({
  client,
  store: new MemoryStore(),
  kinds: [charged],
  on: {
    paid: async (_, { needsPerson }) => needsPerson('why'),
    returned: async (_, { needsPerson }) => needsPerson('why'),
    foreign: (_, { needsPerson }) => needsPerson('why'),
    payout: (_, { needsPerson, order }) => (order === undefined ? needsPerson('why') : undefined),
    charged: ({ payload }, { needsPerson, order }) =>
      order === undefined ? needsPerson(payload.yourSale) : undefined,
    // @ts-expect-error: why is a text
    unrecognized: (_, { needsPerson }) => needsPerson(1),
  },
});

/** A handler without orders has no cases. */
// @ts-expect-error: no `needsPerson`
export const none = ({ needsPerson }: WebhookContext) => needsPerson;

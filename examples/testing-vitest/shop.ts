import type { PaymentsClient } from 'pix-automatic-sdk';
import type { Journey, JourneyJournal, JourneyRequest } from 'pix-automatic-sdk/journal';
import { type Credentials, createWebhookHandler, MemoryStore } from 'pix-automatic-sdk/webhooks';

/** The shop's database. */
export interface Orders {
  markAsPaid(orderKey: string): Promise<void>;
  addRefund(saleToken: string, amount: number): Promise<void>;
  /** Somebody must look at a payment whose QR code the shop has shown to nobody. */
  askAPerson(saleToken: string): Promise<void>;
}

/** Starts a subscription, with the QR code to show to the customer: always the same one. */
export function subscribe(
  journal: JourneyJournal,
  orderKey: string,
  request: JourneyRequest,
): Promise<Journey> {
  return journal.open(orderKey, request);
}

/** Receives the notifications. The client confirms each payment with the service. */
export function createListener(
  credentials: Credentials,
  client: PaymentsClient,
  journal: JourneyJournal,
  orders: Orders,
) {
  return createWebhookHandler({
    credentials,
    confirm: client,
    store: new MemoryStore(),
    on: {
      async payment({ payload: { saleToken, referenceCode } }) {
        const attempt = await journal.find({ uuid: saleToken, referenceCode });
        if (attempt?.state === 'created') await orders.markAsPaid(attempt.orderKey);
        else await orders.askAPerson(saleToken);
      },
      refund: ({ payload }) => orders.addRefund(payload.saleToken, payload.refund.amount ?? 0),
      reversal: 'ignore',
      payout: 'ignore',
    },
    onReport: () => {},
  });
}

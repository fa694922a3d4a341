import {
  type PaymentsClient,
  PaymentsError,
  type QrCode,
  type RecurringCheckoutRequest,
} from 'pix-automatic-sdk';
import { type Credentials, createWebhookHandler, MemoryStore } from 'pix-automatic-sdk/webhooks';

/** The shop's database. */
export interface Orders {
  markAsPaid(reference: string): Promise<void>;
  addRefund(saleToken: string, amount: number): Promise<void>;
  /** A journey that no customer has seen may exist: somebody has to look at every notification for it. */
  markAsDoubtful(reference: string): Promise<void>;
}

/** Starts a subscription, and returns the QR code to show to the customer. */
export async function subscribe(
  client: PaymentsClient,
  orders: Orders,
  request: RecurringCheckoutRequest,
): Promise<QrCode> {
  try {
    const { response } = await client.createRecurringCheckout(request);
    return response.instructions.qrCode;
  } catch (error) {
    if (!(error instanceof PaymentsError) || error.outcome !== 'unknown') throw error;
    await orders.markAsDoubtful(request.referenceCode);
    const again = { ...request, referenceCode: `${request.referenceCode}-2` };
    const { response } = await client.createRecurringCheckout(again);
    return response.instructions.qrCode;
  }
}

/** Receives the notifications. */
export function createListener(credentials: Credentials, orders: Orders) {
  return createWebhookHandler({
    credentials,
    store: new MemoryStore(),
    on: {
      payment: ({ payload }) => orders.markAsPaid(payload.referenceCode ?? ''),
      refund: ({ payload }) => orders.addRefund(payload.saleToken, payload.refund.amount ?? 0),
      reversal: 'ignore',
      payout: 'ignore',
    },
    onReport: () => {},
  });
}

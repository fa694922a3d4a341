import {
  type PaymentsClient,
  PaymentsError,
  type QrCode,
  type RecurringCheckoutRequest,
} from 'pix-automatic-sdk';
import { type Credentials, createWebhookHandler, MemoryStore } from 'pix-automatic-sdk/webhooks';

/** What the shop has in its database. */
export interface Orders {
  markAsPaid(reference: string): Promise<void>;
  addRefund(saleToken: string, amount: number): Promise<void>;
  /** There may be a journey that no customer has seen: somebody looks at every notification for it. */
  markAsDoubtful(reference: string): Promise<void>;
}

/** Begins a subscription, and gives the QR code that the customer sees. */
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

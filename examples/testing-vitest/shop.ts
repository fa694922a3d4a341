import {
  isCallError,
  type PaymentsClient,
  type QrCode,
  type RecurringCheckout,
  type RecurringCheckoutRequest,
} from 'pix-automatic-sdk';
import { type Credentials, createWebhookHandler, MemoryStore } from 'pix-automatic-sdk/webhooks';

/** The shop's database. */
export interface Orders {
  markAsPaid(reference: string): Promise<void>;
  addRefund(saleToken: string, amount: number): Promise<void>;
  /** The journey may exist, although no customer has seen it. Somebody must look at every notification about it. */
  markAsDoubtful(reference: string): Promise<void>;
}

/** A customer's journey. Without a QR code it cannot be shown: query its uuid, or wait for its notification. */
export interface Subscription {
  readonly uuid: string;
  readonly qrCode?: QrCode;
}

/** Starts a subscription, with the QR code to show to the customer. */
export async function subscribe(
  client: PaymentsClient,
  orders: Orders,
  request: RecurringCheckoutRequest,
): Promise<Subscription> {
  try {
    return subscriptionOf(await client.createRecurringCheckout(request));
  } catch (error) {
    if (!isCallError(error) || error.outcome !== 'unknown') throw error; // no journey was created
    if (error.uuid !== undefined) return { uuid: error.uuid }; // the journey exists: never create a second one
    await orders.markAsDoubtful(request.referenceCode);
    const again = { ...request, referenceCode: `${request.referenceCode}-2` };
    return subscriptionOf(await client.createRecurringCheckout(again));
  }
}

function subscriptionOf({ response }: RecurringCheckout): Subscription {
  return { uuid: response.uuid, qrCode: response.instructions.qrCode };
}

/** Receives the notifications. The client confirms each payment with the service. */
export function createListener(credentials: Credentials, client: PaymentsClient, orders: Orders) {
  return createWebhookHandler({
    credentials,
    confirm: client,
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

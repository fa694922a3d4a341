// A merchant's module in the strictest settings, compiled against the packed package in every resolution mode.
import {
  ApiError,
  type Outcome,
  PaymentsClient,
  PaymentsError,
  type RecurringCheckout,
  type RecurringCheckoutRequest,
  type Transaction,
  transactionSchema,
} from 'pix-automatic-sdk';
import 'pix-automatic-sdk/pix';
import 'pix-automatic-sdk/sandbox';
import 'pix-automatic-sdk/stores';
import 'pix-automatic-sdk/orders';
import 'pix-automatic-sdk/recurrence';
import 'pix-automatic-sdk/testing';
import { createWebhookHandler, type Notification, parseNotification } from 'pix-automatic-sdk/webhooks';

export interface Order {
  reference: string;
  cents: number;
  phone?: string;
}

export async function subscribe(client: PaymentsClient, order: Order): Promise<RecurringCheckout | Outcome> {
  const request: RecurringCheckoutRequest = {
    currency: 'BRL',
    referenceCode: order.reference,
    amount: order.cents / 100,
    shopper: {
      name: 'Ana',
      document: { type: 'CPF', number: '00000000000' },
      // An optional value of the caller can be passed directly.
      phone: { type: 'MOBILE', number: order.phone },
    },
    recurrence: {
      immediatePayment: true,
      amount: { recurrenceAmount: 59.7 },
      calendar: { initialDate: '2026-12-01', periodicity: 'MONTHLY' },
    },
  };
  try {
    return await client.createRecurringCheckout(request, { timeoutMs: 5_000 });
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 401) throw error;
    if (error instanceof PaymentsError && error.outcome !== undefined) return error.outcome;
    throw error;
  }
}

export function isPaid(transaction: Transaction): boolean {
  // @ts-expect-error a misspelt field must not compile
  transaction.situatoin;
  return transaction.situation === 'PAID';
}

export const client = new PaymentsClient({
  baseUrl: 'https://api.example.com',
  apiKey: 'key',
  apiToken: 'token',
});

export const listener = createWebhookHandler({
  credentials: { apiKey: 'key', apiToken: 'token' },
  on: {
    payment: async ({ payload }, { key }) => console.log(key, payload.saleToken),
    refund: 'ignore',
  },
});

export function subject(body: string): string {
  const notification: Notification = parseNotification({ body });
  return notification.kind === 'payment' ? notification.payload.saleToken : notification.key;
}

export const vendor: string = transactionSchema['~standard'].vendor;

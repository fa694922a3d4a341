import {
  PaymentsClient,
  type PaymentsClientOptions,
  PaymentsError,
  type RecurringCheckout,
  type RecurringCheckoutRequest,
  type Transaction,
} from 'pix-automatic-sdk';
import { expect, vi } from 'vitest';

export const apiKey = 'key-of-the-merchant';
export const apiToken = 'token-of-the-merchant';

export function clientFor(
  { url }: { readonly url: string },
  options: Partial<PaymentsClientOptions> = {},
): PaymentsClient {
  return new PaymentsClient({ baseUrl: url, apiKey, apiToken, ...options });
}

/** A journey without an immediate charge, with every documented field (document section 2.1). */
export function checkoutRequest() {
  return {
    currency: 'BRL',
    referenceCode: 'order-1',
    maxAge: 30,
    callbackURL: 'https://merchant.example/payments',
    shopper: {
      id: 'shopper-1',
      email: 'maria@example.com',
      name: 'Maria da Silva',
      document: { type: 'CPF', number: '52998224725' },
      phone: { type: 'MOBILE', number: '+5511999990000' },
    },
    recurrence: {
      planId: 'plan-1',
      immediatePayment: false,
      amount: { recurrenceAmount: 59.7 },
      calendar: { initialDate: '2027-01-31', finalDate: '2028-01-31', periodicity: 'MONTHLY' },
      retry: true,
    },
  } satisfies RecurringCheckoutRequest;
}

/** The response to `checkoutRequest()`, with every documented field (document section 2.2). */
export function checkoutAnswer() {
  return {
    status: 0,
    message: 'success',
    response: {
      id: 4711,
      referenceCode: 'order-1',
      amount: 59.7,
      saleCode: 'sale-1',
      uuid: 'uuid-1',
      shopper: {
        id: 'shopper-1',
        name: 'Maria da Silva',
        email: 'maria@example.com',
        document: { type: 'CPF', number: '52998224725' },
        phone: { type: 'MOBILE', number: '+5511999990000' },
      },
      instructions: {
        chosen: 'PIX_RECURRENCE',
        name: 'Pix',
        label: 'Pix Automático',
        qrCode: { url: 'https://service.example/qr.png', base64: 'iVBORw0KGgo=', plain: '00020126' },
        steps: { qrCode: ['Open your bank', 'Scan the code'] },
      },
    },
  } satisfies RecurringCheckout;
}

/** Every documented field of a transaction (document section 2.3). */
export function transactionAnswer() {
  return {
    status: 0,
    message: 'success',
    id: 4711,
    uuid: 'uuid-1',
    type: 'SALE',
    situation: 'PAID',
    currency: 'BRL',
    amount: 59.7,
    shipping: 10,
    discounts: 5.5,
    total: 64.2,
    appliedRate: 0.99,
    referenceCode: 'order-1',
    creation: '2026-11-21 09:30:00',
    maxAge: '2026-11-21 10:00:00',
    shopper: {
      bankDetails: { account: '12345-6', branch: '0001' },
      document: { number: '52998224725', type: 'CPF' },
      email: 'maria@example.com',
      phone: { number: '+5511999990000', type: 'MOBILE' },
    },
    beneficiary: { anything: { at: ['all'] } },
    refunds: {
      available: 49.7,
      quantity: 1,
      requested: 10,
      transactions: [
        {
          bankDetails: { account: '12345-6', bank: '260', branch: '0001' },
          creation: '2026-11-22 08:00:00',
          creditDate: '2026-11-22 08:00:05',
          creditTransferDetails: { referenceCode: 'transfer-1', saleUUID: 'uuid-1', total: 10 },
          remark: 'one item returned',
          status: 'PAID',
          total: 10,
          uuid: 'refund-1',
        },
      ],
    },
    serviceFee: 0.5,
    has_return_error: false,
    return_error: { anything: true },
    track: { anything: 1 },
  } satisfies Transaction;
}

export const cancellationAnswer = () => ({ status: 0, message: 'success' });

/** Every operation, so that a claim about all of them is tested on each. */
export const operations = [
  {
    name: 'createRecurringCheckout',
    method: 'POST',
    path: '/v1.1/checkout/pix-automatic',
    urlTemplate: '/v1.1/checkout/pix-automatic',
    answer: checkoutAnswer,
    call: (client: PaymentsClient, options: CallOptions = {}) =>
      client.createRecurringCheckout(checkoutRequest(), options),
  },
  {
    name: 'getTransaction',
    method: 'GET',
    path: '/v1.1/transactions/uuid-1',
    urlTemplate: '/v1.1/transactions/{transactionUUID}',
    answer: transactionAnswer,
    call: (client: PaymentsClient, options: CallOptions = {}) => client.getTransaction('uuid-1', options),
  },
  {
    name: 'cancelScheduledPayment',
    method: 'PUT',
    path: '/v1.1/pix-automatic/scheduled-payments/instruction-1/cancel',
    urlTemplate: '/v1.1/pix-automatic/scheduled-payments/{instructionId}/cancel',
    answer: cancellationAnswer,
    call: (client: PaymentsClient, options: CallOptions = {}) =>
      client.cancelScheduledPayment('instruction-1', { reason: 'moved house' }, options),
  },
] as const;

type CallOptions = Parameters<PaymentsClient['getTransaction']>[1] & {};

export const changing = operations.filter(({ method }) => method !== 'GET');

/** The error that a call rejects with, which must be a `PaymentsError`. */
export async function failureOf(call: Promise<unknown>): Promise<PaymentsError & Record<string, unknown>> {
  const thrown: unknown = await call.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(PaymentsError);
  return thrown as PaymentsError & Record<string, unknown>;
}

/** Makes every back-off 0 ms long, because its length is a random fraction of a limit. */
export function withoutBackOff(): void {
  vi.spyOn(Math, 'random').mockReturnValue(0);
}

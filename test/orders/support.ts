import { ApiError, ConnectionError } from '../../src/errors';
import { createOrders, type OrderRequest, type OrdersOptions } from '../../src/orders';
import { type Attempt, withAttempt } from '../../src/orders/attempt';
import { readOrder, writeOrder } from '../../src/orders/order-records';
import type { RecurringCheckoutRequest } from '../../src/service/operations/create-recurring-checkout';
import type { Transaction } from '../../src/service/operations/get-transaction';
import { MemoryStore } from '../../src/stores/memory-store';
import { stepsOf } from '../../src/stores/steps';
import { fixtures } from '../../src/testing';

/** The keys of a listener. */
export const credentials = { apiKey: 'key', apiToken: 'token' };

export const request = {
  currency: 'BRL',
  amount: 59.7,
  shopper: { name: 'Maria Silva' },
  recurrence: { immediatePayment: true, amount: { recurrenceAmount: 29.9 } },
} satisfies OrderRequest;

/** What the service says about a journey that is paid. */
export function paid(uuid: string, fields: Partial<Transaction> = {}): Transaction {
  const usual = {
    situation: 'PAID',
    type: 'SALE',
    amount: 59.7,
    currency: 'BRL',
    referenceCode: 'order-1',
  } as const;
  return { ...fixtures.transaction({ refunds: undefined }), uuid, ...usual, ...fields };
}

/** What a call of the client double comes to; `uuid` and QR code follow from the reference if nothing is said. */
export type Answer = Error | { readonly uuid: string } | undefined;

/** A client double, which does with the n-th call what the n-th answer says. */
export class FakeClient {
  readonly calls: RecurringCheckoutRequest[] = [];
  readonly options: { totalTimeoutMs: number }[] = [];
  /** How many journeys the service has, by reference. */
  readonly created = new Map<string, number>();

  constructor(readonly answers: (Answer | PromiseLike<Answer>)[] = []) {}

  /** What the service says about each transaction. */
  readonly transactions = new Map<string, Transaction>();

  async getTransaction(uuid: string): Promise<Transaction> {
    const transaction = this.transactions.get(uuid);
    if (transaction === undefined) throw new TypeError(`a query for ${uuid}`);
    return transaction;
  }

  async createRecurringCheckout(sent: RecurringCheckoutRequest, options: { totalTimeoutMs: number }) {
    const index = this.calls.push(sent) - 1;
    this.options.push(options);
    const { referenceCode } = sent;
    const answer = await this.answers[index];
    if (answer instanceof Error) throw answer;
    this.created.set(referenceCode, (this.created.get(referenceCode) ?? 0) + 1);
    const uuid = answer?.uuid ?? `uuid-of-${referenceCode}`;
    return { response: { uuid, instructions: { qrCode: { plain: `qr-of-${referenceCode}` } } } };
  }
}

const call = { operation: 'createRecurringCheckout', attempts: 1 } as const;
const refusal = { ...call, outcome: 'refused' } as const;
export const errors = {
  refused: () => new ApiError('422', { ...refusal, httpStatus: 422, body: {} }),
  notSent: () => new ConnectionError('refused', { ...call, outcome: 'not-sent' }),
  unknown: () => new ApiError('504', { ...call, outcome: 'unknown', httpStatus: 504, body: {} }),
  unauthorized: () => new ApiError('401', { ...refusal, httpStatus: 401, body: {} }),
  limited: () => new ApiError('429', { ...refusal, httpStatus: 429, retryAfterMs: 1e6, body: {} }),
  unknownWithUuid: (uuid = 'seen-uuid') =>
    new ConnectionError('reset', { ...call, outcome: 'unknown', uuid }),
};

/** Orders over memory, whose clock stands where the test puts it. */
export function setUp(answers: (Answer | PromiseLike<Answer>)[] = [], options: Partial<OrdersOptions> = {}) {
  const clock = { now: 1_000_000 };
  const client = new FakeClient(answers);
  const { store = new MemoryStore({ clock: () => clock.now }) } = options;
  const orders = createOrders({ client, waitMs: 60, ...options, store } as OrdersOptions);
  const open = (key = 'order-1', fields: object = {}) => orders.open(key, { ...request, ...fields });
  const read = (key = 'order-1') => readOrder(stepsOf(store), key);
  const states = async (key?: string) =>
    (await read(key)).order.attempts.map(({ referenceCode, state }) => `${referenceCode} ${state}`);
  /** Records an attempt as if another process had. */
  const write = async (attempt: Attempt, key?: string) => {
    const reading = await read(key);
    await writeOrder(stepsOf(store), withAttempt(reading.order, attempt), reading);
  };
  return { clock, client, store, orders, open, read, states, write };
}

/** What the service says of a sale of which this much was refunded. */
export const refunded = (uuid: string, total: number) => ({
  quantity: 1,
  requested: 1,
  transactions: [{ uuid, total, status: 'PAID' }],
});

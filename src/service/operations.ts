import type { OperationName } from '../errors';

/** One operation of the service (document section 4). */
export interface Operation {
  readonly name: OperationName;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path with the names of its parameters: what observers see in place of the real one. */
  readonly urlTemplate: string;
  /** Where its response has the transaction's uuid (document sections 2.2 and 2.3); empty where it has none. */
  readonly uuidPath: readonly string[];
}

export const createRecurringCheckout: Operation = {
  name: 'createRecurringCheckout',
  method: 'POST',
  urlTemplate: '/v1.1/checkout/pix-automatic',
  uuidPath: ['response', 'uuid'],
};

export const getTransaction: Operation = {
  name: 'getTransaction',
  method: 'GET',
  urlTemplate: '/v1.1/transactions/{transactionUUID}',
  uuidPath: ['uuid'],
};

export const cancelScheduledPayment: Operation = {
  name: 'cancelScheduledPayment',
  method: 'PUT',
  urlTemplate: '/v1.1/pix-automatic/scheduled-payments/{instructionId}/cancel',
  uuidPath: [],
};

/** One row for each operation of the service (document section 4). The client, the sandbox and the errors read it. */
export const operations = {
  createRecurringCheckout: {
    name: 'createRecurringCheckout',
    method: 'POST',
    urlTemplate: '/v1.1/checkout/pix-automatic',
    uuidPath: ['response', 'uuid'],
  },
  getTransaction: {
    name: 'getTransaction',
    method: 'GET',
    urlTemplate: '/v1.1/transactions/{transactionUUID}',
    uuidPath: ['uuid'],
  },
  cancelScheduledPayment: {
    name: 'cancelScheduledPayment',
    method: 'PUT',
    urlTemplate: '/v1.1/pix-automatic/scheduled-payments/{instructionId}/cancel',
    uuidPath: [],
  },
} as const satisfies Readonly<Record<string, OperationRow & { readonly name: string }>>;

/** The operations of the service (document section 4), by the names of the client's methods. */
export type OperationName = keyof typeof operations;

/** One operation of the service. */
export interface Operation extends OperationRow {
  readonly name: OperationName;
}

interface OperationRow {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path with the names of its parameters; observers see it instead of the real path. */
  readonly urlTemplate: string;
  /** The path of the transaction's uuid in the response (document sections 2.2 and 2.3); empty if it has none. */
  readonly uuidPath: readonly string[];
}

/** One row for each operation of the service. The client, the sandbox and the errors read it. */
export const operations = {
  createRecurringCheckout: {
    name: 'createRecurringCheckout',
    method: 'POST',
    urlTemplate: '/v1.1/checkout/pix-automatic',
    uuidPaths: [['response', 'uuid']],
    adviceIfUnknown:
      'The journey may exist. If you create another, do it under a new referenceCode, show only its QR code, and ' +
      'watch for notifications of the first.',
    adviceIfUuidKnown: 'The journey exists: query it by `error.uuid`, and do not create it again.',
  },
  getTransaction: {
    name: 'getTransaction',
    method: 'GET',
    urlTemplate: '/v1.1/transactions/{transactionUUID}',
    uuidPaths: [['uuid']],
    adviceIfUnknown: 'A query changes nothing, so it can be made again.',
  },
  cancelScheduledPayment: {
    name: 'cancelScheduledPayment',
    method: 'PUT',
    urlTemplate: '/v1.1/pix-automatic/scheduled-payments/{instructionId}/cancel',
    uuidPaths: [],
    adviceIfUnknown:
      'The cancellation may have gone through: check with the service before you report it either way.',
  },
} as const satisfies Readonly<Record<string, OperationRow & { readonly name: string }>>;

/** The operations of the service (document section 4), by the names of the client's methods. */
export type OperationName = keyof typeof operations;

/** What was called: an operation of the document, or, by `client.request`, a method and a path: `GET /v1.1/refunds`. */
export type CallName = OperationName | `${string} /${string}`;

/** The names of the operations, in the order of the document. */
export const operationNames = Object.keys(operations) as OperationName[];

/** One operation of the service. */
export interface Operation extends OperationRow {
  readonly name: OperationName;
}

interface OperationRow {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path with the names of its parameters; observers see it instead of the real path. */
  readonly urlTemplate: string;
  /** Where the transaction's uuid is in the response; empty if it has none. */
  readonly uuidPaths: readonly (readonly string[])[];
  /** What to do when a call may have gone through, for the end of an error's message. */
  readonly adviceIfUnknown: string;
  /** The same, when the response gave the transaction's uuid. Default: `adviceIfUnknown`. */
  readonly adviceIfUuidKnown?: string;
}

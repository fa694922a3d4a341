/**
 * Everything that the sandbox had to make up, because the document does not show it. The real service may differ in
 * every row: write code that works with any value, and change a row to test it.
 */
export interface Inventions {
  /** The answer to missing or wrong credentials. */
  wrongCredentials: InventedAnswer;
  /** The answer to a path that belongs to no operation. */
  unknownPath: InventedAnswer;
  /** The answer to a wrong method on an operation's path. */
  wrongMethod: InventedAnswer;
  /** The answer to a body that is not sent as `application/json`. */
  wrongMediaType: InventedAnswer;
  /** The answer to a body larger than `maxBodyBytes`. */
  bodyTooLarge: InventedAnswer;
  /** The answer to a body that is not JSON, or lacks a required field. */
  invalidBody: InventedAnswer;
  /** The answer to a query for a UUID that no transaction has. */
  unknownTransaction: InventedAnswer;
  /** The answer to a cancellation of an instruction id that no scheduled payment has. */
  unknownScheduledPayment: InventedAnswer;
  /** The answer to a cancellation of a payment that is no longer scheduled. */
  cancellationRefused: InventedAnswer;
  /** What happens to the second cancellation of the same scheduled payment. */
  repeatedCancellation: 'refused' | 'success';
  /** The answer to a second journey under the same `referenceCode`, or `'accepted'`. */
  repeatedReferenceCode: InventedAnswer | 'accepted';
  /** The whole answer with body status -1, as the fault `body-status` gives it. */
  bodyStatusMinus1: InventedAnswer;
  /** The whole answer with body status 999, as the fault `body-status` gives it. */
  bodyStatus999: InventedAnswer;
  /** Largest request body that is read, in bytes. */
  maxBodyBytes: number;

  /** The zone of all date-times, as minutes from UTC. */
  utcOffsetMinutes: number;
  /** How long a journey without `maxAge` is valid, in minutes. Nothing expires by itself: use `cancelTransaction`. */
  defaultMaxAgeMinutes: number;
  /** The `amount` of a journey without an immediate payment, if the request has none. */
  amountWithoutImmediatePayment: 'recurrenceAmount';
  /** What sale codes start with. */
  saleCodePrefix: string;
  /** Shipping costs of every sale, in the currency's main unit. */
  shipping: number;
  /** Discounts of every sale, in the currency's main unit. */
  discounts: number;
  /** How the one name of a checkout becomes the first and the last name of a payment notification. */
  shopperNames: 'split at the first space';
  /** The service's fee on a sale. */
  appliedRate: number;
  /** The service's fee on payouts. */
  serviceFee: number;
  /** The account that a payer pays from, and that reversals and refunds go back to. */
  payerAccount: {
    /** Bank. */
    readonly bank: string;
    /** Branch of the bank. */
    readonly branch: string;
    /** Account number. */
    readonly account: string;
  };
  /** The texts that a payer reads. */
  instructions: {
    /** Display name of the method. */
    readonly name: string;
    /** Display label of the method. */
    readonly label: string;
    /** What to do, step by step. */
    readonly steps: readonly string[];
  };
  /** `qrCode.base64` as bare Base64, or as a `data:` URL. */
  qrCodeBase64: 'bare' | 'data-url';
  /** The merchant in the BR Code. The host must not exist, so that no bank's application finds a payment there. */
  qrCodeMerchant: {
    /** The merchant's name. */
    readonly name: string;
    /** The merchant's city. */
    readonly city: string;
    /** The host of the URL in the code. */
    readonly host: string;
  };

  /** How many payments are scheduled when a journey is paid, by its `periodicity`, or monthly if that is unknown. */
  scheduledPayments: number;
  /**
   * What `pay` does to a journey without an immediate payment: it is authorized and its payments are scheduled, it stays
   * `PENDING`, and nothing is sent.
   */
  authorization: 'stays PENDING, sends nothing';
  /**
   * Whether charging a scheduled payment makes a sale of its own, which has a `saleToken` of its own and sends a payment
   * notification. Default: it only changes the scheduled payment, and sends nothing.
   */
  scheduledPaymentSale: boolean;
  /** The notifications that `playScenario` sends about charges. */
  scenarioNotifications: 'marked as invented';
  /** The reasons of refunds and reversals that are given none. */
  defaultReasons: {
    /** Of a refund. */
    readonly refund: string;
    /** Of a reversal. */
    readonly reversal: string;
  };
  /** Which fields a refund notification uses for the refunded amount. */
  refundAmountFields: 'both' | 'reversedAmount' | 'amountRefunded';
  /** What receipts start with. A reversal has none until it is `PAID`. */
  receiptPrefix: string;
  /** Whether a reversal also sends the payment's payload again, with `newStatus` `REVERSAL`. */
  saleReversalNotification: boolean;
  /** The status of a failed payout. */
  failedPayoutStatus: 'PENDING' | 'FAILED';
  /** The query flags of a failed payout. */
  failedPayoutQuery: string;
  /** The `message` of a failed payout with a bank's reason; `{code}`, `{meaning}` and `{reason}` are replaced. */
  failedPayoutMessage: string;
  /** How long a listener may take to answer a notification, in milliseconds. */
  deliveryTimeoutMs: number;
}

/** An answer that the document does not show. */
export interface InventedAnswer {
  /** HTTP status. */
  readonly httpStatus: number;
  /** Body field `status`. */
  readonly status: number;
  /** Body field `message`. */
  readonly message: string;
}

/** A row of the table: what the document leaves open, and what the sandbox made up for it. */
export interface Invention<Value> {
  /** Marks the row as an invention wherever it is printed. */
  readonly inventedBySandbox: true;
  /** Section of the document. */
  readonly section: string;
  /** What the document leaves open there. */
  readonly notShown: string;
  /** What the sandbox does; `startSandbox({ inventions })` changes it. */
  readonly value: Value;
}

/** The table: each row is the sandbox's own invention, and each can be changed with `startSandbox({ inventions })`. */
export const inventionTable: { readonly [Row in keyof Inventions]: Invention<Inventions[Row]> } = {
  wrongCredentials: invent(
    '7.2',
    'answer to missing or wrong credentials',
    answer(401, 'invalid credentials'),
  ),
  unknownPath: invent('4', 'answer to an unknown path', answer(404, 'no such operation')),
  wrongMethod: invent('4', 'answer to a wrong method', answer(405, 'method not allowed')),
  wrongMediaType: invent('4', 'answer to another media type', answer(415, 'expected application/json')),
  bodyTooLarge: invent('8', 'answer to a large body', answer(413, 'body too large')),
  invalidBody: invent('7.2', 'answer to an invalid body', answer(400, 'invalid body')),
  unknownTransaction: invent('7.2', 'answer to an unknown UUID', answer(404, 'transaction not found')),
  unknownScheduledPayment: invent(
    '7.2',
    'answer to an unknown instruction id',
    answer(404, 'scheduled payment not found'),
  ),
  cancellationRefused: invent(
    '4.3',
    'when a cancellation is refused, and the answer',
    answer(409, 'scheduled payment cannot be cancelled'),
  ),
  repeatedCancellation: invent('4.3', 'whether a cancellation can be repeated', 'refused'),
  repeatedReferenceCode: invent('2.1', 'whether an order identifier can be used twice', 'accepted'),
  bodyStatusMinus1: invent('7.2', 'meaning of body status -1: a whole answer with it, to test your code', {
    httpStatus: 200,
    status: -1,
    message: 'sandbox: status -1',
  }),
  bodyStatus999: invent('7.2', 'meaning of body status 999: a whole answer with it, to test your code', {
    httpStatus: 200,
    status: 999,
    message: 'sandbox: status 999',
  }),
  maxBodyBytes: invent('8', 'how large the body of a call may be, in bytes', 1024 * 1024),

  // Brazil has had no daylight saving since 2019.
  utcOffsetMinutes: invent('2', 'time zone of date-times', -180),
  defaultMaxAgeMinutes: invent('2.1', 'validity of a journey without maxAge', 60),
  amountWithoutImmediatePayment: invent(
    '2.2',
    'amount of a journey without an immediate charge',
    'recurrenceAmount',
  ),
  saleCodePrefix: invent('2.2', 'form of a sale code: what it starts with', 'S'),
  shipping: invent('2.3', 'shipping costs of a recurring sale', 0),
  discounts: invent('2.3', 'discounts of a recurring sale', 0),
  shopperNames: invent('6.2', 'how firstName and lastName come from one name', 'split at the first space'),
  appliedRate: invent('2.3', 'service fee on a sale: none, so that nothing has to be subtracted', 0),
  serviceFee: invent('2.3', 'service fee on payouts: none, for the same reason', 0),
  payerAccount: invent('2.3', "the payer's account: placeholders that no bank has", {
    bank: 'SANDBOX',
    branch: '0001',
    account: '123456-7',
  }),
  instructions: invent('2.2', "the payer's instructions", {
    name: 'Pix Automático',
    label: 'Pix Automático (sandbox)',
    steps: [
      'Abra o aplicativo do seu banco.',
      'Escolha pagar com Pix e aponte a câmera para o QR Code.',
      'Confira os dados da recorrência e autorize.',
    ],
  }),
  qrCodeBase64: invent('2.2', 'whether base64 has a data: prefix', 'bare'),
  qrCodeMerchant: invent('2.2', 'content of the QR code', {
    name: 'PIX AUTOMATIC SANDBOX',
    city: 'SANDBOX',
    host: 'qr.sandbox.invalid',
  }),

  scheduledPayments: invent('3', 'how scheduled payments are created', 3),
  authorization: invent(
    '3',
    'what an authorization without a charge changes and sends',
    'stays PENDING, sends nothing',
  ),
  scheduledPaymentSale: invent('6.1', 'what a charge of a scheduled payment makes and sends', false),
  scenarioNotifications: invent('6.1', 'notifications of charges of a recurrence', 'marked as invented'),
  defaultReasons: invent('6.3', 'reason of a return that is given none', {
    refund: 'sandbox refund',
    reversal: 'sandbox reversal',
  }),
  // Both, because the document's table has both; a merchant's code should work with either.
  refundAmountFields: invent('6.4', 'which of the two amounts is authoritative', 'both'),
  receiptPrefix: invent('6.3', 'form of a receipt: what it starts with', 'sandbox-receipt-'),
  saleReversalNotification: invent('6.2', 'payload of the sale REVERSAL event', false),
  failedPayoutStatus: invent('3', 'whether a failed payout is PENDING or FAILED', 'PENDING'),
  failedPayoutQuery: invent('6.5', 'whether a failed payout carries type=payout too', 'payout=true'),
  failedPayoutMessage: invent('7.1', 'where a bank’s reason follows', '{meaning}; {reason}'),
  deliveryTimeoutMs: invent('8', 'how long a listener may take to answer, in milliseconds', 30_000),
};

/** The table's values, overridden by those of the caller. */
export function resolveInventions(overrides: Partial<Inventions> = {}): Inventions {
  const defaults = Object.entries(inventionTable).map(([row, { value }]) => [row, value]);
  return { ...(Object.fromEntries(defaults) as Inventions), ...overrides };
}

function invent<Value>(section: string, notShown: string, value: Value): Invention<Value> {
  return { inventedBySandbox: true, section, notShown, value };
}

function answer(httpStatus: number, message: string): InventedAnswer {
  return { httpStatus, status: -1, message };
}

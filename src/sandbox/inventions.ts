import { ownOptions } from '../shared/objects';
import { text } from './text';

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
  /** The `maxAge` that the query shows of a journey created without one, in minutes. Such a journey never expires. */
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

  /** What the query's refunds say beyond the fields: what is left, and why. */
  refundsOfTransaction: 'remark is the reason, available is what is left';
  /** What `cancelTransaction` sends: nothing. */
  cancelledJourney: 'sends nothing';
  /**
   * How many payments are scheduled when the payer accepts a recurrence, and again once all of them have ended, by its
   * `periodicity`, or monthly if that is unknown.
   */
  scheduledPayments: number;
  /** What an authorization does to the transaction of a journey: nothing, it stays `PENDING`. */
  authorization: 'stays PENDING';
  /**
   * How a recurrence is told of (the service's public pages; not in its document). `events`: by the `RECURRENCE_…` events.
   * `payments`: each paid charge by an ordinary payment notification alone, as those pages had it in June 2026. `both`: by both.
   * `none`: the document alone, so that a charge sends nothing and has no sale, and the calls of those pages are not there.
   */
  recurrenceEvents: 'events' | 'payments' | 'both' | 'none';
  /** The plan in events and calls: the id where the request has none, and the description (the service's public pages). */
  recurrencePlan: {
    /** Id of the plan, and of its contract. */
    readonly id: string;
    /** What the payer reads of it. */
    readonly description: string;
  };
  /** How `idRec` and an end-to-end id are made (the service's public pages show their form). */
  recurrenceIds: 'from the uuid';
  /** The time of day of due dates in events (the service's public pages). */
  dueTime: string;
  /** Why a charge failed, as a text of a bank's (the service's public pages). */
  rejectionReason: string;
  /** The reference of a charge's own transaction: its journey's, one of its own, or none (the service's public pages). */
  chargeReference: 'journey' | 'own' | 'none';
  /** Whether a charge that is tried again keeps its sale (the service's public pages). */
  retriedSale: 'same' | 'new';
  /** When a charge is tried again (the service's public pages). */
  retryDay: 'the next day at the earliest';
  /** What becomes of the transaction of a charge that failed (the service's public pages). */
  failedCharge: 'stays PENDING';
  /** The payer's bank in the answer about a recurrence (the service's public pages). */
  payerIspb: string;
  /** The answer to wrong credentials in a call about recurrences (the service's public pages). */
  recurrenceCredentials: InventedAnswer;
  /** The answer about a recurrence that does not exist (the service's public pages). */
  unknownRecurrence: InventedAnswer;
  /** The answer to a cancellation of a recurrence that has ended (the service's public pages). */
  recurrenceEnded: InventedAnswer;
  /** The answer to a wrong query or body of a call about recurrences, with `errors` (the service's public pages). */
  invalidRecurrenceCall: InventedAnswer;
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

/** A row of the table: what the sandbox made up, and why. */
export interface Invention<Value> {
  /** Marks the row as an invention wherever it is printed. */
  readonly inventedBySandbox: true;
  /** Section of the document that leaves it open. */
  readonly section: string;
  /** What is invented and why, in a sentence: in English and in Portuguese. */
  readonly about: readonly [english: string, portuguese: string];
  /** What the sandbox does; `startSandbox({ inventions })` changes it. */
  readonly value: Value;
}

/** The section of the document that leaves it open, and what the sandbox does. */
const rows: { readonly [Row in keyof Inventions]: readonly [section: string, value: Inventions[Row]] } = {
  wrongCredentials: ['7.2', answer(401, 'invalid credentials')],
  unknownPath: ['7.2', answer(404, 'no such operation')],
  wrongMethod: ['7.2', answer(405, 'method not allowed')],
  wrongMediaType: ['7.2', answer(415, 'expected application/json')],
  bodyTooLarge: ['7.2', answer(413, 'body too large')],
  invalidBody: ['7.2', answer(400, 'invalid body')],
  unknownTransaction: ['7.2', answer(404, 'transaction not found')],
  unknownScheduledPayment: ['7.2', answer(404, 'scheduled payment not found')],
  cancellationRefused: ['7.2', answer(409, 'scheduled payment cannot be cancelled')],
  repeatedCancellation: ['4.3', 'refused'],
  repeatedReferenceCode: ['2.1', 'accepted'],
  bodyStatusMinus1: ['7.2', answer(200, 'sandbox: status -1')],
  bodyStatus999: ['7.2', answer(200, 'sandbox: status 999', 999)],
  maxBodyBytes: ['8', 1024 * 1024],
  // Brazil has had no daylight saving since 2019.
  utcOffsetMinutes: ['2', -180],
  defaultMaxAgeMinutes: ['2.1', 60],
  amountWithoutImmediatePayment: ['2.2', 'recurrenceAmount'],
  saleCodePrefix: ['2.2', 'S'],
  shipping: ['2.3', 0],
  discounts: ['2.3', 0],
  shopperNames: ['6.2', 'split at the first space'],
  appliedRate: ['2.3', 0],
  serviceFee: ['2.3', 0],
  payerAccount: ['2.3', { bank: 'SANDBOX', branch: '0001', account: '123456-7' }],
  instructions: [
    '2.2',
    {
      name: 'Pix Automático',
      label: 'Pix Automático (sandbox)',
      steps: [
        'Abra o aplicativo do seu banco.',
        'Escolha pagar com Pix e aponte a câmera para o QR code.',
        'Confira os dados da recorrência e autorize.',
      ],
    },
  ],
  qrCodeBase64: ['2.2', 'bare'],
  qrCodeMerchant: ['2.2', { name: 'PIX AUTOMATIC SANDBOX', city: 'SANDBOX', host: 'qr.sandbox.invalid' }],
  refundsOfTransaction: ['2.3', 'remark is the reason, available is what is left'],
  cancelledJourney: ['3', 'sends nothing'],
  scheduledPayments: ['3', 3],
  authorization: ['3', 'stays PENDING'],
  recurrenceEvents: ['6.1', 'events'],
  recurrencePlan: ['6.1', { id: 'sandbox-plan', description: 'Sandbox plan' }],
  recurrenceIds: ['6.1', 'from the uuid'],
  dueTime: ['6.1', '00:00:00'],
  rejectionReason: ['6.1', 'sandbox rejection'],
  chargeReference: ['6.1', 'journey'],
  retriedSale: ['6.1', 'same'],
  retryDay: ['6.1', 'the next day at the earliest'],
  failedCharge: ['6.1', 'stays PENDING'],
  payerIspb: ['4.3', '00000000'],
  recurrenceCredentials: ['4.3', answer(403, 'invalid credentials')],
  unknownRecurrence: ['4.3', answer(404, 'recurrence not found', 998)],
  recurrenceEnded: ['4.3', answer(400, 'recurrence cannot be cancelled')],
  invalidRecurrenceCall: ['4.3', answer(400, 'invalid request')],
  defaultReasons: ['6.3', { refund: 'sandbox refund', reversal: 'sandbox reversal' }],
  refundAmountFields: ['6.4', 'both'],
  receiptPrefix: ['6.3', 'sandbox-receipt-'],
  saleReversalNotification: ['6.2', false],
  failedPayoutStatus: ['3', 'PENDING'],
  failedPayoutQuery: ['6.5', 'payout=true'],
  failedPayoutMessage: ['7.1', '{meaning}; {reason}'],
  deliveryTimeoutMs: ['8', 30_000],
};

/** The table: each row is the sandbox's own invention, and each can be changed with `startSandbox({ inventions })`. */
export const inventionTable: { readonly [Row in keyof Inventions]: Invention<Inventions[Row]> } =
  Object.fromEntries(
    Object.entries(rows).map(([row, [section, value]]) => {
      const about = text(row as keyof Inventions);
      return [row, { inventedBySandbox: true, section, about, value }];
    }),
  ) as never;

/** The table's values, overridden by those of the caller. */
export function resolveInventions(overrides: Partial<Inventions> = {}): Inventions {
  const defaults = Object.entries(inventionTable).map(([row, { value }]) => [row, value]);
  return { ...(Object.fromEntries(defaults) as Inventions), ...ownOptions(overrides) };
}

function answer(httpStatus: number, message: string, status = -1): InventedAnswer {
  return { httpStatus, status, message };
}

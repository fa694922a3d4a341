import { addMonths, writeDay } from '../../pix/pix-calendar';
import { currencyDecimals } from '../../service/currency';
import type { BankDetails } from '../../service/fields';
import {
  type PayoutErrorCode,
  type PayoutPayload,
  payoutErrorMeanings,
} from '../../service/notifications/payout';
import type { RefundPayload } from '../../service/notifications/refund';
import type { ReversalPayload } from '../../service/notifications/reversal';
import type {
  CheckoutRequestShopper,
  RecurringCheckoutRequest,
} from '../../service/operations/create-recurring-checkout';
import { filled } from '../../shared/filled';
import { type OptionNames, readNamedOptions } from '../../values/option-checks';
import type { Inventions } from '../inventions';
import { type Text, text } from '../text';
import { assertPayload, assertPositive, findJourney, findTransaction, known, today } from './checks';
import { brCode } from './qr-code';
import {
  dateTime,
  happened,
  printable,
  queryFlags,
  SandboxError,
  type SandboxNotification,
  type SandboxPayout,
  type SandboxRefund,
  type SandboxReversal,
  type SandboxScheduledPayment,
  type ServiceState,
  type TransactionRecord,
} from './records';
import {
  approve,
  CHARGE_OPTIONS,
  type ChargeOptions,
  charge,
  describeRecurrence,
  endRecurrence,
  isAuthorized,
  type SandboxRecurrence,
  tellApproved,
} from './recurrence';
import { saleNotification } from './sale-notification';

// To add a move, write its function here with the notification that it sends, and list it in `MoveControls` and `moveControls`.

/** What the payer, the bank and the service do by themselves. */
export interface MoveControls {
  /** A snapshot of every journey created so far, the oldest first. */
  readonly transactions: readonly SandboxTransaction[];
  /** Creates a journey as a client would, to have one to play with. */
  createTestJourney(options?: TestJourneyOptions): SandboxTransaction;
  /** Leaves a journey out of every list, and sends nothing about it. `verify` hides its own journeys. */
  hideTransaction(transactionUUID: string): void;
  /**
   * The payer pays: the transaction is `PAID`, and the payment notification goes out. With it, the payer accepts the
   * recurrence. A journey without an immediate payment is only authorized, as by `authorize`. A QR code whose `maxAge` is over
   * is refused (`not-allowed`); a journey that was created without `maxAge` can always be paid.
   *
   * @returns the payments that are now scheduled, which `cancelScheduledPayment` can cancel
   */
  pay(transactionUUID: string): SandboxScheduledPayment[];
  /**
   * The payer accepts the recurrence, and pays nothing: the transaction stays `PENDING`, and `RECURRENCE_AUTHORIZED` goes out. An
   * immediate payment can still be made, by `pay`. Refused where `pay` is. The service's public pages; not in its document.
   *
   * @returns the payments that are now scheduled
   */
  authorize(transactionUUID: string): SandboxScheduledPayment[];
  /**
   * The next payment of the recurrence is charged: `RECURRENCE_CHARGE_SCHEDULED` goes out, then `RECURRENCE_CHARGE_PAID`, or
   * `RECURRENCE_CHARGE_FAILED` with the code in `fails`. After one with `willRetry`, the next charge is another try of the same
   * payment, dated at least a day later. `recurrenceEvents` of the inventions has the other forms. The service's public pages;
   * not in its document.
   *
   * @throws `SandboxError` (`not-allowed`) where nothing is left to charge
   */
  charge(transactionUUID: string, options?: ChargeOptions): SandboxScheduledPayment;
  /** The payer ends the recurrence at their bank, and `RECURRENCE_CANCELLED` goes out. The service's public pages. */
  cancelByPayer(transactionUUID: string): void;
  /** The payer refuses the recurrence, and `RECURRENCE_REJECTED` goes out. The service's public pages. */
  rejectRecurrence(transactionUUID: string): void;
  /** The payer has not answered in time, and `RECURRENCE_EXPIRED` goes out. The service's public pages. */
  expireRecurrence(transactionUUID: string): void;
  /** The agreed period is over, and `RECURRENCE_CONCLUDED` goes out. The service's public pages. */
  concludeRecurrence(transactionUUID: string): void;
  /** The transaction becomes `CANCELLED`. Invented: the document shows neither this move nor a notification for it. */
  cancelTransaction(transactionUUID: string): void;
  /** The service starts to return the funds: a `PENDING` reversal is created, and its notification goes out. */
  reverse(transactionUUID: string, options?: ReversalOptions): SandboxReversal;
  /** The funds are returned: the reversal is `PAID`, and its notification goes out. */
  completeReversal(reversalUUID: string): SandboxReversal;
  /** The reversal is `CANCELLED`, and its notification goes out. */
  cancelReversal(reversalUUID: string): SandboxReversal;
  /** A refund that you asked for is credited, in part or in full, and its notification goes out. */
  refund(transactionUUID: string, options?: RefundOptions): SandboxRefund;
  /** A payout is made, or fails with the code in `fail`, and its notification goes out. */
  payOut(options: PayOutOptions): SandboxPayout;
  /** The scheduled payments of a journey, by due date. */
  scheduledPayments(transactionUUID: string): SandboxScheduledPayment[];
  /** A scheduled payment is cancelled, as `cancelScheduledPayment` of a client does. */
  cancelScheduledPayment(instructionId: string, reason?: string): SandboxScheduledPayment;
  /**
   * Sends your own payload, such as a notification of the recurring journey that you received from the service. The
   * document says that these exist but does not show them. The sandbox makes none up.
   *
   * @param query - flags for the query of the listener's URL, such as `type=recurrence`.
   * @throws `SandboxError` (`invalid`) for a payload that is nested more than 100 levels deep.
   */
  notify(payload: object, query?: string): void;
}

/** The moves on one state. Each returns a copy, so that a later move does not change what the caller holds. */
export function moveControls(state: ServiceState): MoveControls {
  return {
    get transactions() {
      return [...state.transactions.values()]
        .filter(isListed)
        .map((transaction) => describeJourney(state, transaction));
    },
    createTestJourney(options) {
      const own = readNamedOptions('createTestJourney', options, JOURNEY_OPTIONS);
      return describeJourney(state, createTestJourney(state, own));
    },
    hideTransaction(uuid) {
      findTransaction(state, uuid).isHidden = true;
      state.revision++;
    },
    pay: (uuid) => pay(state, uuid).map(copy),
    authorize: (uuid) => authorize(state, uuid).map(copy),
    charge: (uuid, options) =>
      copy(charge(state, uuid, readNamedOptions('charge', options, CHARGE_OPTIONS, 'uuid, ')).payment),
    cancelByPayer: (uuid) => void endRecurrence(state, uuid, 'CANCELLED'),
    rejectRecurrence: (uuid) => void endRecurrence(state, uuid, 'REJECTED'),
    expireRecurrence: (uuid) => void endRecurrence(state, uuid, 'EXPIRED'),
    concludeRecurrence: (uuid) => void endRecurrence(state, uuid, 'CONCLUDED'),
    cancelTransaction: (uuid) => cancelTransaction(state, uuid),
    reverse: (uuid, options) =>
      copy(reverse(state, uuid, readNamedOptions('reverse', options, REVERSAL_OPTIONS, 'uuid, '))),
    completeReversal: (uuid) => copy(endReversal(state, uuid, 'PAID')),
    cancelReversal: (uuid) => copy(endReversal(state, uuid, 'CANCELLED')),
    refund: (uuid, options) =>
      copy(refund(state, uuid, readNamedOptions('refund', options, REFUND_OPTIONS, 'uuid, '))),
    payOut: (options) => copy(payOut(state, readNamedOptions('payOut', options, PAYOUT_OPTIONS))),
    scheduledPayments: (uuid) => findTransaction(state, uuid).scheduledPayments.map(copy),
    cancelScheduledPayment: (instructionId, reason = 'sandbox cancellation') =>
      copy(cancelPayment(state, instructionId, reason)),
    notify(payload, query = '') {
      assertPayload(payload);
      const { transactionUUID, saleToken } = payload as Readonly<Record<string, unknown>>;
      const about = [transactionUUID, saleToken].map(String).find((id) => state.transactions.has(id));
      state.notify({ kind: 'custom', query, payload, transactionUUID: about });
    },
  };
}

function copy<RecordType extends object>(record: RecordType): RecordType {
  return { ...record };
}

// Journeys

/** A journey as the sandbox lists it. */
export interface SandboxTransaction {
  /** Transaction UUID: `response.uuid` of the journey, and `saleToken` of its notifications. */
  readonly uuid: string;
  /** Your order identifier. */
  readonly referenceCode: string;
  /** `PENDING` until it is paid or cancelled (document section 2.3). */
  readonly situation: 'PENDING' | 'CANCELLED' | 'PAID';
  /** Whether it charges at once; if not, `pay` only authorizes it. */
  readonly immediatePayment: boolean;
  /** Whether the payer has accepted it and its own payment is not made: for good, without an immediate payment. */
  readonly isAuthorized: boolean;
  /** Its recurrence. */
  readonly recurrence: SandboxRecurrence;
  /** In the currency's main unit. */
  readonly amount: number;
  /** ISO 4217 code. */
  readonly currency: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** When its QR code expires: ISO 8601, UTC. Missing when the journey was created without `maxAge`. */
  readonly expiresAt?: string;
  /** Sum of its refunds, in the currency's main unit; missing when there is none. */
  readonly refunded?: number;
  /** By due date; empty until the payer has accepted it. The service's public pages; the document shows only their ids. */
  readonly scheduledPayments: readonly SandboxScheduledPayment[];
  /** Its reversals, pending or ended, the oldest first. */
  readonly reversals: readonly SandboxReversal[];
  /** The text of its QR code, to copy and paste. */
  readonly qrCodeText: string;
}

/** Whether a transaction is a journey for the lists: no sale of a scheduled payment, and none that is hidden. */
export function isListed({ chargeOf, isHidden }: TransactionRecord): boolean {
  return chargeOf === undefined && !isHidden;
}

/** A snapshot of a journey, as the sandbox lists it. */
export function describeJourney(state: ServiceState, transaction: TransactionRecord): SandboxTransaction {
  const { uuid, referenceCode, situation, immediatePayment, amount, currency } = transaction;
  const { requested, quantity } = refundTotals(transaction);
  const { hasMaxAge, expiresAt } = transaction;
  return {
    uuid,
    referenceCode,
    situation,
    immediatePayment,
    isAuthorized: isAuthorized(transaction),
    recurrence: describeRecurrence(transaction),
    amount,
    currency,
    createdAt: new Date(transaction.createdAt).toISOString(),
    ...(hasMaxAge ? { expiresAt: printable(expiresAt).toISOString() } : {}),
    ...(quantity === 0 ? {} : { refunded: requested }),
    scheduledPayments: transaction.scheduledPayments.map(copy),
    reversals: transaction.reversals.map(copy),
    qrCodeText: brCode(transaction, state.inventions.qrCodeMerchant),
  };
}

/** Creates a journey, as the operation does. */
export function addJourney(state: ServiceState, request: RecurringCheckoutRequest): TransactionRecord {
  const { ids, now, inventions } = state;
  const { referenceCode, currency, recurrence, shopper } = request;
  const { immediatePayment, calendar } = recurrence;
  const recurrenceAmount = recurrence.amount?.recurrenceAmount;
  const id = ids.number();
  // The row `amountWithoutImmediatePayment`.
  const amount = request.amount ?? recurrenceAmount ?? 0;
  const createdAt = now();
  const journey: TransactionRecord = {
    id,
    uuid: ids.uuid(),
    saleCode: inventions.saleCodePrefix + id,
    referenceCode,
    currency,
    amount,
    immediatePayment,
    recurrence: 'CREATED',
    isHidden: false,
    chargeOf: undefined,
    recurrenceAmount: recurrenceAmount ?? amount,
    isVariable: recurrence.amount?.valueType === 'VARIABLE',
    minimumAmount: recurrence.amount?.debitorMinimumAmount ?? recurrenceAmount ?? amount,
    planId: recurrence.planId,
    initialDate: calendar?.initialDate,
    finalDate: calendar?.finalDate,
    periodicity: calendar?.periodicity ?? undefined,
    createdAt,
    hasMaxAge: request.maxAge !== undefined,
    expiresAt: createdAt + (request.maxAge ?? inventions.defaultMaxAgeMinutes) * 60_000,
    shopper: knownFields(shopper),
    situation: 'PENDING',
    refunds: [],
    reversals: [],
    scheduledPayments: [],
    events: [],
  };
  state.transactions.set(journey.uuid, journey);
  state.referenceCodes.add(referenceCode);
  happened(state, journey, 'created', { amount });
  return journey;
}

/** Only the document's fields, in its order. Keeping unknown fields would let requests fill the memory. */
function knownFields({ id, name, email, document, phone }: CheckoutRequestShopper): CheckoutRequestShopper {
  return {
    id,
    name,
    email,
    document: document && { type: document.type, number: document.number },
    phone: phone && { type: phone.type, number: phone.number },
  };
}

/** What may be chosen of a test journey. */
export interface TestJourneyOptions {
  /** Default: `test-` and a number. */
  referenceCode?: string | undefined;
  /** In the currency's main unit, BRL. Default: 59.70. */
  amount?: number | undefined;
  /** Without an immediate payment. Default: with one. */
  authorizeOnly?: boolean | undefined;
}

const JOURNEY_OPTIONS: OptionNames<TestJourneyOptions> = {
  referenceCode: true,
  amount: true,
  authorizeOnly: true,
};

/** Monthly, 29.90 each time, from a month after today. */
function createTestJourney(state: ServiceState, options: TestJourneyOptions): TransactionRecord {
  const { amount = 59.7, authorizeOnly = false } = options;
  const referenceCode = options.referenceCode || `test-${state.transactions.size + 1}`;
  assertPositive(amount);
  if (state.inventions.repeatedReferenceCode !== 'accepted' && state.referenceCodes.has(referenceCode)) {
    throw new SandboxError('not-allowed', ...text('refused.repeatedReference'));
  }
  const recurrence = {
    amount: { recurrenceAmount: 29.9 },
    calendar: { initialDate: writeDay(addMonths(today(state), 1)), periodicity: 'MONTHLY' },
  };
  const shopper = { id: 'shopper-7', name: 'Ana de Souza', email: 'ana@example.com' };
  const order = { currency: 'BRL', referenceCode, shopper };
  return addJourney(
    state,
    authorizeOnly
      ? { ...order, recurrence: { ...recurrence, immediatePayment: false } }
      : { ...order, amount, recurrence: { ...recurrence, immediatePayment: true } },
  );
}

function pendingTransaction(state: ServiceState, uuid: string, move: 'paid' | 'cancelled') {
  const transaction = findJourney(state, uuid);
  const { situation } = transaction;
  if (situation === 'PENDING') return transaction;
  throw new SandboxError('not-allowed', ...text(`refused.${move}`, { situation }));
}

// Sales

/**
 * The payer accepts the journey. With an immediate payment, that payment is confirmed: the transaction is PAID, and its
 * notification goes out. Without one nothing is charged, so nothing is PAID.
 */
function pay(state: ServiceState, uuid: string): readonly SandboxScheduledPayment[] {
  const journey = scannable(state, uuid);
  if (!journey.immediatePayment) return authorize(state, uuid);
  // The payer may have authorized it before, and pays now.
  const isNew = journey.recurrence !== 'APPROVED';
  if (isNew) approve(state, journey);
  journey.situation = 'PAID';
  const notification = saleNotification(state, journey, 'PAID');
  happened(state, journey, 'paid', { amount: journey.amount }, notification);
  if (isNew) tellApproved(state, journey);
  return journey.scheduledPayments;
}

/** The payer accepts the recurrence, and pays nothing. */
function authorize(state: ServiceState, uuid: string): readonly SandboxScheduledPayment[] {
  const journey = scannable(state, uuid);
  approve(state, journey);
  happened(state, journey, 'authorized');
  tellApproved(state, journey);
  return journey.scheduledPayments;
}

/** A journey whose QR code can be scanned. @throws `SandboxError` if not */
function scannable(state: ServiceState, uuid: string): TransactionRecord {
  const journey = pendingTransaction(state, uuid, 'paid');
  if (journey.hasMaxAge && state.now() >= journey.expiresAt) {
    throw new SandboxError('not-allowed', ...text('refused.expired'));
  }
  return journey;
}

/** Invented: the document names the situation CANCELLED, but no move that leads to it. */
function cancelTransaction(state: ServiceState, uuid: string): void {
  const journey = pendingTransaction(state, uuid, 'cancelled');
  journey.situation = 'CANCELLED';
  happened(state, journey, 'cancelled');
}

// Returns

/** How much of a transaction goes back, and why. */
export interface ReturnOptions {
  /** In the currency's main unit. Default: all that is left. */
  amount?: number | undefined;
  /** Default: the text of `defaultReasons` in the inventions. */
  reason?: string | undefined;
}

/** What has been refunded of a transaction, and what can still be refunded: nothing while it is unpaid. */
export function refundTotals(transaction: TransactionRecord) {
  const { currency, situation, refunds } = transaction;
  const requested = sum(currency, refunds);
  return {
    available: situation === 'PAID' ? amountLeft(transaction) : 0,
    quantity: refunds.length,
    requested,
  };
}

/** The amount that no refund or reversal has taken. A pending reversal has taken its amount, a cancelled one none. */
export function amountLeft({ currency, amount, refunds, reversals }: TransactionRecord): number {
  const returned = [...refunds, ...reversals.filter(({ status }) => status !== 'CANCELLED')];
  return sum(currency, [{ amount }, ...returned.map((one) => ({ amount: -one.amount }))]);
}

/** Sums amounts in whole minor units, because `59.7 - 19.9` is 39.800000000000004. */
function sum(currency: string, parts: readonly { readonly amount: number }[]): number {
  const factor = 10 ** (currencyDecimals(currency) ?? 2);
  return parts.reduce((total, { amount }) => total + Math.round(amount * factor), 0) / factor;
}

/** How much a refund or a reversal returns: the amount asked for, or else all that is left. */
function amountToReturn(transaction: TransactionRecord, { amount }: ReturnOptions): number {
  const left = amountLeft(transaction);
  if (left <= 0) throw nothingLeft(transaction);
  const wanted = amount ?? left;
  if (Number.isFinite(wanted) && wanted > 0 && wanted <= left) return wanted;
  throw new SandboxError(
    'invalid',
    ...text('refused.moreThanLeft', { left: money(left, transaction.currency) }),
  );
}

function nothingLeft({ reversals, currency }: TransactionRecord): SandboxError {
  const pending = reversals.filter(({ status }) => status === 'PENDING');
  const inPlace = (place: 0 | 1) =>
    pending.map(({ amount, uuid }) => `${money(amount, currency)[place]} (UUID ${uuid})`).join(', ');
  const message =
    pending.length === 0
      ? text('refused.nothingLeft')
      : text('refused.reversalUnderWay', { pending: [inPlace(0), inPlace(1)] });
  return new SandboxError('not-allowed', ...message);
}

/** An amount as people write it, in English and in Portuguese. */
function money(amount: number, currency: string): Text {
  const written = (locale: string) =>
    new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount);
  try {
    return [written('en-US'), written('pt-BR')];
  } catch {
    // A currency code that is none.
    return [`${amount}`, `${amount}`];
  }
}

/** How a transaction is refunded. */
export interface RefundOptions extends ReturnOptions {
  /** May be `null` or the text `null`, as in the document. Default: a made-up reference. */
  receipt?: string | null | undefined;
}

const REFUND_OPTIONS: OptionNames<RefundOptions> = { amount: true, reason: true, receipt: true };

/** Credits a refund of a paid transaction. */
function refund(state: ServiceState, uuid: string, options: RefundOptions): SandboxRefund {
  const { inventions, ids } = state;
  const sale = findTransaction(state, uuid);
  if (sale.situation !== 'PAID') {
    throw new SandboxError('not-allowed', ...text('refused.unpaid', { situation: sale.situation }));
  }
  const { reason = inventions.defaultReasons.refund } = options;
  const amount = amountToReturn(sale, options);
  const id = ids.number();
  const { receipt = inventions.receiptPrefix + id } = options;
  const date = dateTime(state, state.now());
  const credited = {
    id,
    uuid: ids.uuid(),
    status: 'PAID',
    amount,
    creation: date,
    creditDate: date,
  } as const;
  const bankDetails = inventions.payerAccount;
  const record: SandboxRefund = { ...credited, transactionUUID: uuid, reason, receipt, bankDetails };
  sale.refunds.push(record);

  // Section 6.4.
  const fields = inventions.refundAmountFields;
  const payload: RefundPayload = {
    saleToken: uuid,
    referenceCode: sale.referenceCode || undefined,
    currency: sale.currency,
    originalAmount: sale.amount,
    reversedAmount: fields === 'amountRefunded' ? undefined : amount,
    amountRefunded: fields === 'reversedAmount' ? undefined : amount,
    bankDetails,
    receipt,
    status: 'PAID',
    refund: credited,
    reason,
    date,
  };
  const notification = { kind: 'refund', query: queryFlags.refund, payload, transactionUUID: uuid } as const;
  happened(state, sale, 'refunded', { amount, detail: reason }, notification);
  return record;
}

/** How a reversal starts, and whether it ends at once. */
export interface ReversalOptions extends ReturnOptions {
  /** Ends it at once with `PAID`. */
  complete?: boolean | undefined;
  /** Ends it at once with `CANCELLED`. */
  cancel?: boolean | undefined;
}

const REVERSAL_OPTIONS: OptionNames<ReversalOptions> = {
  amount: true,
  reason: true,
  complete: true,
  cancel: true,
};

/** Starts to return the funds of a sale, paid or not: the service "cannot approve or identify" it (section 3). */
function reverse(state: ServiceState, uuid: string, options: ReversalOptions): SandboxReversal {
  const { inventions, ids } = state;
  const { complete = false, cancel = false, reason = inventions.defaultReasons.reversal } = options;
  if (complete && cancel) {
    throw new SandboxError('invalid', ...text('refused.both'));
  }
  const sale = findTransaction(state, uuid);
  const amount = amountToReturn(sale, options);
  const reversal: SandboxReversal = {
    id: ids.number(),
    uuid: ids.uuid(),
    transactionUUID: uuid,
    amount,
    reason,
    bankDetails: inventions.payerAccount,
    creation: dateTime(state, state.now()),
    status: 'PENDING',
    receipt: null,
  };
  sale.reversals.push(reversal);
  state.reversals.set(reversal.uuid, reversal);
  const notification = reversalNotification(sale, reversal);
  happened(state, sale, 'reversal-PENDING', { amount, detail: reason }, notification);
  if (inventions.saleReversalNotification) state.notify(saleNotification(state, sale, 'REVERSAL'));
  if (complete) return endReversal(state, reversal.uuid, 'PAID');
  return cancel ? endReversal(state, reversal.uuid, 'CANCELLED') : reversal;
}

function endReversal(state: ServiceState, uuid: string, status: 'PAID' | 'CANCELLED'): SandboxReversal {
  const reversal = known(state.reversals.get(uuid), 'refused.unknownReversal');
  if (reversal.status !== 'PENDING') {
    throw new SandboxError('not-allowed', ...text('refused.endedReversal', { status: reversal.status }));
  }
  reversal.status = status;
  if (status === 'PAID') reversal.receipt = state.inventions.receiptPrefix + reversal.id;
  const sale = findTransaction(state, reversal.transactionUUID);
  const notification = reversalNotification(sale, reversal);
  happened(state, sale, `reversal-${status}`, { amount: reversal.amount }, notification);
  return reversal;
}

/** Section 6.3. */
function reversalNotification(sale: TransactionRecord, reversal: SandboxReversal): SandboxNotification {
  const { id, uuid, amount, status, bankDetails, creation, receipt, reason } = reversal;
  const payload: ReversalPayload = {
    id,
    uuid,
    currency: sale.currency,
    originalAmount: sale.amount,
    reversedAmount: amount,
    status,
    bankDetails,
    sale: { id: sale.id, uuid: sale.uuid },
    creation,
    receipt,
    reason,
  };
  return { kind: 'reversal', query: queryFlags.reversal, payload, transactionUUID: sale.uuid };
}

// Payouts

/** What is paid out, and whether it fails. */
export interface PayOutOptions {
  /** In the currency's main unit. */
  amount: number;
  /** Default: `BRL`. */
  currency?: string | undefined;
  /** Your reference, if you gave one. */
  referenceCode?: string | undefined;
  /** Where the money goes. Default: the payer's account of the table of inventions. */
  bankDetails?: BankDetails | undefined;
  /** Makes it fail with this code (document section 7.1). */
  fail?: PayoutErrorCode | undefined;
  /** The bank's reason, for `PE0003` and `PE0004`. Where it goes is invented: `failedPayoutMessage`. */
  reason?: string | undefined;
}

const PAYOUT_OPTIONS: OptionNames<PayOutOptions> = {
  amount: true,
  currency: true,
  referenceCode: true,
  bankDetails: true,
  fail: true,
  reason: true,
};

/** The codes that a payout can fail with. */
const payoutErrorCodes = Object.keys(payoutErrorMeanings) as PayoutErrorCode[];

/** Makes a payout, or a failed one, and sends its notification (section 6.5). */
function payOut(state: ServiceState, options: PayOutOptions): SandboxPayout {
  const { inventions, ids } = state;
  const { amount, currency = 'BRL', referenceCode, bankDetails = inventions.payerAccount, fail } = options;
  assertPositive(amount);
  if (fail !== undefined && !payoutErrorCodes.includes(fail)) {
    throw new SandboxError('invalid', ...text('refused.failure', { codes: payoutErrorCodes.join(', ') }));
  }
  const success = fail === undefined;
  const message = success ? 'success' : failureMessage(inventions, fail, options.reason);
  const id = ids.number();
  const details = {
    id,
    uuid: ids.uuid(),
    currency,
    amount,
    status: success ? ('PAID' as const) : inventions.failedPayoutStatus,
    referenceCode,
    bankDetails,
    creation: dateTime(state, state.now()),
    receipt: success ? inventions.receiptPrefix + id : undefined,
  };
  const payload: PayoutPayload = success
    ? { success, message, ...details }
    : { success, message, error_code: fail, ...details };
  state.notify({
    kind: 'payout',
    query: success ? queryFlags.payout : inventions.failedPayoutQuery,
    payload,
  });
  return { ...details, success, errorCode: fail, message };
}

/** The row `failedPayoutMessage`. */
function failureMessage(
  { failedPayoutMessage }: Inventions,
  code: PayoutErrorCode,
  reason: string | undefined,
): string {
  const meaning = payoutErrorMeanings[code];
  if (reason === undefined) return meaning;
  return filled(failedPayoutMessage, { code, meaning, reason });
}

// Scheduled payments

/** Cancels a scheduled payment, which is never charged then. */
export function cancelPayment(
  state: ServiceState,
  instructionId: string,
  reason: string,
): SandboxScheduledPayment {
  const payment = known(state.scheduledPayments.get(instructionId), 'refused.unknownScheduledPayment');
  if (payment.status !== 'SCHEDULED') {
    throw new SandboxError('not-allowed', ...text('refused.notScheduled', { status: payment.status }));
  }
  Object.assign(payment, { status: 'CANCELLED', cancellationReason: reason });
  const { transactionUUID, amount, dueDate } = payment;
  happened(state, findTransaction(state, transactionUUID), 'payment-CANCELLED', { amount, detail: dueDate });
  return payment;
}

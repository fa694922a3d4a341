import { InvalidRequestError } from '../errors/argument-errors';
import { ConfigurationError } from '../errors/configuration-error';
import type { SalePayload } from '../service/notifications/sale';
import type { Transaction, TransactionRefunds } from '../service/operations/get-transaction';
import { mayHaveLeftOut } from '../service/schema';
import { isGiven, isObject } from '../shared/objects';
import { isSameId } from '../shared/uuid';
import type { ValidationIssue } from '../shared/validation-issue';
import { withoutNoise } from './amounts';
import { checkPositive, type OptionNames, readNamedOptions } from './option-checks';

/**
 * The part of a client that queries a transaction: a `PaymentsClient`, or your test double. If your double wraps a
 * client, return the client's result itself: a copy loses the note that `status`, `type` or `refunds` did not have the
 * documented type.
 */
export interface TransactionSource {
  /** As `PaymentsClient.getTransaction`. */
  getTransaction(
    transactionUUID: string,
    options?: {
      readonly timeoutMs?: number | undefined;
      readonly totalTimeoutMs?: number | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<Transaction>;
}

/** A notification of kind `payment`, of which `payload` is enough. */
interface ReportedPayment {
  readonly kind: 'payment';
  readonly payload: SalePayload;
  /** The body, from which an amount is read that came as text. */
  readonly raw?: Readonly<Record<string, unknown>> | undefined;
  /** The fields that `payload` leaves out. */
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** Options of one confirmation. */
export interface ConfirmOptions {
  /**
   * Maximum duration of the query, in milliseconds, including its retries. Short, because the service expects the
   * listener to answer promptly.
   *
   * @defaultValue 5_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Confirms a payment that was refunded since, in part or in full. The refund is still in `differences`.
   *
   * @defaultValue false
   */
  readonly acceptRefunded?: boolean | undefined;
  /** Ends the query at once with an `AbortedError`. `null` means no signal. */
  readonly signal?: AbortSignal | null | undefined;
}

const NAMES: OptionNames<ConfirmOptions> = { timeoutMs: true, acceptRefunded: true, signal: true };

/** Whether the service confirms a payment that a notification reported. */
export interface PaymentConfirmation {
  /** The service states that the transaction is paid and not refunded, and nothing differs from the notification. */
  readonly confirmed: boolean;
  /** The transaction as the service has it now. */
  readonly transaction: Transaction;
  /** Every field that prevents the confirmation, and the refunds that `acceptRefunded` accepted. */
  readonly differences: readonly PaymentDifference[];
}

/** A field in which the notification and the service disagree, or that the service does not state. */
export interface PaymentDifference {
  /** Which field of the transaction. */
  readonly field:
    | 'status'
    | 'uuid'
    | 'situation'
    | 'type'
    | 'amount'
    | 'currency'
    | 'referenceCode'
    | 'refunds';
  /** What the notification says; `undefined` for `status`, `type` and `refunds`, which notifications do not have. */
  readonly notified: unknown;
  /**
   * What the service says; `undefined` or `null` if it says nothing, or if the value does not have the documented type.
   * For `refunds`, only `quantity`, `requested` and the number of `transactions`, because refunds hold personal data:
   * they are in `transaction.refunds`.
   */
  readonly queried: unknown;
}

/**
 * Asks the service whether a payment that a notification reported is real. Call it before you ship or credit anything:
 * Basic authentication does not cover the body, so anyone with the credentials can claim any payment.
 *
 * A payment is confirmed only when the service states all of this:
 *
 * - `situation` is `PAID`
 * - `type` is `SALE` or missing, and the body's `status` is 0 or missing
 * - nothing was refunded: `refunds.quantity` and `refunds.requested` are 0 or missing, and `refunds.transactions` is
 *   empty or missing. Any refund in the list counts, whatever its `status`
 * - `uuid` is equal, and so are `amount`, `currency` and `referenceCode` if the notification has them. A field that the
 *   service leaves out counts as different. Amounts are compared in minor units of the currency, where ISO 4217 lists
 *   it: 10.000000000000002 is 10. A UUID is equal in upper and lower case. An amount that came as text (`issues` names it) is read from `raw`
 * - Of a charge that came as an event (`payload.recurrence`), `referenceCode` is not compared: whether its transaction has
 *   the journey's is not known. It finds an order, and proves nothing
 *
 * A `status`, `type` or `refunds` that does not have the documented type prevents the confirmation.
 *
 * Two fields are not looked at. `has_return_error` tells that money could not be returned, so the payment itself stands.
 * `refunds.available` tells what can still be refunded, not what was. Both are in `transaction`.
 *
 * @param client - a `PaymentsClient`, or anything else with its `getTransaction`
 * @param notification - a notification of kind `payment` (document section 6.2)
 * @param options - the time limit, whether a refund is accepted, and a signal
 * @throws what `getTransaction` throws. Answer the notification with an error then, so that it is delivered again
 * @throws `InvalidRequestError` for a notification of another kind; nothing was sent
 * @throws `ConfigurationError` for an invalid `timeoutMs` or `acceptRefunded`
 */
export async function confirmPayment(
  client: TransactionSource,
  notification: ReportedPayment,
  options: ConfirmOptions = {},
): Promise<PaymentConfirmation> {
  const { timeoutMs = 5_000, acceptRefunded, signal } = readNamedOptions('confirmPayment', options, NAMES);
  checkPositive('timeoutMs', timeoutMs);
  if (typeof (acceptRefunded ?? false) !== 'boolean') {
    throw new ConfigurationError('Expected `acceptRefunded` to be true or false.');
  }
  if (typeof client?.getTransaction !== 'function') {
    throw new ConfigurationError(
      'Expected `confirmPayment(client, notification)`, with a `PaymentsClient` as the first argument.',
    );
  }
  if (notification?.kind !== 'payment') {
    const message = 'expected payment; a notification of another kind does not confirm a payment';
    throw new InvalidRequestError('The notification', [{ path: ['kind'], message }]);
  }
  const { payload } = notification;
  if (!isObject(payload)) {
    throw new InvalidRequestError('The notification', [{ path: ['payload'], message: 'expected an object' }]);
  }
  const limits = { timeoutMs, totalTimeoutMs: timeoutMs };
  const transaction = await client.getTransaction(payload.saleToken, {
    ...limits,
    signal: signal ?? undefined,
  });
  const differences = compare(notification, transaction);
  const isPrevented = differences.some(({ field }) => !(acceptRefunded && field === 'refunds'));
  return { confirmed: !isPrevented, transaction, differences };
}

function compare(notification: ReportedPayment, transaction: Transaction): PaymentDifference[] {
  const { payload } = notification;
  const { uuid, amount, currency, referenceCode, situation, status, type, refunds } = transaction;
  const notified = payload.amount ?? amountAsText(notification);
  const isSame = isGiven(notified) && isGiven(amount) && withoutNoise(notified) === withoutNoise(amount);
  const pairs: PaymentDifference[] = [
    { field: 'uuid', notified: isSameId(payload.saleToken, uuid) ? uuid : payload.saleToken, queried: uuid },
    { field: 'amount', notified: isSame ? amount : notified, queried: amount },
    { field: 'currency', notified: payload.currency, queried: currency },
    {
      field: 'referenceCode',
      // Of an event it finds the order: whether the charge's own transaction has the same one is not known.
      notified: payload.recurrence === undefined ? payload.referenceCode : undefined,
      queried: referenceCode,
    },
  ];
  const differences = pairs.filter(({ notified, queried }) => isGiven(notified) && notified !== queried);
  if (situation !== 'PAID') {
    differences.push({ field: 'situation', notified: payload.newStatus, queried: situation });
  }
  if (mayBlock('status', transaction) || !(!isGiven(status) || status === 0)) {
    differences.push({ field: 'status', notified: undefined, queried: status });
  }
  if (mayBlock('type', transaction) || !(!isGiven(type) || type === 'SALE')) {
    differences.push({ field: 'type', notified: undefined, queried: type });
  }
  if (mayBlock('refunds', transaction) || !isWithoutRefunds(refunds)) {
    differences.push({ field: 'refunds', notified: undefined, queried: countsOf(refunds) });
  }
  return differences;
}

/** The amount that the payload leaves out because it came as text; `undefined` if that is not a plain number. */
function amountAsText({ raw, issues, payload }: ReportedPayment): number | undefined {
  // The `amount` of an event is the recurrence's.
  const field = payload.recurrence === undefined ? 'amount' : 'chargeAmount';
  const text = raw?.[field];
  // Without the issue, the body may be of another form, whose `amount` means something else.
  const isLeftOut = issues?.some(({ path }) => path[0] === field);
  return isLeftOut && typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** If one of these paths was left out of the result, the field may prevent the confirmation. */
const BLOCKING_PATHS = {
  status: [['status']],
  type: [['type']],
  refunds: [['refunds'], ['refunds', 'quantity'], ['refunds', 'requested'], ['refunds', 'transactions']],
} as const;

function mayBlock(field: keyof typeof BLOCKING_PATHS, transaction: Transaction): boolean {
  return mayHaveLeftOut(transaction, BLOCKING_PATHS[field]);
}

/** Anything other than a clear "none", such as a count sent as text, may mean a refund. */
function isWithoutRefunds(refunds: TransactionRefunds | null | undefined): boolean {
  if (!isGiven(refunds)) return true;
  if (typeof refunds !== 'object' || Array.isArray(refunds)) return false;
  const { quantity, requested, transactions } = refunds;
  return (
    (quantity ?? 0) === 0 &&
    (requested ?? 0) === 0 &&
    (!isGiven(transactions) || (Array.isArray(transactions) && transactions.length === 0))
  );
}

function countsOf(refunds: TransactionRefunds | null | undefined): object | undefined {
  if (!isGiven(refunds)) return undefined;
  const { quantity, requested, transactions } = refunds;
  return { quantity, requested, transactions: transactions?.length };
}

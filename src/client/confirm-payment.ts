import { InvalidRequestError } from '../errors';
import type { Transaction, TransactionRefunds } from '../service/answers/transaction';
import type { SalePayload } from '../service/kinds/sale';
import { ownOptions } from '../shared/objects';
import { checkPositive } from '../values/option-checks';
import { mayLack } from './left-out';
import type { CallOptions } from './options';

/**
 * The part of a client that queries a transaction: a `PaymentsClient`, or your test double. If your double wraps a
 * client, return the client's result itself: a copy loses the note that `type` or `refunds` did not have the documented
 * type.
 */
export interface TransactionSource {
  /** As `PaymentsClient.getTransaction`. */
  getTransaction(transactionUUID: string, options?: CallOptions): Promise<Transaction>;
}

/** Options of one confirmation. */
export interface ConfirmOptions {
  /**
   * Maximum duration of the query, in milliseconds, including its retries. Short, because the service expects the
   * listener to answer promptly (document section 6.1).
   *
   * @defaultValue 5_000
   */
  readonly timeoutMs?: number | undefined;
  /** Ends the query at once with an `AbortedError`. `null` means no signal. */
  readonly signal?: AbortSignal | null | undefined;
}

/** Whether the service confirms a payment that a notification reported. */
export interface PaymentConfirmation {
  /** The service states that the transaction is paid and not refunded, and nothing differs from the notification. */
  readonly confirmed: boolean;
  /** The transaction as the service has it now. */
  readonly transaction: Transaction;
  /** Every field that prevents the confirmation. Empty when `confirmed`. */
  readonly differences: readonly PaymentDifference[];
}

/** A field in which the notification and the service disagree, or that the service does not state. */
export interface PaymentDifference {
  /** Which field of the transaction (document section 2.3). */
  readonly field: 'uuid' | 'situation' | 'type' | 'amount' | 'currency' | 'referenceCode' | 'refunds';
  /** What the notification says; `undefined` for `type` and `refunds`, which notifications do not have. */
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
 * - `type` is `SALE` or missing; a `type` or `refunds` that does not have the documented type prevents the confirmation
 * - nothing was refunded: `refunds.quantity` and `refunds.requested` are 0 or missing, and `refunds.transactions` is
 *   empty or missing. Any refund in the list counts, whatever its `status`
 * - `uuid` is equal, and so are `amount`, `currency` and `referenceCode` if the notification has them. A field that the
 *   service leaves out counts as different
 *
 * @param notification - a notification of kind `payment` (document section 6.2)
 * @param options - the time limit and a signal
 * @throws what `getTransaction` throws. Answer the notification with an error then, so that it is delivered again
 * @throws `InvalidRequestError` for a notification of another kind; nothing was sent
 * @throws `ConfigurationError` for an invalid `timeoutMs`
 */
export async function confirmPayment(
  client: TransactionSource,
  notification: { readonly kind: 'payment'; readonly payload: SalePayload },
  options: ConfirmOptions = {},
): Promise<PaymentConfirmation> {
  const { timeoutMs = 5_000, signal } = ownOptions(options);
  checkPositive('timeoutMs', timeoutMs);
  if (notification?.kind !== 'payment') {
    const message = 'expected payment; a notification of another kind does not confirm a payment';
    throw new InvalidRequestError('The notification', [{ path: ['kind'], message }]);
  }
  const { payload } = notification;
  const limits = { timeoutMs, totalTimeoutMs: timeoutMs };
  const transaction = await client.getTransaction(payload.saleToken, {
    ...limits,
    signal: signal ?? undefined,
  });
  const differences = compare(payload, transaction);
  return { confirmed: differences.length === 0, transaction, differences };
}

function compare(payload: SalePayload, transaction: Transaction): PaymentDifference[] {
  // Only what the service itself stated, not what a polluted `Object.prototype` would add.
  const stated = ownOptions(transaction);
  const pairs: PaymentDifference[] = [
    { field: 'uuid', notified: payload.saleToken, queried: stated.uuid },
    { field: 'amount', notified: payload.amount, queried: stated.amount },
    { field: 'currency', notified: payload.currency, queried: stated.currency },
    { field: 'referenceCode', notified: payload.referenceCode, queried: stated.referenceCode },
  ];
  const differences = pairs.filter(({ notified, queried }) => !isMissing(notified) && notified !== queried);
  if (stated.situation !== 'PAID') {
    differences.push({ field: 'situation', notified: payload.newStatus, queried: stated.situation });
  }
  if (!isMissing(stated.type) && stated.type !== 'SALE') {
    differences.push({ field: 'type', notified: undefined, queried: stated.type });
  }
  if (!isMissing(stated.refunds) && !isWithoutRefunds(stated.refunds)) {
    const { quantity, requested, transactions } = stated.refunds;
    const counts = { quantity, requested, transactions: transactions?.length };
    differences.push({ field: 'refunds', notified: undefined, queried: counts });
  }
  for (const field of ['type', 'refunds'] as const) {
    const isTold = differences.some((difference) => difference.field === field);
    if (!isTold && mayLack(transaction, SPEAKS_AGAINST[field])) {
      differences.push({ field, notified: undefined, queried: undefined });
    }
  }
  return differences;
}

/** If one of these paths was left out of the result, the field may speak against the confirmation. */
const SPEAKS_AGAINST = {
  type: [['type']],
  refunds: [['refunds'], ['refunds', 'quantity'], ['refunds', 'requested'], ['refunds', 'transactions']],
} as const;

/** Anything other than a clear "none", such as a count sent as text, may mean a refund. */
function isWithoutRefunds(refunds: TransactionRefunds): boolean {
  if (typeof refunds !== 'object' || Array.isArray(refunds)) return false;
  const { quantity, requested, transactions } = refunds;
  return (
    (quantity ?? 0) === 0 &&
    (requested ?? 0) === 0 &&
    (isMissing(transactions) || (Array.isArray(transactions) && transactions.length === 0))
  );
}

function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

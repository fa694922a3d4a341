import { InvalidRequestError } from '../errors';
import type { SalePayload } from '../schemas/notifications/sale';
import type { Transaction } from '../schemas/transaction';
import { assertPositive, type CallOptions } from './options';

/** The part of a client that asks for a transaction: a `PaymentsClient`, or your double of it. */
export interface TransactionSource {
  /** As `PaymentsClient.getTransaction`. */
  getTransaction(transactionUUID: string, options?: CallOptions): Promise<Transaction>;
}

/** What the service says of a payment that a notification reported. */
export interface PaymentConfirmation {
  /** The service has the transaction as `PAID`, and nothing differs from the notification. */
  readonly confirmed: boolean;
  /** The transaction as the service has it now. */
  readonly transaction: Transaction;
  /** Where the two disagree. */
  readonly differences: readonly PaymentDifference[];
}

/** A field in which a notification and the service disagree. */
export interface PaymentDifference {
  /** Which field. */
  readonly field: 'uuid' | 'situation' | 'amount' | 'currency' | 'referenceCode';
  /** What the notification says. */
  readonly notified: unknown;
  /** What the service says. */
  readonly queried: unknown;
}

/**
 * Asks the service about a payment before goods leave. Basic authentication proves who knows the credentials, and
 * covers no body, so a notification alone is a claim; this is its proof.
 *
 * `amount`, `currency`, `referenceCode` and `uuid` are compared where both sides have them. The situation must be
 * there, and be `PAID`.
 *
 * @param notification - a notification of kind `payment` (document section 6.2)
 * @param options - `timeoutMs`: how long the query may take at most, its retries included; 5_000 by default, because
 *   the service expects the listener to answer promptly
 * @throws what `getTransaction` throws; answer the notification with an error then, and it comes again
 */
export async function confirmPayment(
  client: TransactionSource,
  notification: { readonly kind: 'payment'; readonly payload: SalePayload },
  { timeoutMs = 5_000 }: { readonly timeoutMs?: number | undefined } = {},
): Promise<PaymentConfirmation> {
  assertPositive('timeoutMs', timeoutMs);
  if (notification.kind !== 'payment') {
    const issue = {
      path: ['kind'],
      message: 'expected payment; a notification of another kind confirms no payment',
    };
    throw new InvalidRequestError('The notification', [issue]);
  }
  const { payload } = notification;
  const transaction = await client.getTransaction(payload.saleToken, {
    timeoutMs,
    totalTimeoutMs: timeoutMs,
  });
  const differences = compare(payload, transaction);
  return { confirmed: differences.length === 0, transaction, differences };
}

function compare(payload: SalePayload, transaction: Transaction): PaymentDifference[] {
  const pairs: PaymentDifference[] = [
    { field: 'uuid', notified: payload.saleToken, queried: transaction.uuid },
    { field: 'amount', notified: payload.amount, queried: transaction.amount },
    { field: 'currency', notified: payload.currency, queried: transaction.currency },
    { field: 'referenceCode', notified: payload.referenceCode, queried: transaction.referenceCode },
  ];
  const differences = pairs.filter(
    ({ notified, queried }) => isGiven(notified) && isGiven(queried) && notified !== queried,
  );
  if (transaction.situation !== 'PAID') {
    differences.push({ field: 'situation', notified: payload.newStatus, queried: transaction.situation });
  }
  return differences;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

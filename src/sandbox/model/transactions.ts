import type { Transaction } from '../../service/operations/get-transaction';
import { documented, invented, type ServiceAnswer } from './answers';
import { brCode } from './qr-code';
import type { SandboxReversal, SandboxScheduledPayment, TransactionRecord } from './records';
import { refundTotals } from './returns';
import { dateTime, type ServiceState } from './state';

/** Answers a query for a transaction (document section 4.2). */
export function getTransaction(state: ServiceState, uuid: string): ServiceAnswer {
  const transaction = state.transactions.get(uuid);
  if (transaction === undefined) return invented('unknownTransaction', state.inventions.unknownTransaction);
  return documented(describeTransaction(state, transaction));
}

/** The transaction of section 2.3, with the fields in the order of its table. */
function describeTransaction(state: ServiceState, transaction: TransactionRecord): Transaction {
  const { inventions } = state;
  const { bank, branch, account } = inventions.payerAccount;
  const { shopper, situation } = transaction;
  const isPaid = situation === 'PAID';
  return {
    status: 0,
    message: 'success',
    id: transaction.id,
    uuid: transaction.uuid,
    type: 'SALE',
    situation,
    currency: transaction.currency,
    amount: transaction.amount,
    shipping: inventions.shipping,
    discounts: inventions.discounts,
    total: transaction.amount + inventions.shipping - inventions.discounts,
    appliedRate: inventions.appliedRate,
    referenceCode: transaction.referenceCode,
    creation: dateTime(state, transaction.createdAt),
    maxAge: dateTime(state, transaction.expiresAt),
    shopper: {
      // The payer's account is unknown before a payment.
      bankDetails: isPaid ? { account, branch } : undefined,
      document: shopper.document,
      email: shopper.email,
      phone: shopper.phone,
    },
    refunds: {
      ...refundTotals(transaction),
      transactions: transaction.refunds.map((refund) => ({
        bankDetails: { account, bank, branch },
        creation: refund.creation,
        creditDate: refund.creditDate,
        creditTransferDetails: {
          referenceCode: transaction.referenceCode,
          saleUUID: transaction.uuid,
          total: refund.amount,
        },
        remark: refund.reason,
        status: refund.status,
        total: refund.amount,
        uuid: refund.uuid,
      })),
    },
    serviceFee: inventions.serviceFee,
    has_return_error: false,
  };
}

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
  /** Whether the payer has authorized it. Always `false` with an immediate payment. Invented. */
  readonly isAuthorized: boolean;
  /** In the currency's main unit. */
  readonly amount: number;
  /** ISO 4217 code. */
  readonly currency: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Sum of its refunds, in the currency's main unit; missing when there is none. */
  readonly refunded?: number;
  /** By due date; empty until it is paid. Invented: the document shows only their instruction ids. */
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
  const { uuid, referenceCode, situation, immediatePayment, isAuthorized, amount, currency, createdAt } =
    transaction;
  const { requested, quantity } = refundTotals(transaction);
  return {
    uuid,
    referenceCode,
    situation,
    immediatePayment,
    isAuthorized,
    amount,
    currency,
    createdAt: new Date(createdAt).toISOString(),
    ...(quantity === 0 ? {} : { refunded: requested }),
    scheduledPayments: transaction.scheduledPayments.map((payment) => ({ ...payment })),
    reversals: transaction.reversals.map((reversal) => ({ ...reversal })),
    qrCodeText: brCode(transaction, state.inventions.qrCodeMerchant),
  };
}

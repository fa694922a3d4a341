import type { Transaction } from '../../service/answers/transaction';
import { documented, invented, type ServiceAnswer } from './answers';
import { sum } from './money';
import type { TransactionRecord } from './records';
import { dateTime, type ServiceState } from './state';

/** Answers a query for a transaction (document section 4.2). */
export function getTransaction(state: ServiceState, uuid: string): ServiceAnswer {
  const transaction = state.transactions.get(uuid);
  if (transaction === undefined) return invented('unknownTransaction', state.inventions.unknownTransaction);
  return documented(describeTransaction(state, transaction));
}

/** What has been refunded of a transaction, and what still can be. Nothing of an unpaid one can be. */
export function refundTotals(transaction: TransactionRecord) {
  const requested = refunded(transaction);
  const available = transaction.situation === 'PAID' ? amountLeft(transaction) : 0;
  return { available, quantity: transaction.refunds.length, requested };
}

/** What has not gone back yet, by refund or reversal. A reversal that was cancelled returned nothing. */
export function amountLeft(transaction: TransactionRecord): number {
  const { currency, amount, reversals } = transaction;
  const live = reversals.filter(({ status }) => status !== 'CANCELLED');
  return sum(currency, [amount, -refunded(transaction), ...live.map((reversal) => -reversal.amount)]);
}

function refunded({ currency, refunds }: TransactionRecord): number {
  return sum(
    currency,
    refunds.map((refund) => refund.amount),
  );
}

/** The transaction of section 2.3, in the order of its table. */
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
    shipping: 0,
    discounts: 0,
    total: transaction.amount,
    appliedRate: inventions.appliedRate,
    referenceCode: transaction.referenceCode,
    creation: dateTime(state, transaction.createdAt),
    maxAge: dateTime(state, transaction.expiresAt),
    shopper: {
      // Before a payment nobody knows the payer's account.
      bankDetails: isPaid ? { account, branch } : undefined,
      document: shopper.document,
      email: shopper.email,
      phone: shopper.phone,
    },
    beneficiary: {},
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
    return_error: {},
    track: {},
  };
}

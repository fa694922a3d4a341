import type { RefundPayload } from '../../service/notifications/refund';
import { queryFlags, type SandboxNotification, type SandboxRefund, type TransactionRecord } from './records';
import { amountToReturn, type ReturnOptions } from './returns';
import { findTransaction } from './sale';
import { SandboxError } from './sandbox-error';
import { dateTime, happened, type ServiceState } from './state';

/** How a transaction is refunded. */
export interface RefundOptions extends ReturnOptions {
  /** May be `null` or the text `null`, as in the document. Default: a made-up reference. */
  receipt?: string | null | undefined;
}

/** Credits a refund of a paid transaction. */
export function refund(state: ServiceState, uuid: string, options: RefundOptions = {}): SandboxRefund {
  const transaction = findTransaction(state, uuid);
  if (transaction.situation !== 'PAID') {
    throw new SandboxError(
      'not-allowed',
      `A transaction that is ${transaction.situation} cannot be refunded: pay it first.`,
      `Uma transação ${transaction.situation} não pode ser devolvida: pague-a primeiro.`,
    );
  }
  const amount = amountToReturn(transaction, options, 'refunded');
  const id = state.ids.number();
  const time = dateTime(state, state.now());
  const record: SandboxRefund = {
    id,
    uuid: state.ids.uuid(),
    transactionUUID: uuid,
    amount,
    reason: options.reason ?? state.inventions.defaultReasons.refund,
    receipt: options.receipt === undefined ? state.inventions.receiptPrefix + id : options.receipt,
    bankDetails: state.inventions.payerAccount,
    status: 'PAID',
    creation: time,
    creditDate: time,
  };
  transaction.refunds.push(record);
  happened(state, transaction, 'refunded', { amount, detail: record.reason });
  state.notify(refundNotification(state, transaction, record));
  return record;
}

/** Section 6.4. */
function refundNotification(
  state: ServiceState,
  transaction: TransactionRecord,
  refund: SandboxRefund,
): SandboxNotification {
  const { refundAmountFields } = state.inventions;
  const payload: RefundPayload = {
    saleToken: transaction.uuid,
    referenceCode: transaction.referenceCode,
    currency: transaction.currency,
    originalAmount: transaction.amount,
    reversedAmount: refundAmountFields === 'amountRefunded' ? undefined : refund.amount,
    amountRefunded: refundAmountFields === 'reversedAmount' ? undefined : refund.amount,
    bankDetails: refund.bankDetails,
    receipt: refund.receipt,
    status: refund.status,
    refund: {
      id: refund.id,
      uuid: refund.uuid,
      status: refund.status,
      amount: refund.amount,
      creation: refund.creation,
      creditDate: refund.creditDate,
    },
    reason: refund.reason,
    date: dateTime(state, state.now()),
  };
  return { kind: 'refund', query: queryFlags.refund, payload, transactionUUID: transaction.uuid };
}

import type { SalePayload } from '../../service/kinds/sale';
import {
  queryFlags,
  type SandboxNotification,
  type SandboxScheduledPayment,
  type TransactionRecord,
} from './records';
import { SandboxError } from './sandbox-error';
import { schedulePayments } from './scheduled-payments';
import { dateTime, type ServiceState } from './state';

/** A payment is confirmed: the transaction is PAID. Invented: its next payments are scheduled. */
export function pay(state: ServiceState, uuid: string): readonly SandboxScheduledPayment[] {
  const transaction = pendingTransaction(state, uuid, 'paid');
  transaction.situation = 'PAID';
  schedulePayments(state, transaction, state.inventions.scheduledPayments);
  state.notify(saleNotification(state, transaction, 'PAID'));
  return transaction.scheduledPayments;
}

/** Invented: the document names the situation CANCELLED, but no move that leads to it. */
export function cancelTransaction(state: ServiceState, uuid: string): void {
  pendingTransaction(state, uuid, 'cancelled').situation = 'CANCELLED';
}

/** Section 6.2. */
export function saleNotification(
  state: ServiceState,
  transaction: TransactionRecord,
  newStatus: 'PAID' | 'REVERSAL',
): SandboxNotification {
  const { shopper } = transaction;
  const { branch, account } = state.inventions.payerAccount;
  const [firstName, ...otherNames] = (shopper.name ?? '').split(' ').filter((name) => name !== '');
  const payload: SalePayload = {
    saleToken: transaction.uuid,
    referenceCode: transaction.referenceCode,
    currency: transaction.currency,
    amount: transaction.amount,
    shopper: {
      id: shopper.id,
      firstName,
      lastName: otherNames.join(' ') || undefined,
      email: shopper.email,
      agency: branch,
      account,
    },
    date: dateTime(state, state.now()),
    newStatus,
  };
  const kind = newStatus === 'PAID' ? 'payment' : 'saleStatus';
  return { kind, query: queryFlags[kind], payload };
}

export function findTransaction(state: ServiceState, uuid: string): TransactionRecord {
  const transaction = state.transactions.get(uuid);
  if (transaction === undefined) {
    throw new SandboxError(
      'unknown',
      'No transaction has this UUID. Pass `response.uuid` of a journey that was created here.',
    );
  }
  return transaction;
}

function pendingTransaction(state: ServiceState, uuid: string, move: string): TransactionRecord {
  const transaction = findTransaction(state, uuid);
  if (transaction.situation !== 'PENDING') {
    throw new SandboxError(
      'not-allowed',
      `A transaction that is ${transaction.situation} cannot be ${move}.`,
    );
  }
  return transaction;
}

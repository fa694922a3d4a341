import type { SalePayload } from '../../service/notifications/sale';
import {
  queryFlags,
  type SandboxNotification,
  type SandboxScheduledPayment,
  type TransactionRecord,
} from './records';
import { SandboxError } from './sandbox-error';
import { schedulePayments } from './scheduled-payments';
import { dateTime, happened, type ServiceState } from './state';

/**
 * The payer accepts the journey. With an immediate payment, that payment is confirmed: the transaction is PAID, and its
 * notification goes out. Without one nothing is charged, so nothing is PAID and nothing goes out. Either way the next
 * payments are scheduled, which is invented.
 */
export function pay(state: ServiceState, uuid: string): readonly SandboxScheduledPayment[] {
  const transaction = pendingTransaction(state, uuid, 'paid');
  if (transaction.isAuthorized) {
    throw new SandboxError(
      'not-allowed',
      'The payer has authorized this journey already. It has no immediate payment: pay its scheduled payments.',
      'O pagador já autorizou esta jornada. Ela não tem pagamento imediato: pague os pagamentos agendados.',
    );
  }
  if (transaction.immediatePayment) transaction.situation = 'PAID';
  else transaction.isAuthorized = true;
  schedulePayments(state, transaction, state.inventions.scheduledPayments);
  if (transaction.immediatePayment) happened(state, transaction, 'paid', { amount: transaction.amount });
  else happened(state, transaction, 'authorized');
  if (transaction.immediatePayment) state.notify(saleNotification(state, transaction, 'PAID'));
  return transaction.scheduledPayments;
}

/** A scheduled payment is charged: a sale of its own, which is paid. Invented (`scheduledPaymentSale`). */
export function chargeSale(
  state: ServiceState,
  journey: TransactionRecord,
  { instructionId, amount }: SandboxScheduledPayment,
): string {
  const { ids, now } = state;
  const id = ids.number();
  const sale: TransactionRecord = {
    ...journey,
    id,
    uuid: ids.uuid(),
    saleCode: state.inventions.saleCodePrefix + id,
    amount,
    chargeOf: instructionId,
    createdAt: now(),
    situation: 'PAID',
    refunds: [],
    reversals: [],
    scheduledPayments: [],
    events: [],
  };
  state.transactions.set(sale.uuid, sale);
  state.notify(saleNotification(state, sale, 'PAID', journey.uuid));
  return sale.uuid;
}

/** Invented: the document names the situation CANCELLED, but no move that leads to it. */
export function cancelTransaction(state: ServiceState, uuid: string): void {
  const transaction = pendingTransaction(state, uuid, 'cancelled');
  transaction.situation = 'CANCELLED';
  happened(state, transaction, 'cancelled');
}

/** Section 6.2. */
export function saleNotification(
  state: ServiceState,
  transaction: TransactionRecord,
  newStatus: 'PAID' | 'REVERSAL',
  /** The journey that a sale of a scheduled payment belongs to. */
  transactionUUID = transaction.uuid,
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
  return { kind, query: queryFlags[kind], payload, transactionUUID };
}

/** Leaves a journey out of every list, and sends nothing about it: `verify` makes its own notifications. */
export function hideTransaction(state: ServiceState, uuid: string): void {
  findTransaction(state, uuid).isHidden = true;
  state.revision++;
}

export function findTransaction(state: ServiceState, uuid: string): TransactionRecord {
  const transaction = state.transactions.get(uuid);
  if (transaction === undefined) {
    throw new SandboxError(
      'unknown',
      'No transaction has this UUID. Pass `response.uuid` of a journey that was created here.',
      'Nenhuma transação tem este UUID.',
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
      `Uma transação ${transaction.situation} não pode ser ${move === 'paid' ? 'paga' : 'cancelada'}.`,
    );
  }
  return transaction;
}

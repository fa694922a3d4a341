import { refundNotification, reversalNotification, saleNotification } from './notifications';
import type { SandboxRefund, SandboxReversal, SandboxScheduledPayment, TransactionRecord } from './records';
import { SandboxError } from './sandbox-error';
import { schedulePayments } from './scheduled-payments';
import { dateTime, type ServiceState } from './state';
import { amountLeft, refundTotals } from './transactions';

/** How much of a transaction goes back, and why. */
export interface ReturnOptions {
  /** In the currency's main unit. Default: all that is left. */
  amount?: number | undefined;
  /** Default: a text that says it is the sandbox's. */
  reason?: string | undefined;
}

/** How a transaction is refunded. */
export interface RefundOptions extends ReturnOptions {
  /** The document says that it may be `null`, or the text `null`. Default: a made-up reference. */
  receipt?: string | null | undefined;
}

/** The moves of section 3, each with the notification it sends. */

/** A payment is confirmed: the transaction is PAID. Invented: its next payments are scheduled. */
export function pay(state: ServiceState, uuid: string): readonly SandboxScheduledPayment[] {
  const transaction = pendingTransaction(state, uuid, 'paid');
  transaction.situation = 'PAID';
  schedulePayments(state, transaction);
  state.notify(saleNotification(state, transaction, 'PAID'));
  return transaction.scheduledPayments;
}

/** Invented: the document names the situation CANCELLED, and no move that leads to it. */
export function cancelTransaction(state: ServiceState, uuid: string): void {
  pendingTransaction(state, uuid, 'cancelled').situation = 'CANCELLED';
}

/** Credits a refund of a paid transaction. */
export function refund(state: ServiceState, uuid: string, options: RefundOptions = {}): SandboxRefund {
  const transaction = findTransaction(state, uuid);
  if (transaction.situation !== 'PAID') {
    throw new SandboxError(
      'not-allowed',
      `A transaction that is ${transaction.situation} cannot be refunded: pay it first.`,
    );
  }
  const { available } = refundTotals(transaction);
  assertSomeLeft(transaction, available, 'refunded');
  const amount = checkAmount(options.amount ?? available, available, 'refunded');
  const id = state.ids.number();
  const time = dateTime(state, state.now());
  const record: SandboxRefund = {
    id,
    uuid: state.ids.uuid(),
    transactionUUID: uuid,
    amount,
    reason: options.reason ?? 'sandbox refund',
    receipt: options.receipt === undefined ? state.inventions.receiptPrefix + id : options.receipt,
    bankDetails: state.inventions.payerAccount,
    status: 'PAID',
    creation: time,
    creditDate: time,
  };
  transaction.refunds.push(record);
  state.notify(refundNotification(state, transaction, record));
  return record;
}

/** Starts to return the funds of a sale, paid or not: the service "cannot approve or identify" it. */
export function reverse(state: ServiceState, uuid: string, options: ReturnOptions = {}): SandboxReversal {
  const transaction = findTransaction(state, uuid);
  const left = amountLeft(transaction);
  assertSomeLeft(transaction, left, 'reversed');
  const reversal: SandboxReversal = {
    id: state.ids.number(),
    uuid: state.ids.uuid(),
    transactionUUID: uuid,
    amount: checkAmount(options.amount ?? left, left, 'reversed'),
    reason: options.reason ?? 'sandbox reversal',
    bankDetails: state.inventions.payerAccount,
    creation: dateTime(state, state.now()),
    status: 'PENDING',
    receipt: null,
  };
  transaction.reversals.push(reversal);
  state.reversals.set(reversal.uuid, reversal);
  state.notify(reversalNotification(transaction, reversal));
  if (state.inventions.saleReversalNotification)
    state.notify(saleNotification(state, transaction, 'REVERSAL'));
  return reversal;
}

/** Ends a reversal. */
export function endReversal(
  state: ServiceState,
  uuid: string,
  status: 'PAID' | 'CANCELLED',
): SandboxReversal {
  const reversal = state.reversals.get(uuid);
  if (reversal === undefined) throw new SandboxError('unknown', 'No reversal has this UUID.');
  if (reversal.status !== 'PENDING') {
    throw new SandboxError('not-allowed', `The reversal has ended already: it is ${reversal.status}.`);
  }
  reversal.status = status;
  if (status === 'PAID') reversal.receipt = state.inventions.receiptPrefix + reversal.id;
  state.notify(reversalNotification(findTransaction(state, reversal.transactionUUID), reversal));
  return reversal;
}

/** Invented, and without a notification: the document does not show the one that the service sends. */
export function endScheduledPayment(
  state: ServiceState,
  instructionId: string,
  status: 'PAID' | 'FAILED',
): SandboxScheduledPayment {
  const payment = state.scheduledPayments.get(instructionId);
  if (payment === undefined)
    throw new SandboxError('unknown', 'No scheduled payment has this instruction id.');
  if (payment.status !== 'SCHEDULED') {
    throw new SandboxError('not-allowed', `The payment is ${payment.status} already, not SCHEDULED.`);
  }
  payment.status = status;
  return payment;
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

function assertSomeLeft({ reversals }: TransactionRecord, left: number, move: string): void {
  if (left > 0) return;
  const pending = reversals
    .filter(({ status }) => status === 'PENDING')
    .map(({ amount, uuid }) => `${amount} (UUID ${uuid})`);
  const why =
    pending.length === 0
      ? 'all of it has gone back already.'
      : `a reversal is under way of ${pending.join(' and ')}. Complete it, or cancel it to free its amount.`;
  throw new SandboxError('not-allowed', `Nothing is left to be ${move}: ${why}`);
}

function checkAmount(amount: number, available: number, move: string): number {
  if (Number.isFinite(amount) && amount > 0 && amount <= available) return amount;
  throw new SandboxError(
    'invalid',
    `Expected an amount above 0 and up to ${available}, which is what can be ${move}.`,
  );
}

import { addMonths, dueDay, isPeriodicity, readDay, writeDay } from '../../pix/pix-calendar';
import { scheduledPaymentCancellationRequestSchema } from '../../service/operations/cancel-scheduled-payment';
import { documented, invented, parseBody, type ServiceAnswer } from './answers';
import type { SandboxScheduledPayment, TransactionRecord } from './records';
import { SandboxError } from './sandbox-error';
import { dateTime, happened, type ServiceState } from './state';

/**
 * Schedules payments of an accepted journey until it has `count` of them, from its first date, by its periodicity, up to its
 * last date. All of it is invented. Default: from a month after today, and monthly where the periodicity is unknown.
 */
export function schedulePayments(state: ServiceState, transaction: TransactionRecord, count: number): void {
  const { ids, now } = state;
  const scheduled = transaction.scheduledPayments;
  const today = readDay(dateTime(state, now()).slice(0, 10)) ?? 0;
  const first = readDay(scheduled[0]?.dueDate ?? transaction.initialDate) ?? addMonths(today, 1);
  const periodicity = isPeriodicity(transaction.periodicity) ? transaction.periodicity : 'MONTHLY';
  for (let cycle = scheduled.length; cycle < count; cycle++) {
    const dueDate = writeDay(dueDay(first, periodicity, cycle));
    if (transaction.finalDate !== undefined && dueDate > transaction.finalDate) break;
    const payment: SandboxScheduledPayment = {
      instructionId: ids.uuid(),
      transactionUUID: transaction.uuid,
      dueDate,
      amount: transaction.recurrenceAmount,
      status: 'SCHEDULED',
    };
    scheduled.push(payment);
    state.scheduledPayments.set(payment.instructionId, payment);
  }
}

/** Cancels a scheduled payment (document section 4.3). */
export function cancelScheduledPayment(
  state: ServiceState,
  instructionId: string,
  body: string,
): ServiceAnswer {
  const { inventions } = state;
  const parsed = parseBody(scheduledPaymentCancellationRequestSchema, body);
  if (parsed.problem !== undefined) return invented('invalidBody', inventions.invalidBody, parsed.problem);

  const payment = state.scheduledPayments.get(instructionId);
  if (payment === undefined) {
    return invented('unknownScheduledPayment', inventions.unknownScheduledPayment);
  }
  const isRepetition = payment.status === 'CANCELLED' && inventions.repeatedCancellation === 'success';
  if (payment.status !== 'SCHEDULED' && !isRepetition) {
    return invented('cancellationRefused', inventions.cancellationRefused, `it is ${payment.status}`);
  }
  payment.status = 'CANCELLED';
  payment.cancellationReason ??= parsed.value.reason;
  if (!isRepetition) noteEnd(state, payment);
  return documented({ status: 0, message: 'success' });
}

/** Invented. Returns the payment, which has ended. */
export function endScheduledPayment(
  state: ServiceState,
  instructionId: string,
  status: 'PAID' | 'FAILED' | 'CANCELLED',
): SandboxScheduledPayment {
  const payment = state.scheduledPayments.get(instructionId);
  if (payment === undefined)
    throw new SandboxError(
      'unknown',
      'No scheduled payment has this instruction id.',
      'Nenhum pagamento agendado tem este id de instrução.',
    );
  if (payment.status !== 'SCHEDULED') {
    throw new SandboxError(
      'not-allowed',
      `The payment is ${payment.status} already, not SCHEDULED.`,
      `O pagamento já está ${payment.status}, e não SCHEDULED.`,
    );
  }
  payment.status = status;
  noteEnd(state, payment);
  return payment;
}

function noteEnd(
  state: ServiceState,
  { transactionUUID, status, amount, dueDate }: SandboxScheduledPayment,
): void {
  const transaction = state.transactions.get(transactionUUID);
  if (transaction === undefined || status === 'SCHEDULED') return;
  happened(state, transaction, `payment-${status}`, { amount, detail: dueDate });
}

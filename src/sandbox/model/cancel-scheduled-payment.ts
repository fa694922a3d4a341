import { scheduledPaymentCancellationRequestSchema } from '../../service/answers/cancellation';
import { documented, invented, type ServiceAnswer } from './answers';
import { parseBody } from './request-body';
import type { ServiceState } from './state';

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
  return documented({ status: 0, message: 'success' });
}

import * as z from 'zod/mini';
import { maybe } from '../fields';
import * as guards from '../guards.generated';
import { type Schema, toSchema } from '../schema';

/** The request to cancel a scheduled payment (document section 4.3). */
export interface ScheduledPaymentCancellationRequest {
  /** A brief reason for the cancellation. */
  reason: string;
}

/** The response of `cancelScheduledPayment` (document section 4.3). */
export interface ScheduledPaymentCancellation {
  /** 0 on success; any other value is thrown as `ApiError`. */
  status: number;
  /** `success` on success. */
  message?: string | null | undefined;
}

export const scheduledPaymentCancellationRequestObject = z.looseObject({ reason: z.string() });

/** The request of `cancelScheduledPayment`, as a Standard Schema. */
export const scheduledPaymentCancellationRequestSchema: Schema<ScheduledPaymentCancellationRequest> =
  toSchema(scheduledPaymentCancellationRequestObject);

// A response without `status` does not confirm the cancellation, which is all that it is for.
export const scheduledPaymentCancellationObject = z.looseObject({
  status: z.number(),
  message: maybe(z.string()),
});

/** The response of `cancelScheduledPayment`, as a Standard Schema. */
export const scheduledPaymentCancellationSchema: Schema<ScheduledPaymentCancellation> = toSchema(
  scheduledPaymentCancellationObject,
  guards.isScheduledPaymentCancellation,
);

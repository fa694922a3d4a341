import * as z from 'zod/mini';
import {
  hasFields,
  isIdentity,
  isMaybeBankDetails,
  isMaybeNumber,
  isMaybeText,
  isText,
  type Unchecked,
  withReceipt,
} from '../guards';
import { type Schema, toSchema } from '../schema';
import {
  type BankDetails,
  bankDetailsObject,
  identity,
  type OpenEnum,
  openEnum,
  receiptText,
} from '../shared';

/**
 * A payout that was made, or that failed (document section 6.5). `if (!payload.success)` narrows it to a
 * `FailedPayout`, which `payoutFailure` explains.
 */
export type PayoutPayload = SuccessfulPayout | FailedPayout;

/** A payout that was made (document section 6.5). */
export interface SuccessfulPayout extends PayoutDetails {
  /** The payout was made (document section 6.5). */
  success: true;
}

/** A payout that failed (document section 6.5). */
export interface FailedPayout extends PayoutDetails {
  /** The payout failed (document section 6.5). */
  success: false;
  /** Why it failed; `payoutFailure` gives its meaning (document sections 6.5 and 7.1). */
  error_code?: OpenEnum<PayoutErrorCode> | null | undefined;
}

/** The failure codes that the document explains (document section 7.1). */
export type PayoutErrorCode = 'PE0001' | 'PE0002' | 'PE0003' | 'PE0004';

/** What payouts have in common, made or failed (document section 6.5). */
export interface PayoutDetails {
  /** Descriptive text; `success` on success (document section 6.5). */
  message?: string | null | undefined;
  /** Payout id (document section 6.5). */
  id?: number | null | undefined;
  /** Payout UUID (document section 6.5). */
  uuid: string;
  /** Currency of the amount, an ISO 4217 code (document section 6.5). */
  currency?: string | null | undefined;
  /** Amount, in the currency's main unit (document section 6.5). */
  amount?: number | null | undefined;
  /** `PAID` on success; `PENDING` in the document's failure; look at `success` (document sections 3 and 6.5). */
  status: OpenEnum<'PAID' | 'PENDING' | 'FAILED'>;
  /** Your reference, if you gave one (document section 6.5). */
  referenceCode?: string | null | undefined;
  /** The account that money goes to (document section 6.5). */
  bankDetails?: BankDetails | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss` without a zone (document section 6.5). */
  creation?: string | null | undefined;
  /** Receipt URL or reference, if there is one (document section 6.5). */
  receipt?: string | null | undefined;
}

const details = () => ({
  message: z.nullish(z.string()),
  id: z.nullish(z.number()),
  uuid: identity(),
  currency: z.nullish(z.string()),
  amount: z.nullish(z.number()),
  status: openEnum<'PAID' | 'PENDING' | 'FAILED'>(),
  referenceCode: z.nullish(z.string()),
  bankDetails: z.nullish(bankDetailsObject()),
  creation: z.nullish(z.string()),
  receipt: z.optional(receiptText()),
});

export const payoutObject = () =>
  z.discriminatedUnion('success', [
    z.looseObject({ success: z.literal(true), ...details() }),
    z.looseObject({
      success: z.literal(false),
      ...details(),
      error_code: z.nullish(openEnum<PayoutErrorCode>()),
    }),
  ]);

/** The payload of `payout` notifications, as a Standard Schema (document section 6.5). */
export const payoutPayloadSchema: Schema<PayoutPayload> = toSchema(payoutObject, (value) =>
  isPayout(value) ? withReceipt(value) : undefined,
);

function isPayout(value: unknown): value is PayoutPayload {
  if (!hasFields(value)) return false;
  const payload: Unchecked<FailedPayout> = value;
  return (
    isOutcome(payload.success, payload.error_code) &&
    isIdentity(payload.uuid) &&
    isText(payload.status) &&
    isMaybeText(payload.message) &&
    isMaybeNumber(payload.id) &&
    isMaybeText(payload.currency) &&
    isMaybeNumber(payload.amount) &&
    isMaybeText(payload.referenceCode) &&
    isMaybeBankDetails(payload.bankDetails) &&
    isMaybeText(payload.creation) &&
    isMaybeText(payload.receipt)
  );
}

/** Of a payout that succeeded, `error_code` is a field like any that is not known. */
function isOutcome(success: unknown, errorCode: unknown): boolean {
  return success === true || (success === false && isMaybeText(errorCode));
}

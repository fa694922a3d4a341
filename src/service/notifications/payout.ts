import * as z from 'zod/mini';
import { isGiven } from '../../shared/objects';
import {
  type BankDetails,
  bankDetailsObject,
  identity,
  maybe,
  type OpenEnum,
  openEnum,
  readReceipt,
  state,
} from '../fields';
import * as guards from '../guards.generated';
import { type Schema, toSchema } from '../schema';
import type { DocumentedKind, ReadNotification } from './notification';

/**
 * A payout that was made, or that failed (document section 6.5). `if (payload.success === false)` narrows it to a
 * `FailedPayout`, which `payoutFailure` explains.
 */
export type PayoutPayload = SuccessfulPayout | FailedPayout;

/** A payout that was made (document section 6.5). */
export interface SuccessfulPayout extends PayoutDetails {
  /** The payout was made. */
  success: true;
}

/** A payout that failed (document section 6.5). */
export interface FailedPayout extends PayoutDetails {
  /** The payout failed. */
  success: false;
  /** Why it failed; `payoutFailure` gives its meaning. */
  error_code?: OpenEnum<PayoutErrorCode> | null | undefined;
}

/** The failure codes that the document explains (section 7.1). */
export type PayoutErrorCode = keyof typeof payoutErrorMeanings;

/** The document's explanation of each code. */
export const payoutErrorMeanings = {
  PE0001: 'The bank details provided are not valid',
  PE0002: 'The account holder does not match the provided identification document',
  PE0003: 'The destination account does not accept transfers',
  PE0004: 'Other reasons',
} as const;

/**
 * What payouts have in common, made or failed (document section 6.5).
 * That amounts are in the currency's main unit is this library's reading.
 */
export interface PayoutDetails {
  /** Descriptive text; `success` on success. */
  message?: string | null | undefined;
  /** Payout id. */
  id?: number | null | undefined;
  /** Payout UUID. */
  uuid: string;
  /** Currency of the amount, an ISO 4217 code. */
  currency?: string | null | undefined;
  /** Amount, in the currency's main unit. */
  amount?: number | null | undefined;
  /** `PAID` on success, `PENDING` in the document's failure: look at `success`. */
  status: OpenEnum<'PAID' | 'PENDING' | 'FAILED'>;
  /** Your reference, if you gave one. */
  referenceCode?: string | null | undefined;
  /** The account that money goes to. */
  bankDetails?: BankDetails | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss` without a zone. */
  creation?: string | null | undefined;
  /** Receipt URL or reference, if there is one. */
  receipt?: string | null | undefined;
}

/** One object for both: a union of two would bundle what zod needs for unions, about 1 KiB compressed. */
export const payoutObject = z.looseObject({
  success: z.literal([true, false]),
  message: maybe(z.string()),
  id: maybe(z.number()),
  uuid: identity(),
  currency: maybe(z.string()),
  amount: maybe(z.number()),
  status: state<'PAID' | 'PENDING' | 'FAILED'>(),
  referenceCode: maybe(z.string()),
  bankDetails: maybe(bankDetailsObject),
  creation: maybe(z.string()),
  receipt: maybe(z.string()),
  error_code: maybe(openEnum<PayoutErrorCode>()),
});

/** The payload of `payout` notifications, as a Standard Schema. */
export const payoutPayloadSchema: Schema<PayoutPayload> = toSchema(
  payoutObject as z.core.$ZodType<PayoutPayload, PayoutPayload>,
  guards.isPayout,
  readReceipt,
);

/** A payout was made, or failed. */
export interface PayoutNotification extends ReadNotification {
  /** A payout was made, or failed. */
  readonly kind: 'payout';
  /** The payout; `success` tells whether it was made. */
  readonly payload: PayoutPayload;
}

export const payout: DocumentedKind<PayoutNotification> = {
  kind: 'payout',
  subjectKind: 'payout',
  label: 'payout',
  flag: 'payout',
  query: 'payout=true&type=payout',
  match: (body) => typeof body['success'] === 'boolean' && isGiven(body['uuid']),
  schema: payoutPayloadSchema,
  subject: ({ uuid }) => uuid,
  state: ({ success, status }) => [String(success), status],
  content: ({ amount, currency, referenceCode }) => ({ amount, currency, referenceCode }),
  order: ({ referenceCode }) => ({ referenceCode }),
};

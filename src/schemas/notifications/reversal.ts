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

/** Funds of a sale on their way back to the payer (document section 6.3). */
export interface ReversalPayload {
  /** Reversal id (document section 6.3). */
  id?: number | null | undefined;
  /** Reversal UUID; the same from `PENDING` to the end (document section 6.3). */
  uuid: string;
  /** Currency of the amounts, an ISO 4217 code (document section 6.3). */
  currency?: string | null | undefined;
  /** Amount of the original sale, in the currency's main unit (document section 6.3). */
  originalAmount?: number | null | undefined;
  /** Amount actually reversed, in the currency's main unit (document section 6.3). */
  reversedAmount?: number | null | undefined;
  /** `PENDING` when it starts; `PAID` or `CANCELLED` when it has ended (document sections 3 and 6.3). */
  status: OpenEnum<'PENDING' | 'PAID' | 'CANCELLED'>;
  /** The account that receives the funds (document section 6.3). */
  bankDetails?: BankDetails | null | undefined;
  /** The original sale (document section 6.3). */
  sale?: ReversedSale | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss` without a zone (document section 6.3). */
  creation?: string | null | undefined;
  /** Receipt details or link (document section 6.3). */
  receipt?: string | null | undefined;
  /** Why the sale is reversed (document section 6.3). */
  reason?: string | null | undefined;
}

/** The sale that a reversal returns (document section 6.3). */
export interface ReversedSale {
  /** Sale id (document section 6.3). */
  id?: number | null | undefined;
  /** Sale UUID: what `getTransaction` takes (document section 6.3). */
  uuid?: string | null | undefined;
}

export const reversalObject = () =>
  z.looseObject({
    id: z.nullish(z.number()),
    uuid: identity(),
    currency: z.nullish(z.string()),
    originalAmount: z.nullish(z.number()),
    reversedAmount: z.nullish(z.number()),
    status: openEnum<'PENDING' | 'PAID' | 'CANCELLED'>(),
    bankDetails: z.nullish(bankDetailsObject()),
    sale: z.nullish(z.looseObject({ id: z.nullish(z.number()), uuid: z.nullish(z.string()) })),
    creation: z.nullish(z.string()),
    receipt: z.optional(receiptText()),
    reason: z.nullish(z.string()),
  });

/** The payload of `reversal` notifications, as a Standard Schema (document section 6.3). */
export const reversalPayloadSchema: Schema<ReversalPayload> = toSchema(reversalObject, (value) =>
  isReversal(value) ? withReceipt(value) : undefined,
);

function isReversal(value: unknown): value is ReversalPayload {
  if (!hasFields(value)) return false;
  const payload: Unchecked<ReversalPayload> = value;
  return (
    isIdentity(payload.uuid) &&
    isText(payload.status) &&
    isMaybeNumber(payload.id) &&
    isMaybeText(payload.currency) &&
    isMaybeNumber(payload.originalAmount) &&
    isMaybeNumber(payload.reversedAmount) &&
    isMaybeBankDetails(payload.bankDetails) &&
    isMaybeReversedSale(payload.sale) &&
    isMaybeText(payload.creation) &&
    isMaybeText(payload.receipt) &&
    isMaybeText(payload.reason)
  );
}

function isMaybeReversedSale(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (!hasFields(value)) return false;
  const { id, uuid }: Unchecked<ReversedSale> = value;
  return isMaybeNumber(id) && isMaybeText(uuid);
}

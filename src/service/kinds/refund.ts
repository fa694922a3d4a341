import * as z from 'zod/mini';
import * as guards from '../guards.generated';
import {
  type BankDetails,
  bankDetailsObject,
  identity,
  maybe,
  type OpenEnum,
  openEnum,
  receiptText,
  state,
} from '../schema/fields';
import { type Schema, toSchema } from '../schema/schema';
import { type DocumentedKind, given, type ReadNotification } from './kind';

/** A refund that you requested, credited (document section 6.4). */
export interface RefundPayload {
  /** UUID of the refunded transaction; the same for each of its partial refunds (document section 6.4). */
  saleToken: string;
  /** Your order code of the refunded transaction (document section 6.4). */
  referenceCode?: string | null | undefined;
  /** Currency of the amounts, an ISO 4217 code (document section 6.4). */
  currency?: string | null | undefined;
  /** Amount of the refunded transaction, in the currency's main unit (document section 6.4). */
  originalAmount?: number | null | undefined;
  /**
   * Amount of this refund, in the currency's main unit, under the name in the document's sample. Kept as sent (document
   * section 6.4).
   */
  reversedAmount?: number | null | undefined;
  /**
   * Amount of this refund, in the currency's main unit, under the name in the document's description. Kept as sent
   * (document section 6.4).
   */
  amountRefunded?: number | null | undefined;
  /** The account that was credited, if available (document section 6.4). */
  bankDetails?: BankDetails | null | undefined;
  /** Receipt details or link; the text `null` reads as `null` (document section 6.4). */
  receipt?: string | null | undefined;
  /** State of the refund, typically `PAID` (document section 6.4). */
  status: OpenEnum<'PAID'>;
  /** The refund itself (document section 6.4). */
  refund: RefundDetails;
  /** Why it was refunded (document section 6.4). */
  reason?: string | null | undefined;
  /** When the notification was made, `yyyy-MM-dd HH:mm:ss` without a zone (document section 6.4). */
  date?: string | null | undefined;
}

/** One refund (document section 6.4). */
export interface RefundDetails {
  /** Refund transaction id (document section 6.4). */
  id?: number | null | undefined;
  /** Refund transaction UUID; each partial refund has its own (document section 6.4). */
  uuid: string;
  /** State of the refund, e.g. `PAID` (document section 6.4). */
  status?: OpenEnum<'PAID'> | null | undefined;
  /** Amount of this refund, in the currency's main unit (document section 6.4). */
  amount?: number | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss` without a zone (document section 6.4). */
  creation?: string | null | undefined;
  /** When it was credited, `yyyy-MM-dd HH:mm:ss` without a zone (document section 6.4). */
  creditDate?: string | null | undefined;
}

export const refundObject = z.looseObject({
  saleToken: identity(),
  referenceCode: maybe(z.string()),
  currency: maybe(z.string()),
  originalAmount: maybe(z.number()),
  reversedAmount: maybe(z.number()),
  amountRefunded: maybe(z.number()),
  bankDetails: maybe(bankDetailsObject),
  receipt: maybe(receiptText()),
  status: state<'PAID'>(),
  refund: z.looseObject({
    id: maybe(z.number()),
    uuid: identity(),
    status: maybe(openEnum<'PAID'>()),
    amount: maybe(z.number()),
    creation: maybe(z.string()),
    creditDate: maybe(z.string()),
  }),
  reason: maybe(z.string()),
  date: maybe(z.string()),
});

/** The payload of `refund` notifications, as a Standard Schema (document section 6.4). */
export const refundPayloadSchema: Schema<RefundPayload> = toSchema(refundObject, guards.isRefund);

/** A refund that you requested was credited (document section 6.4). */
export interface RefundNotification extends ReadNotification {
  /** A refund was credited. */
  readonly kind: 'refund';
  /** The refund (document section 6.4). */
  readonly payload: RefundPayload;
}

export const refund: DocumentedKind<RefundNotification> = {
  kind: 'refund',
  subjectKind: 'refund',
  body: 'refund',
  flag: 'refund',
  query: 'refund=true&type=refund',
  match: (body) => given(body, 'refund') !== undefined,
  schema: refundPayloadSchema,
  // The partial refunds of a sale share its `saleToken`.
  subject: (payload) => payload.refund.uuid,
  state: ({ status }) => [status],
};

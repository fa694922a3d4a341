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
 * A refund that you requested, credited (document section 6.4).
 * That amounts are in the currency's main unit is this library's reading.
 */
export interface RefundPayload {
  /** UUID of the refunded transaction. */
  saleToken: string;
  /** Your order code of the refunded transaction. */
  referenceCode?: string | null | undefined;
  /** Currency of the amounts, an ISO 4217 code. */
  currency?: string | null | undefined;
  /** Amount of the refunded transaction, in the currency's main unit. */
  originalAmount?: number | null | undefined;
  /** Amount of this refund, in the currency's main unit, under the name in the document's sample. Kept as sent. */
  reversedAmount?: number | null | undefined;
  /**
   * The same, in the currency's main unit, under the name in the document's description. Kept as sent: the document does
   * not say which one counts.
   */
  amountRefunded?: number | null | undefined;
  /** The account that was credited, if available. */
  bankDetails?: BankDetails | null | undefined;
  /** Receipt details or link; the text `null` reads as `null`. */
  receipt?: string | null | undefined;
  /** State of the refund, typically `PAID`. */
  status: OpenEnum<'PAID'>;
  /** The refund itself. */
  refund: RefundDetails;
  /** Why it was refunded. */
  reason?: string | null | undefined;
  /** When the notification was made, `yyyy-MM-dd HH:mm:ss` without a zone. */
  date?: string | null | undefined;
}

/** One refund (document section 6.4). */
export interface RefundDetails {
  /** Refund transaction id. */
  id?: number | null | undefined;
  /** Refund transaction UUID. */
  uuid: string;
  /** State of the refund, e.g. `PAID`. */
  status?: OpenEnum<'PAID'> | null | undefined;
  /** Amount of this refund, in the currency's main unit. */
  amount?: number | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss` without a zone. */
  creation?: string | null | undefined;
  /** When it was credited, `yyyy-MM-dd HH:mm:ss` without a zone. */
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
  receipt: maybe(z.string()),
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

/** The payload of `refund` notifications, as a Standard Schema. */
export const refundPayloadSchema: Schema<RefundPayload> = toSchema(
  refundObject,
  guards.isRefund,
  readReceipt,
);

/** A refund that you requested was credited. */
export interface RefundNotification extends ReadNotification {
  /** A refund was credited. */
  readonly kind: 'refund';
  /** The refund. */
  readonly payload: RefundPayload;
}

export const refund: DocumentedKind<RefundNotification> = {
  kind: 'refund',
  subjectKind: 'refund',
  label: 'refund',
  flag: 'refund',
  query: 'refund=true&type=refund',
  match: (body) => isGiven(body['refund']),
  schema: refundPayloadSchema,
  // The partial refunds of a sale share its `saleToken`.
  subject: (payload) => payload.refund.uuid,
  state: ({ status }) => [status],
  content: ({ originalAmount, reversedAmount, amountRefunded, currency, referenceCode, refund }) => ({
    originalAmount,
    reversedAmount,
    amountRefunded,
    'refund.amount': refund.amount,
    currency,
    referenceCode,
  }),
  order: ({ saleToken, referenceCode }) => ({ uuid: saleToken, referenceCode }),
};

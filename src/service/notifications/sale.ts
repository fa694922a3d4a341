import * as z from 'zod/mini';
import { isGiven } from '../../shared/objects';
import { identity, maybe, type OpenEnum, state } from '../fields';
import * as guards from '../guards.generated';
import { type Schema, toSchema } from '../schema';
import type { DocumentedKind, ReadNotification } from './notification';
import type { RecurrencePayload } from './recurrence';

/**
 * A sale's new status, usually `PAID` (document section 6.2).
 * That amounts are in the currency's main unit is this library's reading.
 */
export interface SalePayload {
  /** Transaction UUID, for `getTransaction`. */
  saleToken: string;
  /** Your order code, as given at creation. */
  referenceCode?: string | null | undefined;
  /** Currency of the amount, an ISO 4217 code such as `BRL`. */
  currency?: string | null | undefined;
  /** Order amount, in the currency's main unit. */
  amount?: number | null | undefined;
  /** Who paid. */
  shopper?: SaleShopper | null | undefined;
  /** When it was confirmed, `yyyy-MM-dd HH:mm:ss` without a zone. */
  date?: string | null | undefined;
  /** The status the sale has now: typically `PAID`; `REVERSAL` is another. */
  newStatus: OpenEnum<'PAID' | 'REVERSAL'>;
  /**
   * The event that reported the payment, if it came as one: a charge of a recurrence that is paid (the service's public
   * pages; not in its document). `referenceCode` is the event's `externalId` then: nobody has confirmed it.
   */
  recurrence?: RecurrencePayload | undefined;
}

/** Who paid a sale (document section 6.2). Personal data. */
export interface SaleShopper {
  /** The shopper's id in your system, if you gave one. */
  id?: string | null | undefined;
  /** First name. */
  firstName?: string | null | undefined;
  /** Last name. */
  lastName?: string | null | undefined;
  /** E-mail address. */
  email?: string | null | undefined;
  /** Bank branch, if applicable. */
  agency?: string | null | undefined;
  /** Bank account, if applicable. */
  account?: string | null | undefined;
}

export const saleObject = z.looseObject({
  saleToken: identity(),
  referenceCode: maybe(z.string()),
  currency: maybe(z.string()),
  amount: maybe(z.number()),
  shopper: maybe(
    z.looseObject({
      id: maybe(z.string()),
      firstName: maybe(z.string()),
      lastName: maybe(z.string()),
      email: maybe(z.string()),
      agency: maybe(z.string()),
      account: maybe(z.string()),
    }),
  ),
  date: maybe(z.string()),
  newStatus: state<'PAID' | 'REVERSAL'>(),
});

/** The payload of `payment` and `saleStatus` notifications, as a Standard Schema. */
export const salePayloadSchema: Schema<SalePayload> = toSchema(
  saleObject as z.ZodMiniType<SalePayload, SalePayload>,
  guards.isSale,
  withoutRecurrence,
);

/** Only an event has one: in a sale's own body it would keep the reference from being confirmed. */
function withoutRecurrence(payload: SalePayload): SalePayload {
  if (payload.recurrence === undefined) return payload;
  const { recurrence: _, ...sale } = payload;
  return sale;
}

/** A sale is paid. */
export interface PaymentNotification extends ReadNotification {
  /** A sale is paid. */
  readonly kind: 'payment';
  /** The sale. */
  readonly payload: SalePayload;
}

/**
 * A sale has a status other than `PAID`. Do not ship for it. The document names the event `REVERSAL` (section 6.1) and
 * shows no payload for it: this library reads the fields of a payment.
 */
export interface SaleStatusNotification extends ReadNotification {
  /** A sale has a status other than `PAID`. */
  readonly kind: 'saleStatus';
  /** The sale, with its status in `newStatus`. */
  readonly payload: SalePayload;
}

/** Shared by both kinds of a sale. They have one subject: no sale is shipped and taken back at the same time. */
const sale = {
  label: 'sale',
  flag: undefined,
  query: '',
  schema: salePayloadSchema,
  subjectKind: 'payment',
  subject: ({ saleToken }: SalePayload) => saleToken,
  state: ({ newStatus }: SalePayload) => [newStatus],
  // Whether both forms of a charge have the same reference is not known: it is compared where there is no event.
  content: ({ amount, currency, referenceCode, recurrence }: SalePayload) =>
    recurrence === undefined
      ? { amount, currency, referenceCode }
      : { amount, chargeDueDate: recurrence.chargeDueDate?.slice(0, 10) },
  order: ({ saleToken, referenceCode }: SalePayload) => ({ uuid: saleToken, referenceCode }),
};

export const payment: DocumentedKind<PaymentNotification> = {
  ...sale,
  kind: 'payment',
  match: (body) => body['newStatus'] === 'PAID',
};

export const saleStatus: DocumentedKind<SaleStatusNotification> = {
  ...sale,
  kind: 'saleStatus',
  match: (body) => isGiven(body['newStatus']) && !payment.match(body),
};

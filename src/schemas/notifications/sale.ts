import * as z from 'zod/mini';
import * as guards from '../guards.generated';
import { type Schema, toSchema } from '../schema';
import { identity, maybe, type OpenEnum, state } from '../shared';

/** A sale's new status, most often that it is paid (document section 6.2). */
export interface SalePayload {
  /** Transaction UUID: what `getTransaction` takes (document section 6.2). */
  saleToken: string;
  /** Your order code, as given at creation (document section 6.2). */
  referenceCode?: string | null | undefined;
  /** Currency of the amount, an ISO 4217 code such as `BRL` (document section 6.2). */
  currency?: string | null | undefined;
  /** Order amount, in the currency's main unit (document section 6.2). */
  amount?: number | null | undefined;
  /** Who paid (document section 6.2). */
  shopper?: SaleShopper | null | undefined;
  /** When it was confirmed, `yyyy-MM-dd HH:mm:ss` without a zone (document section 6.2). */
  date?: string | null | undefined;
  /** The status the sale has now: typically `PAID`; `REVERSAL` is another (document sections 6.1 and 6.2). */
  newStatus: OpenEnum<'PAID' | 'REVERSAL'>;
}

/** Who paid a sale (document section 6.2). Personal data. */
export interface SaleShopper {
  /** The shopper's id in your system, if you gave one (document section 6.2). */
  id?: string | null | undefined;
  /** First name (document section 6.2). */
  firstName?: string | null | undefined;
  /** Last name (document section 6.2). */
  lastName?: string | null | undefined;
  /** E-mail address (document section 6.2). */
  email?: string | null | undefined;
  /** Bank branch, if applicable (document section 6.2). */
  agency?: string | null | undefined;
  /** Bank account, if applicable (document section 6.2). */
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

/** The payload of `payment` and `saleStatus` notifications, as a Standard Schema (document section 6.2). */
export const salePayloadSchema: Schema<SalePayload> = toSchema(saleObject, guards.isSale);

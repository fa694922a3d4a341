import * as z from 'zod/mini';
import { hasFields, isIdentity, isMaybeNumber, isMaybeText, isText, type Unchecked } from '../guards';
import { type Schema, toSchema } from '../schema';
import { identity, type OpenEnum, openEnum } from '../shared';

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

export const saleObject = () =>
  z.looseObject({
    saleToken: identity(),
    referenceCode: z.nullish(z.string()),
    currency: z.nullish(z.string()),
    amount: z.nullish(z.number()),
    shopper: z.nullish(
      z.looseObject({
        id: z.nullish(z.string()),
        firstName: z.nullish(z.string()),
        lastName: z.nullish(z.string()),
        email: z.nullish(z.string()),
        agency: z.nullish(z.string()),
        account: z.nullish(z.string()),
      }),
    ),
    date: z.nullish(z.string()),
    newStatus: openEnum<'PAID' | 'REVERSAL'>(),
  });

/** The payload of `payment` and `saleStatus` notifications, as a Standard Schema (document section 6.2). */
export const salePayloadSchema: Schema<SalePayload> = toSchema(saleObject, (value) =>
  isSale(value) ? value : undefined,
);

function isSale(value: unknown): value is SalePayload {
  if (!hasFields(value)) return false;
  const payload: Unchecked<SalePayload> = value;
  return (
    isIdentity(payload.saleToken) &&
    isText(payload.newStatus) &&
    isMaybeText(payload.referenceCode) &&
    isMaybeText(payload.currency) &&
    isMaybeNumber(payload.amount) &&
    isMaybeShopper(payload.shopper) &&
    isMaybeText(payload.date)
  );
}

function isMaybeShopper(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (!hasFields(value)) return false;
  const { id, firstName, lastName, email, agency, account }: Unchecked<SaleShopper> = value;
  return (
    isMaybeText(id) &&
    isMaybeText(firstName) &&
    isMaybeText(lastName) &&
    isMaybeText(email) &&
    isMaybeText(agency) &&
    isMaybeText(account)
  );
}

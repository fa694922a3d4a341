import * as z from 'zod/mini';
import {
  type BankDetails,
  bankDetailsObject,
  type IdentityDocument,
  identityDocumentObject,
  maybe,
  maybeAmount,
  maybeList,
  type OpenEnum,
  openEnum,
  type Phone,
  phoneObject,
  undocumentedObject,
} from '../fields';
import * as guards from '../guards.generated';
import { type Schema, toSchema } from '../schema';

/**
 * A transaction, the response of `getTransaction` (document section 2.3). The document marks no field as required, and
 * shows no time zone for date-times: read them with `parseDateTime` and the time zone of your account. It names no unit
 * for amounts either: that they are in the currency's main unit is this library's reading.
 */
export interface Transaction {
  /** 0 or missing; any other value is thrown as `ApiError`. */
  status?: number | null | undefined;
  /** Status message. */
  message?: string | null | undefined;
  /** Internal transaction id. */
  id?: number | null | undefined;
  /** Transaction UUID. */
  uuid?: string | null | undefined;
  /** Kind of transaction; `SALE` is a known value. */
  type?: OpenEnum<'SALE'> | null | undefined;
  /** Where the transaction stands: `PENDING`, `CANCELLED` or `PAID`. */
  situation?: OpenEnum<'PENDING' | 'CANCELLED' | 'PAID'> | null | undefined;
  /** Currency of the amounts, an ISO 4217 code. */
  currency?: string | null | undefined;
  /** Order amount, in the currency's main unit. */
  amount?: number | null | undefined;
  /** Shipping costs, in the currency's main unit. */
  shipping?: number | null | undefined;
  /** Discounts applied, in the currency's main unit. */
  discounts?: number | null | undefined;
  /** `amount` plus `shipping`, minus `discounts`, in the currency's main unit. */
  total?: number | null | undefined;
  /** Service fee, in the currency's main unit. */
  appliedRate?: number | null | undefined;
  /** Your unique identifier of the sale. */
  referenceCode?: string | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss`. */
  creation?: string | null | undefined;
  /** Presumably until when the order can be paid, `yyyy-MM-dd HH:mm:ss`: the document calls it the maximum age. */
  maxAge?: string | null | undefined;
  /** Who pays. */
  shopper?: TransactionShopper | null | undefined;
  /** Presumably who receives: the document only names it, and shows no field of it. */
  beneficiary?: Record<string, unknown> | null | undefined;
  /** What was refunded, and what still can be. */
  refunds?: TransactionRefunds | null | undefined;
  /** Service fee applied to payouts, in the currency's main unit. */
  serviceFee?: number | null | undefined;
  /** Whether a return error is present. */
  has_return_error?: boolean | null | undefined;
  /** The return error; its fields are not documented. */
  return_error?: Record<string, unknown> | null | undefined;
  /** Tracking; its fields are not documented. */
  track?: Record<string, unknown> | null | undefined;
}

/** Who pays a transaction (document section 2.3). Personal data. */
export interface TransactionShopper {
  /** The shopper's bank account. */
  bankDetails?: ShopperBankDetails | null | undefined;
  /** Identity document. */
  document?: IdentityDocument | null | undefined;
  /** E-mail address. */
  email?: string | null | undefined;
  /** Telephone. */
  phone?: Phone | null | undefined;
}

/** A shopper's bank account (document section 2.3). Personal data. */
export interface ShopperBankDetails {
  /** Account number. */
  account?: string | null | undefined;
  /** Branch of the bank. */
  branch?: string | null | undefined;
}

/** The refunds of a transaction (document section 2.3). */
export interface TransactionRefunds {
  /** Presumably what can still be refunded, in the currency's main unit: the document only names it. */
  available?: number | null | undefined;
  /** Presumably how many refunds there are: the document only names it. */
  quantity?: number | null | undefined;
  /** Presumably the sum of all refunds requested, in the currency's main unit: the document only names it. */
  requested?: number | null | undefined;
  /** Each refund. */
  transactions?: TransactionRefund[] | null | undefined;
}

/** One refund of a transaction (document section 2.3). */
export interface TransactionRefund {
  /** Presumably the account that was credited: the document only names it. */
  bankDetails?: BankDetails | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss`. */
  creation?: string | null | undefined;
  /** When it was credited, `yyyy-MM-dd HH:mm:ss`. */
  creditDate?: string | null | undefined;
  /** Presumably the transfer that credited it: the document only names it. */
  creditTransferDetails?: CreditTransferDetails | null | undefined;
  /** Remark. */
  remark?: string | null | undefined;
  /** State of the refund; `PAID` is a known value. */
  status?: OpenEnum<'PAID'> | null | undefined;
  /** Amount, in the currency's main unit. */
  total?: number | null | undefined;
  /** UUID of the refund. */
  uuid?: string | null | undefined;
}

/** Presumably the transfer that credited a refund (document section 2.3, which only names its fields). */
export interface CreditTransferDetails {
  /** Reference of the transfer. */
  referenceCode?: string | null | undefined;
  /** UUID of the sale. */
  saleUUID?: string | null | undefined;
  /** Amount, in the currency's main unit. */
  total?: number | null | undefined;
}

const refundObject = z.looseObject({
  bankDetails: maybe(bankDetailsObject),
  creation: maybe(z.string()),
  creditDate: maybe(z.string()),
  creditTransferDetails: maybe(
    z.looseObject({
      referenceCode: maybe(z.string()),
      saleUUID: maybe(z.string()),
      total: maybe(z.number()),
    }),
  ),
  remark: maybe(z.string()),
  status: maybe(openEnum<'PAID'>()),
  total: maybeAmount(),
  uuid: maybe(z.string()),
});

export const transactionObject = z.looseObject({
  status: maybe(z.number()),
  message: maybe(z.string()),
  id: maybe(z.number()),
  uuid: z.nullish(z.string()),
  type: maybe(openEnum<'SALE'>()),
  situation: z.nullish(openEnum<'PENDING' | 'CANCELLED' | 'PAID'>()),
  currency: maybe(z.string()),
  amount: maybeAmount(),
  shipping: maybe(z.number()),
  discounts: maybe(z.number()),
  total: maybe(z.number()),
  appliedRate: maybe(z.number()),
  referenceCode: maybe(z.string()),
  creation: maybe(z.string()),
  maxAge: maybe(z.string()),
  shopper: maybe(
    z.looseObject({
      bankDetails: maybe(z.looseObject({ account: maybe(z.string()), branch: maybe(z.string()) })),
      document: maybe(identityDocumentObject),
      email: maybe(z.string()),
      phone: maybe(phoneObject),
    }),
  ),
  beneficiary: maybe(undocumentedObject()),
  refunds: maybe(
    z.looseObject({
      available: maybe(z.number()),
      quantity: maybe(z.number()),
      requested: maybe(z.number()),
      transactions: maybeList(refundObject),
    }),
  ),
  serviceFee: maybe(z.number()),
  has_return_error: maybe(z.boolean()),
  return_error: maybe(undocumentedObject()),
  track: maybe(undocumentedObject()),
});

/** The response of `getTransaction`, as a Standard Schema. */
export const transactionSchema: Schema<Transaction> = toSchema(transactionObject, guards.isTransaction);

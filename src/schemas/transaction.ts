import * as z from 'zod/mini';
import { isMaybeBankDetails, isMaybeNumber, isMaybeText } from './guards';
import { isBoolean, isListOf, isMaybe, isObjectOf, isPlainObject } from './object-guard';
import { type Schema, toSchema } from './schema';
import {
  type BankDetails,
  bankDetailsObject,
  type IdentityDocument,
  identityDocumentObject,
  isIdentityDocument,
  isPhone,
  type OpenEnum,
  openEnum,
  type Phone,
  phoneObject,
} from './shared';

/**
 * A transaction, the answer to `getTransaction` (document section 2.3). The document marks no field as required, and
 * shows no time zone for date-times: read them with `parseDateTime` and the zone your account works in.
 */
export interface Transaction {
  /** 0, or the field is missing; any other value is thrown as `ApiError` (document sections 2.3 and 7.2). */
  status?: number | null | undefined;
  /** Status message (document section 2.3). */
  message?: string | null | undefined;
  /** Internal transaction id (document section 2.3). */
  id?: number | null | undefined;
  /** Transaction UUID (document section 2.3). */
  uuid?: string | null | undefined;
  /** Kind of transaction; `SALE` is a known value (document section 2.3). */
  type?: OpenEnum<'SALE'> | null | undefined;
  /** Where the transaction stands: `PENDING`, `CANCELLED` or `PAID` (document sections 2.3 and 3). */
  situation?: OpenEnum<'PENDING' | 'CANCELLED' | 'PAID'> | null | undefined;
  /** Currency of the amounts, an ISO 4217 code (document section 2.3). */
  currency?: string | null | undefined;
  /** Order amount, in the currency's main unit (document section 2.3). */
  amount?: number | null | undefined;
  /** Shipping costs, in the currency's main unit (document section 2.3). */
  shipping?: number | null | undefined;
  /** Discounts applied, in the currency's main unit (document section 2.3). */
  discounts?: number | null | undefined;
  /** `amount` plus `shipping`, minus `discounts`, in the currency's main unit (document section 2.3). */
  total?: number | null | undefined;
  /** Service fee (document section 2.3). */
  appliedRate?: number | null | undefined;
  /** Your unique identifier of the sale (document section 2.3). */
  referenceCode?: string | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss` (document section 2.3). */
  creation?: string | null | undefined;
  /** Until when the order is valid, `yyyy-MM-dd HH:mm:ss` (document section 2.3). */
  maxAge?: string | null | undefined;
  /** Who pays (document section 2.3). */
  shopper?: TransactionShopper | null | undefined;
  /** Who receives; its fields are not documented (document section 2.3). */
  beneficiary?: Record<string, unknown> | null | undefined;
  /** What was refunded, and what still can be (document section 2.3). */
  refunds?: TransactionRefunds | null | undefined;
  /** Service fee applied to payouts (document section 2.3). */
  serviceFee?: number | null | undefined;
  /** Whether a return error is present (document section 2.3). */
  has_return_error?: boolean | null | undefined;
  /** The return error; its fields are not documented (document section 2.3). */
  return_error?: Record<string, unknown> | null | undefined;
  /** Tracking; its fields are not documented (document section 2.3). */
  track?: Record<string, unknown> | null | undefined;
}

/** Who pays a transaction (document section 2.3). Personal data. */
export interface TransactionShopper {
  /** The shopper's bank account (document section 2.3). */
  bankDetails?: ShopperBankDetails | null | undefined;
  /** Identity document (document section 2.3). */
  document?: IdentityDocument | null | undefined;
  /** E-mail address (document section 2.3). */
  email?: string | null | undefined;
  /** Telephone (document section 2.3). */
  phone?: Phone | null | undefined;
}

/** A shopper's bank account (document section 2.3). Personal data. */
export interface ShopperBankDetails {
  /** Account number (document section 2.3). */
  account?: string | null | undefined;
  /** Branch of the bank (document section 2.3). */
  branch?: string | null | undefined;
}

/** The refunds of a transaction (document section 2.3). */
export interface TransactionRefunds {
  /** What can still be refunded, in the currency's main unit (document section 2.3). */
  available?: number | null | undefined;
  /** How many refunds there are (document section 2.3). */
  quantity?: number | null | undefined;
  /** What was asked to be refunded so far, in the currency's main unit (document section 2.3). */
  requested?: number | null | undefined;
  /** Each refund (document section 2.3). */
  transactions?: TransactionRefund[] | null | undefined;
}

/** One refund of a transaction (document section 2.3). */
export interface TransactionRefund {
  /** The account that was credited (document section 2.3). */
  bankDetails?: BankDetails | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss` (document section 2.3). */
  creation?: string | null | undefined;
  /** When it was credited, `yyyy-MM-dd HH:mm:ss` (document section 2.3). */
  creditDate?: string | null | undefined;
  /** The transfer that credited it (document section 2.3). */
  creditTransferDetails?: CreditTransferDetails | null | undefined;
  /** Remark (document section 2.3). */
  remark?: string | null | undefined;
  /** State of the refund; `PAID` is a known value (document sections 2.3 and 3). */
  status?: OpenEnum<'PAID'> | null | undefined;
  /** Amount, in the currency's main unit (document section 2.3). */
  total?: number | null | undefined;
  /** UUID of the refund (document section 2.3). */
  uuid?: string | null | undefined;
}

/** The transfer that credited a refund (document section 2.3). */
export interface CreditTransferDetails {
  /** Reference of the transfer (document section 2.3). */
  referenceCode?: string | null | undefined;
  /** UUID of the sale (document section 2.3). */
  saleUUID?: string | null | undefined;
  /** Amount, in the currency's main unit (document section 2.3). */
  total?: number | null | undefined;
}

const undocumentedObject = () => z.record(z.string(), z.unknown());

const refundObject = () =>
  z.looseObject({
    bankDetails: z.nullish(bankDetailsObject()),
    creation: z.nullish(z.string()),
    creditDate: z.nullish(z.string()),
    creditTransferDetails: z.nullish(
      z.looseObject({
        referenceCode: z.nullish(z.string()),
        saleUUID: z.nullish(z.string()),
        total: z.nullish(z.number()),
      }),
    ),
    remark: z.nullish(z.string()),
    status: z.nullish(openEnum<'PAID'>()),
    total: z.nullish(z.number()),
    uuid: z.nullish(z.string()),
  });

export const transactionObject = () =>
  z.looseObject({
    status: z.nullish(z.number()),
    message: z.nullish(z.string()),
    id: z.nullish(z.number()),
    uuid: z.nullish(z.string()),
    type: z.nullish(openEnum<'SALE'>()),
    situation: z.nullish(openEnum<'PENDING' | 'CANCELLED' | 'PAID'>()),
    currency: z.nullish(z.string()),
    amount: z.nullish(z.number()),
    shipping: z.nullish(z.number()),
    discounts: z.nullish(z.number()),
    total: z.nullish(z.number()),
    appliedRate: z.nullish(z.number()),
    referenceCode: z.nullish(z.string()),
    creation: z.nullish(z.string()),
    maxAge: z.nullish(z.string()),
    shopper: z.nullish(
      z.looseObject({
        bankDetails: z.nullish(
          z.looseObject({ account: z.nullish(z.string()), branch: z.nullish(z.string()) }),
        ),
        document: z.nullish(identityDocumentObject()),
        email: z.nullish(z.string()),
        phone: z.nullish(phoneObject()),
      }),
    ),
    beneficiary: z.nullish(undocumentedObject()),
    refunds: z.nullish(
      z.looseObject({
        available: z.nullish(z.number()),
        quantity: z.nullish(z.number()),
        requested: z.nullish(z.number()),
        transactions: z.nullish(z.array(refundObject())),
      }),
    ),
    serviceFee: z.nullish(z.number()),
    has_return_error: z.nullish(z.boolean()),
    return_error: z.nullish(undocumentedObject()),
    track: z.nullish(undocumentedObject()),
  });

const isRefund = isObjectOf<TransactionRefund>({
  bankDetails: isMaybeBankDetails,
  creation: isMaybeText,
  creditDate: isMaybeText,
  creditTransferDetails: isMaybe(
    isObjectOf<CreditTransferDetails>({
      referenceCode: isMaybeText,
      saleUUID: isMaybeText,
      total: isMaybeNumber,
    }),
  ),
  remark: isMaybeText,
  status: isMaybeText,
  total: isMaybeNumber,
  uuid: isMaybeText,
});

const isTransaction = isObjectOf<Transaction>({
  status: isMaybeNumber,
  message: isMaybeText,
  id: isMaybeNumber,
  uuid: isMaybeText,
  type: isMaybeText,
  situation: isMaybeText,
  currency: isMaybeText,
  amount: isMaybeNumber,
  shipping: isMaybeNumber,
  discounts: isMaybeNumber,
  total: isMaybeNumber,
  appliedRate: isMaybeNumber,
  referenceCode: isMaybeText,
  creation: isMaybeText,
  maxAge: isMaybeText,
  shopper: isMaybe(
    isObjectOf<TransactionShopper>({
      bankDetails: isMaybe(isObjectOf<ShopperBankDetails>({ account: isMaybeText, branch: isMaybeText })),
      document: isMaybe(isIdentityDocument),
      email: isMaybeText,
      phone: isMaybe(isPhone),
    }),
  ),
  beneficiary: isMaybe(isPlainObject),
  refunds: isMaybe(
    isObjectOf<TransactionRefunds>({
      available: isMaybeNumber,
      quantity: isMaybeNumber,
      requested: isMaybeNumber,
      transactions: isMaybe(isListOf(isRefund)),
    }),
  ),
  serviceFee: isMaybeNumber,
  has_return_error: isMaybe(isBoolean),
  return_error: isMaybe(isPlainObject),
  track: isMaybe(isPlainObject),
});

/** The answer to `getTransaction`, as a Standard Schema (document section 2.3). */
export const transactionSchema: Schema<Transaction> = toSchema(transactionObject, (value) =>
  isTransaction(value) ? value : undefined,
);

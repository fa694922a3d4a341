import * as z from 'zod/mini';
import { isGiven } from '../../shared/objects';
import { isCalendarDate } from '../../shared/time';
import { isScannable } from '../checks';
import { currencyDecimals, decimalsOf, isCurrencyCode } from '../currency';
import {
  type IdentityDocument,
  identityDocumentObject,
  maybe,
  maybeList,
  nonEmptyText,
  type OpenEnum,
  openEnum,
  type Phone,
  phoneObject,
} from '../fields';
import * as guards from '../guards.generated';
import { type Schema, toSchema } from '../schema';

/**
 * The request that creates a recurring-payment journey (document section 2.1).
 *
 * `amount` is required when `recurrence.immediatePayment` is true, and allowed when it is false. That amounts are in the
 * currency's main unit is this library's reading.
 */
export type RecurringCheckoutRequest = RecurringCheckoutRequestBase &
  (
    | {
        // Not a number, so that editors know which branch is meant once `amount` is written, and show its text.
        /** In the currency's main unit. Without an immediate payment, it may be left out. */
        amount?: undefined;
        /** What recurs, and when. */
        recurrence: {
          /** `false`: a journey without an immediate charge. */
          immediatePayment: false;
        };
      }
    | {
        /**
         * Amount of the immediate payment. This library reads it in the currency's main unit (`59.7` for R$ 59,70), and
         * refuses more decimals than the currency has. Round sums, or use `amountFromMinorUnits`.
         */
        amount: number;
      }
  );

/** The fields of a journey's request that do not depend on the immediate payment (document section 2.1). */
export interface RecurringCheckoutRequestBase {
  /** Currency of all amounts, an ISO 4217 code such as `BRL`. */
  currency: string;
  /** Your unique identifier of the order. The document states no greatest length (section 8). */
  referenceCode: string;
  /** How long the QR code can be paid, in minutes. */
  maxAge?: number | undefined;
  /** URL for transaction updates. This library refuses one that is not absolute http or https. */
  callbackURL?: string | undefined;
  /** Who pays. */
  shopper: CheckoutRequestShopper;
  /** What recurs, and when. */
  recurrence: RecurrenceRequest;
}

/** Who pays (document section 2.1). Personal data. */
export interface CheckoutRequestShopper {
  /** The shopper's id in your system. */
  id?: string | undefined;
  /** E-mail address. */
  email?: string | undefined;
  /** Full name. */
  name?: string | undefined;
  /** Identity document. */
  document?:
    | {
        /** Kind of document; `CPF` is a known value. */
        type?: OpenEnum<'CPF'> | undefined;
        /** Number of the document. */
        number?: string | undefined;
      }
    | undefined;
  /** Telephone. */
  phone?:
    | {
        /** Kind of telephone; `MOBILE` is a known value. */
        type?: OpenEnum<'MOBILE'> | undefined;
        /** Telephone number. */
        number?: string | undefined;
      }
    | undefined;
}

/** What recurs, and when (document section 2.1). */
export interface RecurrenceRequest {
  /** Identifier of the recurrence plan. */
  planId?: string | undefined;
  /** Whether an immediate payment is made; `amount` is then required. */
  immediatePayment: boolean;
  /** What each recurrence costs. */
  amount?:
    | {
        /** Amount of each recurrence, in the currency's main unit. This library refuses 0 and less. */
        recurrenceAmount?: number | undefined;
        /**
         * `VARIABLE`: each charge has a sum of its own, from `debitorMinimumAmount` up (the service's public pages; not in its
         * document). Default: the same sum each time.
         */
        valueType?: OpenEnum<'FIXED' | 'VARIABLE'> | undefined;
        /** The least that each charge may be, in the currency's main unit (the service's public pages; not in its document). */
        debitorMinimumAmount?: number | undefined;
      }
    | undefined;
  /** When it recurs. */
  calendar?:
    | {
        /** First date of the recurrence, `yyyy-MM-dd`. */
        initialDate?: string | undefined;
        /** Last date of the recurrence, `yyyy-MM-dd`. This library refuses one before the first. */
        finalDate?: string | undefined;
        /** How often; `MONTHLY` is a known value. */
        periodicity?: OpenEnum<'MONTHLY'> | undefined;
      }
    | undefined;
  /** Whether a failed charge is tried again. */
  retry?: boolean | undefined;
}

// Only checks that cannot be wrong are made: the library never refuses what the service might accept. It checks neither
// the digits of a CPF nor the form of an e-mail address.
const calendarDate = () =>
  z.string().check(z.refine(isCalendarDate, { error: 'expected a real date, yyyy-MM-dd' }));
const positive = () => z.number().check(z.refine((value) => value > 0, { error: 'expected more than 0' }));
const notNegative = () => z.number().check(z.refine((value) => value >= 0, { error: 'expected 0 or more' }));

/**
 * A field that may be left out. `null` counts as missing and is sent unchanged, because JSON from other sources often
 * has it. The type does not allow `null`, so that a request does not look as if null had a meaning.
 */
// @__NO_SIDE_EFFECTS__
function optional<Inner extends z.ZodMiniType>(inner: Inner) {
  return z.nullish(inner) as unknown as z.ZodMiniOptional<Inner>;
}

const calendarObject = z
  .looseObject({
    initialDate: optional(calendarDate()),
    finalDate: optional(calendarDate()),
    periodicity: optional(openEnum<'MONTHLY'>()),
  })
  .check(
    z.refine(
      // Dates of this form sort as text.
      ({ initialDate, finalDate }) => !initialDate || !finalDate || finalDate >= initialDate,
      { error: 'expected a date that is not before initialDate', path: ['finalDate'] },
    ),
  );

export const recurringCheckoutRequestObject = z
  .looseObject({
    currency: z.string().check(z.refine(isCurrencyCode, { error: 'expected an ISO 4217 code such as BRL' })),
    referenceCode: nonEmptyText(),
    amount: optional(notNegative()),
    maxAge: optional(positive()),
    callbackURL: optional(
      z.string().check(z.refine(isAbsoluteHttpUrl, { error: 'expected an absolute http or https URL' })),
    ),
    shopper: z.looseObject({
      id: optional(z.string()),
      email: optional(z.string()),
      name: optional(z.string()),
      document: optional(z.looseObject({ type: optional(openEnum<'CPF'>()), number: optional(z.string()) })),
      phone: optional(z.looseObject({ type: optional(openEnum<'MOBILE'>()), number: optional(z.string()) })),
    }),
    recurrence: z.looseObject({
      planId: optional(z.string()),
      immediatePayment: z.boolean(),
      amount: optional(
        z.looseObject({
          recurrenceAmount: optional(positive()),
          valueType: optional(openEnum<'FIXED' | 'VARIABLE'>()),
          debitorMinimumAmount: optional(notNegative()),
        }),
      ),
      calendar: optional(calendarObject),
      retry: optional(z.boolean()),
    }),
  })
  .check(
    z.refine(({ amount, recurrence }) => !recurrence.immediatePayment || isGiven(amount), {
      error: 'required when recurrence.immediatePayment is true',
      path: ['amount'],
    }),
    z.refine(({ amount, recurrence }) => !recurrence.immediatePayment || amount !== 0, {
      error: 'expected more than 0, because recurrence.immediatePayment is true',
      path: ['amount'],
    }),
    decimalsFit(['amount'], ({ amount }) => amount),
    decimalsFit(
      ['recurrence', 'amount', 'recurrenceAmount'],
      ({ recurrence }) => recurrence.amount?.recurrenceAmount,
    ),
    decimalsFit(
      ['recurrence', 'amount', 'debitorMinimumAmount'],
      ({ recurrence }) => recurrence.amount?.debitorMinimumAmount,
    ),
  );

/** The request of `createRecurringCheckout`, as a Standard Schema. */
export const recurringCheckoutRequestSchema: Schema<RecurringCheckoutRequest> = toSchema(
  recurringCheckoutRequestObject as z.ZodMiniType<RecurringCheckoutRequest, RecurringCheckoutRequest>,
);

interface RequestAmounts {
  currency: string;
  amount?: number | undefined;
  recurrence: {
    amount?: { recurrenceAmount?: number | undefined; debitorMinimumAmount?: number | undefined } | undefined;
  };
}

/** For currencies without a minor unit in ISO 4217 (a new one, or a typo such as `BLR`): no currency has more. */
const MOST_DECIMALS = 4;

/** Refuses `3 * 19.9`, which is 59.699999999999996 and must not reach a bank. */
function decimalsFit(path: string[], amountOf: (request: RequestAmounts) => number | undefined) {
  return z.refine<RequestAmounts>(
    (request) => {
      const amount = amountOf(request);
      const allowed = currencyDecimals(request.currency) ?? MOST_DECIMALS;
      return !isGiven(amount) || decimalsOf(amount) <= allowed;
    },
    { error: 'has more decimals than its currency; round it, or make it with amountFromMinorUnits', path },
  );
}

function isAbsoluteHttpUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}

/** The response of `createRecurringCheckout` (document section 2.2). */
export interface RecurringCheckout {
  /** 0 on success; any other value is thrown as `ApiError`. */
  status?: number | null | undefined;
  /** `success` on success. */
  message?: string | null | undefined;
  /** The journey that was created. */
  response: RecurringCheckoutJourney;
}

/** A journey, with the instructions for its payer (document section 2.2). */
export interface RecurringCheckoutJourney {
  /** Transaction id. */
  id?: number | null | undefined;
  /** Your identifier of the order. */
  referenceCode?: string | null | undefined;
  /** Amount; in the currency's main unit, as this library reads it. */
  amount?: number | null | undefined;
  /** Presumably the service's code of the sale: the document only names it. */
  saleCode?: string | null | undefined;
  /** Transaction UUID, for `getTransaction`. Store it before anything else. */
  uuid: string;
  /** Who pays. */
  shopper?: CheckoutShopper | null | undefined;
  /** What the payer has to do. */
  instructions: CheckoutInstructions;
}

/** Who pays, in a response (document section 2.2). Personal data. */
export interface CheckoutShopper {
  /** The shopper's id in your system. */
  id?: string | null | undefined;
  /** Full name. */
  name?: string | null | undefined;
  /** E-mail address. */
  email?: string | null | undefined;
  /** Identity document. */
  document?: IdentityDocument | null | undefined;
  /** Telephone. */
  phone?: Phone | null | undefined;
}

/** How the payer starts the flow (document section 2.2). */
export interface CheckoutInstructions {
  /** The method; `PIX_RECURRENCE` is returned. */
  chosen?: OpenEnum<'PIX_RECURRENCE'> | null | undefined;
  /** Display name of the method. */
  name?: string | null | undefined;
  /** Display label of the method. */
  label?: string | null | undefined;
  /** The QR code, in at least one of its forms. */
  qrCode: QrCode;
  /** Instructions to show to the payer. */
  steps?: CheckoutSteps | null | undefined;
}

/** A QR code in up to three forms, and at least one (document section 2.2). */
export interface QrCode {
  /** URL of the image. */
  url?: string | null | undefined;
  /** Image data in Base64; `decodeQrCode` converts it to bytes and a `data:` URL. */
  base64?: string | null | undefined;
  /** The text that the code holds, for the payer to copy and paste. */
  plain?: string | null | undefined;
}

/** Instructions, by the form of payment (document section 2.2). */
export interface CheckoutSteps {
  /** Step by step, for a payer who scans the QR code. */
  qrCode?: string[] | null | undefined;
}

const shopperObject = z.looseObject({
  id: maybe(z.string()),
  name: maybe(z.string()),
  email: maybe(z.string()),
  document: maybe(identityDocumentObject),
  phone: maybe(phoneObject),
});

const qrCodeObject = z
  .looseObject({
    url: maybe(z.string()),
    base64: maybe(z.string()),
    plain: maybe(z.string()),
  })
  .check(z.refine(isScannable, { error: 'expected at least one of plain, base64 and url' }));

export const recurringCheckoutObject = z.looseObject({
  status: maybe(z.number()),
  message: maybe(z.string()),
  response: z.looseObject({
    id: maybe(z.number()),
    referenceCode: maybe(z.string()),
    amount: maybe(z.number()),
    saleCode: maybe(z.string()),
    uuid: nonEmptyText(),
    shopper: maybe(shopperObject),
    instructions: z.looseObject({
      chosen: maybe(openEnum<'PIX_RECURRENCE'>()),
      name: maybe(z.string()),
      label: maybe(z.string()),
      qrCode: qrCodeObject,
      steps: maybe(z.looseObject({ qrCode: maybeList(z.string()) })),
    }),
  }),
});

/** The response of `createRecurringCheckout`, as a Standard Schema. */
export const recurringCheckoutSchema: Schema<RecurringCheckout> = toSchema(
  recurringCheckoutObject,
  guards.isRecurringCheckout,
);

import * as z from 'zod/mini';
import * as guards from '../guards.generated';
import { isScannable } from '../schema/checks';
import {
  type IdentityDocument,
  identityDocumentObject,
  maybe,
  nonEmptyText,
  type OpenEnum,
  openEnum,
  type Phone,
  phoneObject,
} from '../schema/fields';
import { type Schema, toSchema } from '../schema/schema';

/** The response of `createRecurringCheckout` (document section 2.2). */
export interface RecurringCheckout {
  /** 0 on success; any other value is thrown as `ApiError` (document section 2.2). */
  status?: number | null | undefined;
  /** `success` on success (document section 2.2). */
  message?: string | null | undefined;
  /** The journey that was created (document section 2.2). */
  response: RecurringCheckoutJourney;
}

/** A journey, with the instructions for its payer (document section 2.2). */
export interface RecurringCheckoutJourney {
  /** Transaction id (document section 2.2). */
  id?: number | null | undefined;
  /** Your identifier of the order, as you sent it (document section 2.2). */
  referenceCode?: string | null | undefined;
  /** Amount of the immediate payment, in the currency's main unit (document section 2.2). */
  amount?: number | null | undefined;
  /** The service's code of the sale (document section 2.2). */
  saleCode?: string | null | undefined;
  /** Transaction UUID, for `getTransaction`. Store it before anything else (document section 2.2). */
  uuid: string;
  /** Who pays, as you sent it (document section 2.2). */
  shopper?: CheckoutShopper | null | undefined;
  /** What the payer has to do (document section 2.2). */
  instructions: CheckoutInstructions;
}

/** Who pays, in a response (document section 2.2). Personal data. */
export interface CheckoutShopper {
  /** The shopper's id in your system (document section 2.2). */
  id?: string | null | undefined;
  /** Full name (document section 2.2). */
  name?: string | null | undefined;
  /** E-mail address (document section 2.2). */
  email?: string | null | undefined;
  /** Identity document (document section 2.2). */
  document?: IdentityDocument | null | undefined;
  /** Telephone (document section 2.2). */
  phone?: Phone | null | undefined;
}

/** How the payer starts the flow (document section 2.2). */
export interface CheckoutInstructions {
  /** The method; `PIX_RECURRENCE` is returned (document section 2.2). */
  chosen?: OpenEnum<'PIX_RECURRENCE'> | null | undefined;
  /** Display name of the method (document section 2.2). */
  name?: string | null | undefined;
  /** Display label of the method (document section 2.2). */
  label?: string | null | undefined;
  /** The QR code, in at least one of its forms (document section 2.2). */
  qrCode: QrCode;
  /** Instructions to show to the payer (document section 2.2). */
  steps?: CheckoutSteps | null | undefined;
}

/** A QR code in up to three forms, and at least one (document section 2.2). */
export interface QrCode {
  /** URL of the image (document section 2.2). */
  url?: string | null | undefined;
  /** Image data in Base64; `decodeQrCode` converts it to bytes and a `data:` URL (document section 2.2). */
  base64?: string | null | undefined;
  /** The text that the code holds, for the payer to copy and paste (document section 2.2). */
  plain?: string | null | undefined;
}

/** Instructions, by the form of payment (document section 2.2). */
export interface CheckoutSteps {
  /** Step by step, for a payer who scans the QR code (document section 2.2). */
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
      steps: maybe(z.looseObject({ qrCode: maybe(z.array(z.string())) })),
    }),
  }),
});

/** The response of `createRecurringCheckout`, as a Standard Schema (document section 2.2). */
export const recurringCheckoutSchema: Schema<RecurringCheckout> = toSchema(
  recurringCheckoutObject,
  guards.isRecurringCheckout,
);

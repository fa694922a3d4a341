import * as z from 'zod/mini';
import { isIdentity, isMaybeNumber, isMaybeText, isText } from './guards';
import { isListOf, isMaybe, isObjectOf } from './object-guard';
import { type Schema, toSchema } from './schema';
import {
  type IdentityDocument,
  identity,
  identityDocumentObject,
  isIdentityDocument,
  isPhone,
  type OpenEnum,
  openEnum,
  type Phone,
  phoneObject,
} from './shared';

/** The answer to `createRecurringCheckout` (document section 2.2). */
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
  /** Transaction UUID: what `getTransaction` takes. Store it before anything else (document section 2.2). */
  uuid: string;
  /** Who pays, as you sent it (document section 2.2). */
  shopper?: CheckoutShopper | null | undefined;
  /** What the payer has to do (document section 2.2). */
  instructions: CheckoutInstructions;
}

/** Who pays, in an answer (document section 2.2). Personal data. */
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
  /** The QR code; at least one of its forms is there (document section 2.2). */
  qrCode: QrCode;
  /** Instructions to show to the payer (document section 2.2). */
  steps?: CheckoutSteps | null | undefined;
}

/** A QR code in up to three forms, of which at least one is there (document section 2.2). */
export interface QrCode {
  /** URL of the image (document section 2.2). */
  url?: string | null | undefined;
  /** Image data in Base64; `decodeQrCode` makes bytes and a `data:` URL of it (document section 2.2). */
  base64?: string | null | undefined;
  /** The text that the code holds, for the payer to copy and paste (document section 2.2). */
  plain?: string | null | undefined;
}

/** Instructions, by the form of payment (document section 2.2). */
export interface CheckoutSteps {
  /** Step by step, for a payer who scans the QR code (document section 2.2). */
  qrCode?: string[] | null | undefined;
}

const shopperObject = () =>
  z.looseObject({
    id: z.nullish(z.string()),
    name: z.nullish(z.string()),
    email: z.nullish(z.string()),
    document: z.nullish(identityDocumentObject()),
    phone: z.nullish(phoneObject()),
  });

const qrCodeObject = () =>
  z
    .looseObject({
      url: z.nullish(z.string()),
      base64: z.nullish(z.string()),
      plain: z.nullish(z.string()),
    })
    .check(z.refine(isScannable, { error: 'expected at least one of plain, base64 and url' }));

export const recurringCheckoutObject = () =>
  z.looseObject({
    status: z.nullish(z.number()),
    message: z.nullish(z.string()),
    response: z.looseObject({
      id: z.nullish(z.number()),
      referenceCode: z.nullish(z.string()),
      amount: z.nullish(z.number()),
      saleCode: z.nullish(z.string()),
      uuid: identity(),
      shopper: z.nullish(shopperObject()),
      instructions: z.looseObject({
        chosen: z.nullish(openEnum<'PIX_RECURRENCE'>()),
        name: z.nullish(z.string()),
        label: z.nullish(z.string()),
        qrCode: qrCodeObject(),
        steps: z.nullish(z.looseObject({ qrCode: z.nullish(z.array(z.string())) })),
      }),
    }),
  });

const isQrCode = isObjectOf<QrCode>({ url: isMaybeText, base64: isMaybeText, plain: isMaybeText });

function isScannableQrCode(value: unknown): value is QrCode {
  return isQrCode(value) && isScannable(value);
}

const isRecurringCheckout = isObjectOf<RecurringCheckout>({
  status: isMaybeNumber,
  message: isMaybeText,
  response: isObjectOf<RecurringCheckoutJourney>({
    id: isMaybeNumber,
    referenceCode: isMaybeText,
    amount: isMaybeNumber,
    saleCode: isMaybeText,
    uuid: isIdentity,
    shopper: isMaybe(
      isObjectOf<CheckoutShopper>({
        id: isMaybeText,
        name: isMaybeText,
        email: isMaybeText,
        document: isMaybe(isIdentityDocument),
        phone: isMaybe(isPhone),
      }),
    ),
    instructions: isObjectOf<CheckoutInstructions>({
      chosen: isMaybeText,
      name: isMaybeText,
      label: isMaybeText,
      qrCode: isScannableQrCode,
      steps: isMaybe(isObjectOf<CheckoutSteps>({ qrCode: isMaybe(isListOf(isText)) })),
    }),
  }),
});

/** The answer to `createRecurringCheckout`, as a Standard Schema (document section 2.2). */
export const recurringCheckoutSchema: Schema<RecurringCheckout> = toSchema(
  recurringCheckoutObject,
  (value) => (isRecurringCheckout(value) ? value : undefined),
);

/** One form is enough for the payer. */
function isScannable({ url, base64, plain }: QrCode): boolean {
  return Boolean(url || base64 || plain);
}

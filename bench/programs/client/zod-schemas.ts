// The answers as a merchant would describe them in zod schemas, for ky's `json(schema)`.
import * as z from 'zod/mini';

const text = z.nullish(z.string());
const amount = z.nullish(z.number());
const identityDocument = z.nullish(z.looseObject({ type: text, number: text }));
const anything = z.nullish(z.record(z.string(), z.unknown()));
const bankDetails = z.nullish(z.looseObject({ bank: text, branch: text, account: text }));

export const transaction = z.looseObject({
  status: amount,
  message: text,
  id: amount,
  uuid: text,
  type: text,
  situation: text,
  currency: text,
  amount,
  shipping: amount,
  discounts: amount,
  total: amount,
  appliedRate: amount,
  referenceCode: text,
  creation: text,
  maxAge: text,
  shopper: z.nullish(
    z.looseObject({ bankDetails, document: identityDocument, email: text, phone: identityDocument }),
  ),
  beneficiary: anything,
  refunds: z.nullish(
    z.looseObject({
      available: amount,
      quantity: amount,
      requested: amount,
      transactions: z.nullish(
        z.array(
          z.looseObject({
            bankDetails,
            creation: text,
            creditDate: text,
            creditTransferDetails: z.nullish(
              z.looseObject({ referenceCode: text, saleUUID: text, total: amount }),
            ),
            remark: text,
            status: text,
            total: amount,
            uuid: text,
          }),
        ),
      ),
    }),
  ),
  serviceFee: amount,
  has_return_error: z.nullish(z.boolean()),
  return_error: anything,
  track: anything,
});

export const recurringCheckout = z.looseObject({
  status: amount,
  message: text,
  response: z.looseObject({
    id: amount,
    referenceCode: text,
    amount,
    saleCode: text,
    uuid: z.string(),
    shopper: z.nullish(
      z.looseObject({
        id: text,
        name: text,
        email: text,
        document: identityDocument,
        phone: identityDocument,
      }),
    ),
    instructions: z.looseObject({
      chosen: text,
      name: text,
      label: text,
      qrCode: z.looseObject({ url: text, base64: text, plain: text }),
      steps: z.nullish(z.looseObject({ qrCode: z.nullish(z.array(z.string())) })),
    }),
  }),
});

import * as classic from 'zod';
import * as mini from 'zod/mini';
import type { Delivery } from './deliveries';
import { floor } from './ours';

/** The floor, with validation by zod schemas as lenient as ours. The kind is known, so nothing has to recognize it. */
export const validators = {
  'floor + zod, compiled': validating(schemas(classic, (schema) => classic.compile(schema))),
  'floor + zod': validating(schemas(classic, (schema) => schema)),
  'floor + zod/mini': validating(schemas(mini, (schema) => schema)),
};

interface Parses {
  parse(value: unknown): unknown;
}

function validating(of: Readonly<Record<Delivery['kind'], Parses>>) {
  return (delivery: Delivery) => of[delivery.kind].parse(floor(delivery));
}

/** Both zod and zod/mini have these functions. */
function schemas(
  z: Pick<typeof mini, 'looseObject' | 'nullish' | 'string' | 'number' | 'literal'>,
  prepare: (schema: mini.ZodMiniType) => Parses,
) {
  const text = z.nullish(z.string());
  const amount = z.nullish(z.number());
  const bankDetails = z.nullish(z.looseObject({ bank: text, branch: text, account: text }));
  const shopper = z.looseObject({
    id: text,
    firstName: text,
    lastName: text,
    email: text,
    agency: text,
    account: text,
  });
  const sale = prepare(
    z.looseObject({
      saleToken: z.string(),
      referenceCode: text,
      currency: text,
      amount,
      shopper: z.nullish(shopper),
      date: text,
      newStatus: z.string(),
    }),
  );
  const payout = (success: boolean) =>
    prepare(
      z.looseObject({
        success: z.literal(success),
        message: text,
        error_code: text,
        id: amount,
        uuid: z.string(),
        currency: text,
        amount,
        status: z.string(),
        referenceCode: text,
        bankDetails,
        creation: text,
        receipt: text,
      }),
    );
  return {
    payment: sale,
    saleStatus: sale,
    reversal: prepare(
      z.looseObject({
        id: amount,
        uuid: z.string(),
        currency: text,
        originalAmount: amount,
        reversedAmount: amount,
        status: z.string(),
        bankDetails,
        sale: z.nullish(z.looseObject({ id: amount, uuid: text })),
        creation: text,
        receipt: text,
        reason: text,
      }),
    ),
    refund: prepare(
      z.looseObject({
        saleToken: z.string(),
        referenceCode: text,
        currency: text,
        originalAmount: amount,
        reversedAmount: amount,
        amountRefunded: amount,
        bankDetails,
        receipt: text,
        status: z.string(),
        refund: z.looseObject({
          id: amount,
          uuid: z.string(),
          status: text,
          amount,
          creation: text,
          creditDate: text,
        }),
        reason: text,
        date: text,
      }),
    ),
    payout: payout(true),
    failedPayout: payout(false),
  };
}

import * as z from 'zod/mini';
import { toSchema } from '../../schemas/schema';

/** What control calls take in their bodies. Unlike the service's, a misspelt field is refused. */

const amount = z.optional(z.number());
const text = z.optional(z.string());
const ms = z.number().check(z.minimum(0));

export const nothing = toSchema(z.strictObject({}));

export const returnOptions = toSchema(z.strictObject({ amount, reason: text }));

export const refundOptions = toSchema(
  z.strictObject({ amount, reason: text, receipt: z.optional(z.nullable(z.string())) }),
);

export const payOutOptions = toSchema(
  z.strictObject({
    amount: z.number(),
    currency: text,
    referenceCode: text,
    bankDetails: z.optional(z.strictObject({ bank: text, branch: text, account: text })),
    fail: z.optional(z.enum(['PE0001', 'PE0002', 'PE0003', 'PE0004'])),
    reason: text,
  }),
);

export const customNotification = toSchema(
  z.strictObject({ payload: z.record(z.string(), z.unknown()), query: text }),
);

export const webhookTarget = toSchema(
  z.strictObject({
    webhookUrl: z.optional(
      z.union([z.string(), z.strictObject({ payment: text, reversal: text, refund: text, payout: text })]),
    ),
  }),
);

const operation = z.enum(['createRecurringCheckout', 'getTransaction', 'cancelScheduledPayment']);
const common = { times: z.optional(z.number()) };
const takesEffect = z.optional(z.boolean());

export const operationFault = toSchema(
  z.strictObject({
    operation,
    fault: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('latency'), ms, ...common }),
      z.strictObject({
        kind: z.literal('status'),
        status: z.number(),
        body: text,
        headers: z.optional(z.record(z.string(), z.string())),
        takesEffect,
        ...common,
      }),
      z.strictObject({ kind: z.literal('body-status'), status: z.literal([-1, 999]), ...common }),
      z.strictObject({ kind: z.literal('reset-before-read'), ...common }),
      z.strictObject({ kind: z.literal('reset-after-read'), takesEffect, ...common }),
      z.strictObject({ kind: z.literal('stalled-body'), ...common }),
      z.strictObject({ kind: z.literal('truncated-body'), ...common }),
      z.strictObject({ kind: z.literal('wrong-json'), ...common }),
    ]),
  }),
);

import * as z from 'zod/mini';
import { type faultKinds, operationNames } from '../model/fault-queue';
import { scenarioNames } from '../scenarios';

/** What control calls take in their bodies. Unlike the service's, a misspelt field is refused. */

const amount = z.optional(z.number());
const text = z.optional(z.string());
const ms = z.number().check(z.minimum(0));

export const nothing = z.strictObject({});

export const returnOptions = z.strictObject({ amount, reason: text });

export const refundOptions = z.strictObject({
  amount,
  reason: text,
  receipt: z.optional(z.nullable(z.string())),
});

export const payOutOptions = z.strictObject({
  amount: z.number(),
  currency: text,
  referenceCode: text,
  bankDetails: z.optional(z.strictObject({ bank: text, branch: text, account: text })),
  fail: z.optional(z.enum(['PE0001', 'PE0002', 'PE0003', 'PE0004'])),
  reason: text,
});

export const scenario = z.strictObject({ name: z.enum(scenarioNames), step: z.optional(z.number()) });

export const customNotification = z.strictObject({ payload: z.record(z.string(), z.unknown()), query: text });

export const webhookTarget = z.strictObject({
  webhookUrl: z.optional(
    z.union([z.string(), z.strictObject({ payment: text, reversal: text, refund: text, payout: text })]),
  ),
});

const times = z.optional(z.number());
const takesEffect = z.optional(z.boolean());

/** What each kind of fault can be told. */
const faultFields = {
  latency: { ms },
  status: {
    status: z.number(),
    body: text,
    headers: z.optional(z.record(z.string(), z.string())),
    takesEffect,
  },
  'body-status': { status: z.literal([-1, 999]) },
  'reset-before-read': {},
  'reset-after-read': { takesEffect },
  'stalled-body': {},
  'truncated-body': {},
  'wrong-json': {},
} satisfies Record<(typeof faultKinds)[number], z.core.$ZodShape>;

const fault = <Kind extends keyof typeof faultFields>(kind: Kind) =>
  z.strictObject({ kind: z.literal(kind), ...faultFields[kind], times });

export const verifyOptions = z.strictObject({ url: z.string() });

export const someOperation = z.strictObject({ operation: z.optional(z.enum(operationNames)) });

export const operationFault = z.strictObject({
  operation: z.enum(operationNames),
  fault: z.discriminatedUnion('kind', [
    fault('latency'),
    fault('status'),
    fault('body-status'),
    fault('reset-before-read'),
    fault('reset-after-read'),
    fault('stalled-body'),
    fault('truncated-body'),
    fault('wrong-json'),
  ]),
});

import * as z from 'zod/mini';
import { isGiven } from '../../shared/objects';
import {
  type BankDetails,
  bankDetailsObject,
  identity,
  maybe,
  type OpenEnum,
  readReceipt,
  state,
} from '../fields';
import * as guards from '../guards.generated';
import { type Schema, toSchema } from '../schema';
import type { DocumentedKind, ReadNotification } from './notification';

/**
 * Funds of a sale on their way back to the payer (document section 6.3).
 * That amounts are in the currency's main unit is this library's reading.
 */
export interface ReversalPayload {
  /** Reversal id. */
  id?: number | null | undefined;
  /** Reversal UUID. */
  uuid: string;
  /** Currency of the amounts, an ISO 4217 code. */
  currency?: string | null | undefined;
  /** Amount of the original sale, in the currency's main unit. */
  originalAmount?: number | null | undefined;
  /** Amount actually reversed, in the currency's main unit. */
  reversedAmount?: number | null | undefined;
  /** `PENDING` when it starts; `PAID` or `CANCELLED` when it has ended. */
  status: OpenEnum<'PENDING' | 'PAID' | 'CANCELLED'>;
  /** The account that receives the funds. */
  bankDetails?: BankDetails | null | undefined;
  /** The original sale. */
  sale?: ReversedSale | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss` without a zone. */
  creation?: string | null | undefined;
  /** Receipt details or link. */
  receipt?: string | null | undefined;
  /** Why the sale is reversed. */
  reason?: string | null | undefined;
}

/** The sale that a reversal returns (document section 6.3). */
export interface ReversedSale {
  /** Sale id. */
  id?: number | null | undefined;
  /** Sale UUID, for `getTransaction`. */
  uuid?: string | null | undefined;
}

export const reversalObject = z.looseObject({
  id: maybe(z.number()),
  uuid: identity(),
  currency: maybe(z.string()),
  originalAmount: maybe(z.number()),
  reversedAmount: maybe(z.number()),
  status: state<'PENDING' | 'PAID' | 'CANCELLED'>(),
  bankDetails: maybe(bankDetailsObject),
  sale: maybe(z.looseObject({ id: maybe(z.number()), uuid: maybe(z.string()) })),
  creation: maybe(z.string()),
  receipt: maybe(z.string()),
  reason: maybe(z.string()),
});

/** The payload of `reversal` notifications, as a Standard Schema. */
export const reversalPayloadSchema: Schema<ReversalPayload> = toSchema(
  reversalObject,
  guards.isReversal,
  readReceipt,
);

/** Funds are on their way back to the payer. */
export interface ReversalNotification extends ReadNotification {
  /** Funds are on their way back to the payer. */
  readonly kind: 'reversal';
  /** The reversal, with its state in `status`. */
  readonly payload: ReversalPayload;
}

export const reversal: DocumentedKind<ReversalNotification> = {
  kind: 'reversal',
  subjectKind: 'reversal',
  label: 'reversal',
  flag: 'reversing',
  query: 'reversing=true&type=reversing',
  match: (body) => isGiven(body['sale']) && isGiven(body['reversedAmount']),
  schema: reversalPayloadSchema,
  subject: ({ uuid }) => uuid,
  state: ({ status }) => [status],
  content: ({ originalAmount, reversedAmount, currency }) => ({ originalAmount, reversedAmount, currency }),
  order: ({ sale }) => ({ uuid: sale?.uuid }),
};

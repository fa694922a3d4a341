import * as z from 'zod/mini';
import * as guards from '../guards.generated';
import {
  type BankDetails,
  bankDetailsObject,
  identity,
  maybe,
  type OpenEnum,
  receiptText,
  state,
} from '../schema/fields';
import { type Schema, toSchema } from '../schema/schema';
import { type DocumentedKind, given, type ReadNotification } from './kind';

/** Funds of a sale on their way back to the payer (document section 6.3). */
export interface ReversalPayload {
  /** Reversal id (document section 6.3). */
  id?: number | null | undefined;
  /** Reversal UUID; the same from `PENDING` to the end (document section 6.3). */
  uuid: string;
  /** Currency of the amounts, an ISO 4217 code (document section 6.3). */
  currency?: string | null | undefined;
  /** Amount of the original sale, in the currency's main unit (document section 6.3). */
  originalAmount?: number | null | undefined;
  /** Amount actually reversed, in the currency's main unit (document section 6.3). */
  reversedAmount?: number | null | undefined;
  /** `PENDING` when it starts; `PAID` or `CANCELLED` when it has ended (document sections 3 and 6.3). */
  status: OpenEnum<'PENDING' | 'PAID' | 'CANCELLED'>;
  /** The account that receives the funds (document section 6.3). */
  bankDetails?: BankDetails | null | undefined;
  /** The original sale (document section 6.3). */
  sale?: ReversedSale | null | undefined;
  /** When it was created, `yyyy-MM-dd HH:mm:ss` without a zone (document section 6.3). */
  creation?: string | null | undefined;
  /** Receipt details or link (document section 6.3). */
  receipt?: string | null | undefined;
  /** Why the sale is reversed (document section 6.3). */
  reason?: string | null | undefined;
}

/** The sale that a reversal returns (document section 6.3). */
export interface ReversedSale {
  /** Sale id (document section 6.3). */
  id?: number | null | undefined;
  /** Sale UUID, for `getTransaction` (document section 6.3). */
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
  receipt: maybe(receiptText()),
  reason: maybe(z.string()),
});

/** The payload of `reversal` notifications, as a Standard Schema (document section 6.3). */
export const reversalPayloadSchema: Schema<ReversalPayload> = toSchema(reversalObject, guards.isReversal);

/** Funds are on their way back to the payer (document section 6.3). */
export interface ReversalNotification extends ReadNotification {
  /** Funds are on their way back to the payer. */
  readonly kind: 'reversal';
  /** The reversal, with its state in `status` (document section 6.3). */
  readonly payload: ReversalPayload;
}

export const reversal: DocumentedKind<ReversalNotification> = {
  kind: 'reversal',
  subjectKind: 'reversal',
  body: 'reversal',
  flag: 'reversing',
  query: 'reversing=true&type=reversing',
  match: (body) => given(body, 'sale') !== undefined && given(body, 'reversedAmount') !== undefined,
  schema: reversalPayloadSchema,
  subject: ({ uuid }) => uuid,
  state: ({ status }) => [status],
};

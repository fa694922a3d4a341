import * as z from 'zod/mini';
import { identity, maybe, type OpenEnum, openEnum } from '../fields';
import * as guards from '../guards.generated';
import { type Schema, toSchema } from '../schema';
import type { DocumentedKind, ReadNotification } from './notification';

// The document says that notifications of a recurrence exist and shows none (section 6.1). The service's public pages show
// these. They are recognized by their `eventType` alone, which nothing of the document has.

/** What an event of a recurrence reports (the service's public pages; not in its document). */
export type RecurrenceEventType =
  | 'RECURRENCE_AUTHORIZED'
  | 'RECURRENCE_REJECTED'
  | 'RECURRENCE_EXPIRED'
  | 'RECURRENCE_CANCELLED'
  | 'RECURRENCE_CONCLUDED'
  | 'RECURRENCE_CHARGE_SCHEDULED'
  | 'RECURRENCE_CHARGE_PAID'
  | 'RECURRENCE_CHARGE_FAILED';

const EVENT_TYPES: readonly RecurrenceEventType[] = [
  'RECURRENCE_AUTHORIZED',
  'RECURRENCE_REJECTED',
  'RECURRENCE_EXPIRED',
  'RECURRENCE_CANCELLED',
  'RECURRENCE_CONCLUDED',
  'RECURRENCE_CHARGE_SCHEDULED',
  'RECURRENCE_CHARGE_PAID',
  'RECURRENCE_CHARGE_FAILED',
];

/**
 * An event of a recurrence (the service's public pages; document section 6.1 shows none). Dates are `yyyy-MM-dd HH:mm:ss` in
 * São Paulo time.
 */
export interface RecurrencePayload {
  /** What happened. */
  eventType: RecurrenceEventType;
  /** Identifies the recurrence. */
  idRec: string;
  /** Your reference: the `referenceCode` of the journey. It finds the order, and proves nothing. */
  externalId?: string | null | undefined;
  /** The plan. */
  planId?: string | null | undefined;
  /** The same as `planId`. */
  contractId?: string | null | undefined;
  /** The text of the contract that the payer sees. */
  contractDescription?: string | null | undefined;
  /** Status of the recurrence. */
  status?: OpenEnum<'APPROVED' | 'REJECTED' | 'EXPIRED' | 'CANCELLED' | 'CONCLUDED'> | null | undefined;
  /** How often it is charged. */
  periodicity?: OpenEnum<'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'SEMIANNUAL' | 'ANNUALLY'> | null | undefined;
  /** `FIXED`: each charge has the authorized sum. `VARIABLE`: each charge has its own. */
  valueType?: OpenEnum<'FIXED' | 'VARIABLE'> | null | undefined;
  /** Amount of the recurrence, in the currency's main unit. */
  amount?: number | null | undefined;
  /** Document of the payer. Personal data. */
  payerDocument?: string | null | undefined;
  /** Name of the payer. Personal data. */
  payerName?: string | null | undefined;
  /** When it begins. */
  initialDate?: string | null | undefined;
  /** When it ends; `null` where it has no end. */
  finalDate?: string | null | undefined;
  /** When the next charge is due. */
  nextRecurrenceDate?: string | null | undefined;
  /** When the event was generated. */
  eventDate?: string | null | undefined;
  /** Of a charge: the uuid of its own transaction. */
  saleToken?: string | null | undefined;
  /** Of a charge: its amount, in the currency's main unit. */
  chargeAmount?: number | null | undefined;
  /** Of a charge: when it is due. */
  chargeDueDate?: string | null | undefined;
  /** Of a charge: its status. */
  chargeStatus?: OpenEnum<'SCHEDULED' | 'PAID' | 'FAILED' | 'REJECTED' | 'CANCELLED'> | null | undefined;
  /** Of a charge that failed: a code of the central bank, such as `AM04`, for `explainPixCode`. */
  rejectionCode?: string | null | undefined;
  /** Of a charge that failed: why, as a text of a bank's. */
  rejectionReason?: string | null | undefined;
  /** Of a charge that failed: whether the service tries again by itself. */
  retryScheduled?: boolean | null | undefined;
}

export const recurrenceObject = z.looseObject({
  eventType: z.literal(EVENT_TYPES),
  idRec: identity(),
  externalId: maybe(z.string()),
  planId: maybe(z.string()),
  contractId: maybe(z.string()),
  contractDescription: maybe(z.string()),
  status: maybe(openEnum<'APPROVED' | 'REJECTED' | 'EXPIRED' | 'CANCELLED' | 'CONCLUDED'>()),
  periodicity: maybe(openEnum<'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'SEMIANNUAL' | 'ANNUALLY'>()),
  valueType: maybe(openEnum<'FIXED' | 'VARIABLE'>()),
  amount: maybe(z.number()),
  payerDocument: maybe(z.string()),
  payerName: maybe(z.string()),
  initialDate: maybe(z.string()),
  finalDate: maybe(z.string()),
  nextRecurrenceDate: maybe(z.string()),
  eventDate: maybe(z.string()),
  saleToken: maybe(identity()),
  chargeAmount: maybe(z.number()),
  chargeDueDate: maybe(z.string()),
  chargeStatus: maybe(openEnum<'SCHEDULED' | 'PAID' | 'FAILED' | 'REJECTED' | 'CANCELLED'>()),
  rejectionCode: maybe(z.string()),
  rejectionReason: maybe(z.string()),
  retryScheduled: maybe(z.boolean()),
});

/** The body of an event of a recurrence, as a Standard Schema. */
export const recurrencePayloadSchema: Schema<RecurrencePayload> = toSchema(
  recurrenceObject,
  guards.isRecurrence,
);

/**
 * An event of a recurrence that moves no money (the service's public pages; not in its document). A charge that is paid is a
 * `payment`, with its event in `payload.recurrence`.
 */
export interface RecurrenceNotification extends ReadNotification {
  /** An event of a recurrence. */
  readonly kind: 'recurrence';
  /** The event. */
  readonly payload: RecurrencePayload;
}

export const CHARGE_PAID = 'RECURRENCE_CHARGE_PAID';

export const isEvent = ({ eventType, idRec }: Readonly<Record<string, unknown>>) =>
  (EVENT_TYPES as readonly unknown[]).includes(eventType) && typeof idRec === 'string' && idRec !== '';

/** The day of a date or a date-time. */
const dayOf = (date: string | null | undefined): string => (date ?? '').slice(0, 10);

const isOfCharge = (eventType: RecurrenceEventType) => eventType.startsWith('RECURRENCE_CHARGE_');

/** What the document shows of an event: nothing. */
export const notInTheDocument = { label: 'recurrence', flag: undefined, query: '' };

export const recurrence: DocumentedKind<RecurrenceNotification> = {
  ...notInTheDocument,
  kind: 'recurrence',
  // One of another `eventType` may be about money: it is `unrecognized`.
  match: (body) => isEvent(body) && body['eventType'] !== CHARGE_PAID,
  schema: recurrencePayloadSchema,
  subjectKind: 'recurrence',
  subject: ({ eventType, idRec, saleToken, chargeDueDate }) =>
    isOfCharge(eventType) ? `${idRec}/${saleToken ?? dayOf(chargeDueDate)}` : idRec,
  // A charge that fails again is reported again, perhaps with the same `saleToken`. A redelivery may have another time in its
  // `eventDate`: only the day counts.
  state: ({ eventType, chargeDueDate, eventDate, retryScheduled }) => [
    eventType,
    ...(isOfCharge(eventType) ? [dayOf(chargeDueDate)] : []),
    ...(eventType === 'RECURRENCE_CHARGE_FAILED' ? [dayOf(eventDate), String(retryScheduled ?? '')] : []),
  ],
  content: () => ({}),
  order: ({ externalId, saleToken }) => ({ uuid: saleToken, referenceCode: externalId }),
};

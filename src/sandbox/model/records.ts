import type { Credentials } from '../../service/credentials';
import type { BankDetails } from '../../service/fields';
import { type DocumentedNotification, documentedKinds } from '../../service/notifications';
import type { PayoutErrorCode } from '../../service/notifications/payout';
import type { CheckoutRequestShopper } from '../../service/operations/create-recurring-checkout';
import type { Inventions } from '../inventions';

/** A transaction as the model keeps it. What follows from it, such as the QR code, is made on request. */
export interface TransactionRecord {
  readonly id: number;
  readonly uuid: string;
  readonly saleCode: string;
  /** Empty for a charge's sale that has none: see `chargeReference` in the inventions. */
  readonly referenceCode: string;
  readonly currency: string;
  amount: number;
  /** Whether the payer pays at once, or only authorizes. */
  readonly immediatePayment: boolean;
  /** Where its recurrence stands. */
  recurrence: RecurrenceStatus;
  /** Left out of every list, and nothing is sent about it: a journey of `verify`. */
  isHidden: boolean;
  /** The scheduled payment, else the journey, that this sale charged, for a sale of its own. */
  readonly chargeOf: string | undefined;
  readonly recurrenceAmount: number;
  /** Whether each charge has a sum of its own, and the least that it may be. */
  readonly isVariable: boolean;
  readonly minimumAmount: number;
  readonly planId: string | undefined;
  /** First and last date of the recurrence, if the request has them. */
  readonly initialDate: string | undefined;
  readonly finalDate: string | undefined;
  readonly periodicity: string | undefined;
  readonly createdAt: number;
  /** Whether the request set its `maxAge`, so that its QR code expires. */
  readonly hasMaxAge: boolean;
  readonly expiresAt: number;
  readonly shopper: CheckoutRequestShopper;
  situation: 'PENDING' | 'CANCELLED' | 'PAID';
  readonly refunds: SandboxRefund[];
  readonly reversals: SandboxReversal[];
  readonly scheduledPayments: SandboxScheduledPayment[];
  /** What happened, the first first. */
  readonly events: JourneyEvent[];
}

/** One thing that happened to a journey, for its story on the page. */
export interface JourneyEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly what:
    | 'created'
    | 'paid'
    | 'authorized'
    | 'cancelled'
    | 'refunded'
    | 'reversal-PENDING'
    | 'reversal-PAID'
    | 'reversal-CANCELLED'
    | 'payment-PAID'
    | 'payment-RETRY'
    | 'payment-FAILED'
    | 'payment-CANCELLED'
    | `recurrence-${RecurrenceEnd}`;
  /** In the currency's main unit. */
  readonly amount?: number;
  /** A due date, or a reason. */
  readonly detail?: string | undefined;
}

/** How a recurrence ends (the service's public pages; not in its document). */
export type RecurrenceEnd = 'REJECTED' | 'EXPIRED' | 'CANCELLED' | 'CONCLUDED';

/** Where a recurrence stands (the service's public pages; not in its document). */
export type RecurrenceStatus = 'CREATED' | 'APPROVED' | RecurrenceEnd;

/** One payment of a recurrence. The document shows only its instruction id; the service's public pages show the rest. */
export interface SandboxScheduledPayment {
  /** Its number. */
  readonly id: number;
  /** The id to pass to `cancelScheduledPayment`. */
  readonly instructionId: string;
  /** The journey it belongs to. */
  readonly transactionUUID: string;
  /** `yyyy-MM-dd`. */
  readonly dueDate: string;
  /** When it was scheduled: `yyyy-MM-dd HH:mm:ss`. */
  readonly creation: string;
  /** In the currency's main unit: what was charged, once it was tried with another sum. */
  amount: number;
  /** `SCHEDULED` until it is charged, fails for good or is cancelled. */
  status: 'SCHEDULED' | 'PAID' | 'FAILED' | 'CANCELLED';
  /** The reason given, once it is `CANCELLED`. */
  cancellationReason?: string;
  /** The UUID of the sale of its last try. With `recurrenceEvents: 'none'` of the inventions, a charge has none. */
  saleUUID?: string;
  /** Each time that it was charged, the first first. */
  readonly tries: readonly SandboxChargeTry[];
}

/** One time that a scheduled payment was charged (the service's public pages; not in its document). */
export interface SandboxChargeTry {
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly date: string;
  /** How it went. */
  readonly status: 'PAID' | 'FAILED';
  /** Why it failed: a code of the central bank, such as `AM04`. */
  readonly code?: string | undefined;
  /** Of one that failed: whether the service tries again by itself. */
  readonly willRetry?: boolean | undefined;
  /** The UUID of its sale. */
  readonly saleUUID?: string | undefined;
}

/** A refund; it is credited at once. */
export interface SandboxRefund {
  /** Refund transaction id. */
  readonly id: number;
  /** Refund transaction UUID: each partial refund has its own. */
  readonly uuid: string;
  /** The transaction that is refunded. */
  readonly transactionUUID: string;
  /** Amount of this refund, in the currency's main unit. */
  readonly amount: number;
  /** Why it was refunded. */
  readonly reason: string;
  /** Receipt, as in the notification. */
  readonly receipt: string | null;
  /** The payer's account. */
  readonly bankDetails: BankDetails;
  /** A refund is credited at once. */
  readonly status: 'PAID';
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly creation: string;
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly creditDate: string;
}

/** A return of funds to the payer. */
export interface SandboxReversal {
  /** Reversal id. */
  readonly id: number;
  /** Reversal UUID, which all its notifications have. */
  readonly uuid: string;
  /** The transaction whose funds go back. */
  readonly transactionUUID: string;
  /** Amount that goes back, in the currency's main unit. */
  readonly amount: number;
  /** Why the funds go back. */
  readonly reason: string;
  /** The account that receives the funds. */
  readonly bankDetails: BankDetails;
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly creation: string;
  /** `PENDING` at the start, `PAID` or `CANCELLED` at the end (document section 3). */
  status: 'PENDING' | 'PAID' | 'CANCELLED';
  /** `null` until it is `PAID`. */
  receipt: string | null;
}

/** A payout, made or failed. */
export interface SandboxPayout {
  /** Payout id. */
  readonly id: number;
  /** Payout UUID. */
  readonly uuid: string;
  /** ISO 4217 code. */
  readonly currency: string;
  /** In the currency's main unit. */
  readonly amount: number;
  /** Your reference, if you gave one. */
  readonly referenceCode: string | undefined;
  /** The account that the money goes to. */
  readonly bankDetails: BankDetails;
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly creation: string;
  /** Whether it was made. */
  readonly success: boolean;
  /** `PAID` when it was made; else the value of `failedPayoutStatus` in the inventions. */
  readonly status: 'PAID' | 'PENDING' | 'FAILED';
  /** Why it failed (document section 7.1). */
  readonly errorCode: PayoutErrorCode | undefined;
  /** `success`, the meaning of the code, or the code with the bank's reason. */
  readonly message: string;
  /** Receipt of a payout that was made. */
  readonly receipt: string | undefined;
}

/** A notification to the merchant's listener. */
export interface SandboxNotification {
  /** The journey that it is about, if it is about one. */
  readonly transactionUUID?: string | undefined;
  /** The kind of notification; `custom` for one sent with `notify`. */
  readonly kind: DocumentedNotification['kind'] | 'custom';
  /** The flags that go into the query of the listener's URL, such as `refund=true&type=refund`. */
  readonly query: string;
  /** The body. */
  readonly payload: object;
}

/** The query flags of each kind. Those of a failed payout are in the table of inventions. */
export const queryFlags = Object.fromEntries([
  ...documentedKinds.map(({ kind, query }) => [kind, query]),
  ['custom', ''],
]) as Readonly<Record<SandboxNotification['kind'], string>>;

/** The state of all operations. Lookups go by id, so that the ten-thousandth journey is as fast as the first. */
export interface ServiceState {
  readonly credentials: Credentials;
  /** Where the images of QR codes are served. */
  readonly baseUrl: string;
  readonly inventions: Inventions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly ids: IdSource;
  /** Called with each notification that a move sends. Returns whether there is a listener to send it to. */
  readonly notify: (notification: SandboxNotification) => void;
  readonly transactions: Map<string, TransactionRecord>;
  readonly referenceCodes: Set<string>;
  readonly scheduledPayments: Map<string, SandboxScheduledPayment>;
  readonly reversals: Map<string, SandboxReversal>;
  /** Grows with everything that happens, so that the page knows when to ask again. */
  revision: number;
}

/** Adds to the story of a journey, and sends the notification of what happened. */
export function happened(
  state: ServiceState,
  { events }: TransactionRecord,
  what: JourneyEvent['what'],
  details: Pick<JourneyEvent, 'amount' | 'detail'> = {},
  notification?: SandboxNotification,
): void {
  const at = state.now();
  if (notification !== undefined) state.notify(notification);
  events.push({ at, what, ...details });
  state.revision++;
}

const LAST_PRINTABLE = Date.UTC(9999, 11, 31, 23, 59, 59);

/** A date-time as the service writes it: `yyyy-MM-dd HH:mm:ss`, no zone (document section 2). */
export function dateTime({ inventions }: ServiceState, time: number): string {
  const local = printable(time + inventions.utcOffsetMinutes * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** A `maxAge` of 1e12 minutes is a valid number, but it ends later than a `Date` can express. */
export function printable(time: number): Date {
  return new Date(Math.min(time, LAST_PRINTABLE));
}

/** Where the model takes its ids from. */
export interface IdSource {
  /** The next numeric id. */
  number(): number;
  /** The next UUID. */
  uuid(): string;
}

/** Random UUIDs, and ids that count up. */
export function randomIds(): IdSource {
  let last = 1_000_000;
  return {
    number: () => ++last,
    uuid: () => crypto.randomUUID(),
  };
}

/** The same ids and UUIDs each time, for tests that compare bytes. */
export function sequentialIds(): IdSource {
  let lastNumber = 1_000_000;
  let lastUuid = 0;
  return {
    number: () => ++lastNumber,
    uuid: () => `00000000-0000-4000-8000-${String(++lastUuid).padStart(12, '0')}`,
  };
}

/** A control call that the sandbox cannot carry out, such as a refund of an unpaid transaction. */
export class SandboxError extends Error {
  static {
    Object.defineProperty(SandboxError.prototype, 'name', { value: 'SandboxError' });
  }

  /** `'unknown'`: no such id or name. `'not-allowed'`: not in the current state. `'invalid'`: a wrong argument. */
  readonly code: 'unknown' | 'not-allowed' | 'invalid';

  /** The message in Portuguese, for the sandbox's page. */
  readonly portuguese: string;

  /** Only the sandbox creates one. */
  constructor(code: SandboxError['code'], message: string, portuguese: string = message) {
    super(message);
    this.code = code;
    this.portuguese = portuguese;
  }
}

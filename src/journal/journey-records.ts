import type { QrCode } from '../service/operations/create-recurring-checkout';

/**
 * What became of an attempt to give an order its journey.
 *
 * - `'sending'`: the intent is recorded, and the call is on its way
 * - `'created'`: the order's journey, whose QR code may be shown
 * - `'closed'`: it was the order's journey, and can no longer be paid
 * - `'refused'`: the service did not act, so there is no journey
 * - `'lost'`: there may be a journey, or there is one (`uuid`), and nobody has seen its QR code
 * - `'surplus'`: there is a journey beside the order's, and nobody has seen its QR code
 */
export type JourneyState = 'sending' | 'created' | 'closed' | 'refused' | 'lost' | 'surplus';

/** One attempt to give an order its journey, as it is kept. It holds no personal data. */
export interface JourneyRecord {
  /** Your key of the order. */
  readonly orderKey: string;
  /** 1 for the order's first attempt. */
  readonly attempt: number;
  /** What the service knows the attempt by; unique. */
  readonly referenceCode: string;
  /** What became of the attempt. */
  readonly state: JourneyState;
  /** Changes with every change of the record. */
  readonly token: string;
  /** The hash of each field that is about money, by its path. */
  readonly money: Readonly<Record<string, string>>;
  /** The transaction's uuid, once it is known. */
  readonly uuid?: string | undefined;
  /** The QR code as it came, once it is known. */
  readonly qrCode?: QrCode | undefined;
  /** When the intent was recorded. Times are milliseconds since 1970, by the clock of the records. */
  readonly startedAt: number;
  /** Until when the call may be on its way. */
  readonly leaseUntil: number;
  /** When the record was changed last. */
  readonly changedAt: number;
}

/** What `read` gives. */
export interface OrderReading {
  /** Milliseconds since 1970, by the clock of the records. */
  readonly now: number;
  /** The attempts of the order. */
  readonly attempts: readonly JourneyRecord[];
}

/**
 * Keeps the attempts, for processes that share them. Every method acts outside any transaction: what `insert` and
 * `update` have done is there for everybody when they resolve.
 *
 * No method says whether it changed something: the journal reads again, and decides from what is there. So a write whose
 * answer was lost needs no care.
 */
export interface JourneyRecords {
  /** The attempts of an order, and the time by the clock of the records. */
  read(orderKey: string): Promise<OrderReading>;

  /**
   * Adds an attempt, in the state `'sending'`. Does nothing if the order has an attempt with this number, if an attempt
   * of any order has this reference, or if one of this order is `'sending'` or `'created'`.
   */
  insert(record: JourneyRecord): Promise<void>;

  /**
   * Replaces state, token, uuid, QR code and `changedAt` of an attempt whose token is still `token`. Does nothing, or
   * rejects, if the order would then have two attempts that are `'sending'` or `'created'`.
   */
  update(record: JourneyRecord, token: string): Promise<void>;

  /** The attempt with this uuid, or with this reference; the newest, if there are several. */
  find(
    by: { readonly uuid: string } | { readonly referenceCode: string },
  ): Promise<JourneyRecord | undefined>;
}

/** Whether the attempt is the one that an order may have at a time. */
export function isOpen({ state }: JourneyRecord): boolean {
  return state === 'sending' || state === 'created';
}

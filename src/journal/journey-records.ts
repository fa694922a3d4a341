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

/** Attempts in this process's memory, for tests: a restart forgets them, and another process does not see them. */
export class MemoryJourneyRecords implements JourneyRecords {
  readonly #records: JourneyRecord[] = [];
  readonly #clock: () => number;

  /**
   * Begins without any attempt.
   *
   * @param options - `clock`: milliseconds since 1970, for tests
   */
  constructor({ clock = Date.now }: { readonly clock?: (() => number) | undefined } = {}) {
    this.#clock = clock;
  }

  async read(orderKey: string): Promise<OrderReading> {
    return { now: this.#clock(), attempts: this.#of(orderKey) };
  }

  async insert(record: JourneyRecord) {
    const same = this.#of(record.orderKey);
    const isTaken =
      same.some((each) => each.attempt === record.attempt || isOpen(each)) ||
      this.#records.some((each) => each.referenceCode === record.referenceCode);
    if (!isTaken) this.#records.push(record);
  }

  async update(record: JourneyRecord, token: string) {
    const { orderKey, attempt } = record;
    const index = this.#records.findIndex((each) => each.orderKey === orderKey && each.attempt === attempt);
    if (this.#records[index]?.token !== token) return;
    if (isOpen(record) && this.#of(orderKey).some((each) => each.attempt !== attempt && isOpen(each))) return;
    this.#records[index] = record;
  }

  async find(by: { readonly uuid: string } | { readonly referenceCode: string }) {
    return this.#records.findLast((each) =>
      'uuid' in by ? each.uuid === by.uuid : each.referenceCode === by.referenceCode,
    );
  }

  #of(orderKey: string): JourneyRecord[] {
    return this.#records.filter((each) => each.orderKey === orderKey);
  }
}

// What the oracle remembers. All of it is plain data, so that a reading of the design can be tried and taken back.

export interface Money {
  readonly currency: string;
  readonly amount?: number | undefined;
  readonly recurring?: number | undefined;
  readonly isImmediate: boolean;
  /** Of a recurrence whose sum varies. */
  readonly least?: number | undefined;
}

export interface Attempt {
  readonly reference: string;
  readonly uuid: string;
  readonly money: Money;
  readonly expiresAt: number | undefined;
  state: 'created' | 'expired' | 'authorized' | 'closed' | 'paid';
  /** Its recurrence has ended: the next `open` asks about it, as about one whose time is over. */
  isOver?: boolean;
  /** The service need not be asked about it: its transaction is cancelled, or a person has dismissed it. */
  isAnswered?: boolean;
}

export interface Payment {
  readonly sale: string;
  readonly amount: number;
  readonly currency: string;
}

export interface Return {
  readonly id: string;
  readonly sale: string;
  amount: number | undefined;
  status: string;
  /** When the confirmation told of it. */
  at?: number;
  /** Known from the confirmation alone: `returned` has not run. */
  isUntold?: boolean;
}

export interface Recurrence {
  readonly idRec: string;
  /** Of its attempt, if that is known. */
  readonly reference: string | undefined;
  end?: string;
  /** Why it is not the order's, and the event that is the case about it. */
  refused?: { readonly reason: string; readonly id: string };
  /** The charge that was paid last. */
  paid?: { readonly dueDate: string | undefined; readonly date: string | undefined };
}

export interface Order {
  readonly key: string;
  attempts: Attempt[];
  newest?: Money;
  payments: Payment[];
  returns: Return[];
  recurrences: Recurrence[];
  /** Sales that lead to the order besides its attempts' and its payments': what was own money, or was dismissed. */
  known: string[];
  /** Own money that a person has to decide on. */
  review: { id: string; reason: string; sale: string; amount: number | undefined }[];
}

export interface Case {
  readonly id: string;
  reason: string;
  readonly kind: string;
  order?: string | undefined;
  sale?: string | undefined;
  amount?: number | undefined;
  /** The notification, to decide it again. */
  note?: unknown;
  since: number;
}

/** A state of a subject that is done. */
export interface Done {
  at: number;
  content: Readonly<Record<string, unknown>>;
  /** The whole body. */
  body?: string | undefined;
  /** Not by a delivery: the next one is an ordinary repeat at any age. */
  isSettled?: boolean;
  /** Dismissed as not confirmed: it is decided again once the service confirms it. */
  isUnconfirmed?: boolean;
  how: 'acted' | 'foreign' | 'dismissed' | 'booked';
}

export interface State {
  now: number;
  orders: Record<string, Order>;
  done: Record<string, Done>;
  cases: Record<string, Case>;
  /** By `idRec`: the order that its first event led to. */
  recurrences: Record<string, string>;
  /** Cases that were decided, with how. */
  decided: Record<
    string,
    {
      status: 'booked' | 'dismissed';
      kind: string;
      order?: string | undefined;
      sale?: string | undefined;
      amount?: number | undefined;
      note?: unknown;
    }
  >;
  sawEvent: boolean;
  /** When the service has listed its charges last. */
  listedAt?: number;
  /** It does not have the calls of its public pages. */
  hasNoCalls?: boolean;
}

export function newState(keys: readonly string[], now: number): State {
  const orders = Object.fromEntries(
    keys.map((key): [string, Order] => [
      key,
      { key, attempts: [], payments: [], returns: [], recurrences: [], known: [], review: [] },
    ]),
  );
  return { now, orders, done: {}, cases: {}, recurrences: {}, decided: {}, sawEvent: false };
}

import type { QrCode } from '../service/operations/create-recurring-checkout';
import type { AttemptState } from '../webhooks/order-link';

/** One attempt to give an order its journey, as it is recorded. It holds no personal data. */
export interface Attempt {
  /** 1 for the order's first attempt. */
  readonly attempt: number;
  /** What the service knows the attempt by; no other attempt has it. */
  readonly referenceCode: string;
  readonly state: AttemptState;
  /** Of the `open` that began it. */
  readonly token: string;
  /** The hash of each field that is about money, by its path. */
  readonly money: Readonly<Record<string, string>>;
  /** The transaction's uuid, once it is known. */
  readonly uuid?: string | undefined;
  /** The QR code as it came, while the state is `'created'`. */
  readonly qrCode?: QrCode | undefined;
  /** When the intent was recorded. Times are milliseconds since 1970, by the database's clock. */
  readonly startedAt: number;
  /** Until when the call may be on its way. */
  readonly leaseUntil: number;
  /** When the attempt changed last. */
  readonly changedAt: number;
}

/** An order, as it is recorded: one record, so that two open attempts cannot be written. */
export interface Order {
  readonly key: string;
  readonly attempts: readonly Attempt[];
  /** The attempt that was paid first. */
  readonly paidBy?: number | undefined;
}

/** What one `open` knows besides the record. */
export interface Opening {
  /** The token of the attempt that this `open` begins. */
  readonly token: string;
  /** The hash of each field of its request that is about money. */
  readonly money: Readonly<Record<string, string>>;
  /** The attempt that this `open` has sent, and what came of it. */
  readonly sent?: { readonly attempt: number; readonly result: CallResult } | undefined;
}

/** What came of a call: a journey with its QR code, or an error. */
export type CallResult =
  | { readonly uuid: string; readonly qrCode: QrCode }
  | { readonly error: unknown; readonly refused: boolean; readonly uuid?: string | undefined };

/** What `open` does next. After `change`, `begin`, `send` and `wait` it reads the record again. */
export type Step =
  | { readonly do: 'give'; readonly attempt: Attempt }
  | { readonly do: 'throw'; readonly error: unknown }
  | { readonly do: 'conflict'; readonly paths: readonly string[]; readonly attempt: Attempt }
  | { readonly do: 'send'; readonly attempt: Attempt }
  | { readonly do: 'wait' }
  | { readonly do: 'change'; readonly attempt: Attempt }
  | { readonly do: 'begin'; readonly attempt: number };

/** How far a clock may have been set back, or the clocks of a cluster differ, before a lease counts as over. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** Decides from the attempts of an order, the time, and what this `open` knows. */
export function nextStep(attempts: readonly Attempt[], now: number, opening: Opening): Step {
  const { sent } = opening;
  if (sent !== undefined) {
    const attempt = attempts.find((each) => each.attempt === sent.attempt);
    const changed = attempt && afterCall(attempt, sent.result, attempts, now);
    if (changed !== undefined) return { do: 'change', attempt: changed };
    if ('error' in sent.result) return { do: 'throw', error: sent.result.error };
  }

  const paid = attempts.find(({ state }) => state === 'paid');
  const review = attempts.find(({ state }) => state === 'review');
  const open = attempts.find(isOpen);
  const current = paid ?? open;
  if (current === open && open?.state === 'sending' && isOver(open, now)) {
    return { do: 'change', attempt: { ...open, state: 'lost', changedAt: now } };
  }
  if (current !== undefined) {
    const paths = differences(current.money, opening.money);
    if (paths.length > 0) return { do: 'conflict', paths, attempt: current };
  }
  if (paid !== undefined) return { do: 'give', attempt: paid };
  // The payer may have paid it: until a person has looked, no other QR code is shown.
  if (review !== undefined) return { do: 'give', attempt: review };
  if (open === undefined)
    return { do: 'begin', attempt: 1 + Math.max(0, ...attempts.map((each) => each.attempt)) };
  if (open.state === 'created') return { do: 'give', attempt: open };
  return open.token === opening.token ? { do: 'send', attempt: open } : { do: 'wait' };
}

/** What its own call's result makes of an attempt; `undefined` if it changes nothing. */
function afterCall(
  attempt: Attempt,
  result: CallResult,
  attempts: readonly Attempt[],
  now: number,
): Attempt | undefined {
  const { state } = attempt;
  const uuid = attempt.uuid ?? result.uuid;
  if ('qrCode' in result) {
    const isFree = !attempts.some((each) => each !== attempt && (isOpen(each) || each.state === 'paid'));
    if (state === 'sending' || (state === 'lost' && isFree)) {
      return { ...attempt, state: 'created', uuid, qrCode: result.qrCode, changedAt: now };
    }
  } else if (state === 'sending') {
    return { ...attempt, state: result.refused ? 'refused' : 'lost', uuid, changedAt: now };
  }
  // Others have decided about it meanwhile. Its uuid is still worth keeping, for `find` and `reconcile`.
  return uuid === attempt.uuid ? undefined : { ...attempt, uuid, changedAt: now };
}

/** Whether the attempt is the one that an order may have at a time. */
function isOpen({ state }: Attempt): boolean {
  return state === 'sending' || state === 'created';
}

function isOver({ leaseUntil, startedAt }: Attempt, now: number): boolean {
  return now >= leaseUntil || now < startedAt - CLOCK_TOLERANCE_MS;
}

/** Another release of the library may hash other fields: a field that only one side has is no difference. */
function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  return Object.keys(after).filter((path) => path in before && before[path] !== after[path]);
}

/** The order after this attempt's payment was acted on; the same order if that is recorded already. */
export function afterPayment(order: Order, number: number, uuid: string, now: number): Order {
  const paid = order.attempts.find(({ attempt }) => attempt === number);
  if (paid === undefined || paid.state === 'paid') return order;
  const { qrCode: _, ...kept } = paid;
  return {
    ...withAttempt(order, { ...kept, state: 'paid', uuid: paid.uuid ?? uuid, changedAt: now }),
    paidBy: order.paidBy ?? number,
  };
}

/** The order with this attempt put in a state in which no QR code is kept, if it may go there; else the same order. */
export function moved(order: Order, number: number, to: 'closed' | 'review', now: number): Order {
  const from = order.attempts.find(({ attempt }) => attempt === number);
  if (from === undefined || !MOVES[to].includes(from.state)) return order;
  const { qrCode: _, ...kept } = from;
  return withAttempt(order, { ...kept, state: to, changedAt: now });
}

const MOVES: Readonly<Record<'closed' | 'review', readonly AttemptState[]>> = {
  closed: ['created', 'lost', 'review'],
  review: ['created', 'closed', 'lost'],
};

/** The order with one attempt added or replaced. */
export function withAttempt(order: Order, attempt: Attempt): Order {
  const others = order.attempts.filter((each) => each.attempt !== attempt.attempt);
  return { ...order, attempts: [...others, attempt].sort((a, b) => a.attempt - b.attempt) };
}

/** Whether the attempt may have been paid although no payment was acted on: `reconcile` asks the service about it. */
export function isAskable({ state, uuid }: Attempt): boolean {
  return uuid !== undefined && (state === 'created' || state === 'closed' || state === 'lost');
}

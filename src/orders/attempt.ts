import type { QrCode } from '../service/operations/create-recurring-checkout';
import { DAY_MS, MINUTE_MS } from '../shared/time';
import { isSameId } from '../shared/uuid';
import { liveOf, type Recurrence } from './recurrences';

/**
 * What became of an attempt to give an order its journey.
 *
 * - `'sending'`: the intent is recorded, and the call is on its way
 * - `'created'`: the order's journey, whose QR code may be shown
 * - `'authorized'`: the payer has approved its recurrence, and nothing is paid (the service's public pages; not in its document)
 * - `'expired'`: its QR code is over, `open` with `replace` made room for another one, or its recurrence has ended unpaid
 * - `'lost'`: it may exist, and nobody has seen its QR code
 * - `'closed'`: it is no longer wanted, or the service has cancelled it
 * - `'paid'`: it paid the order
 */
export type AttemptState = 'sending' | 'created' | 'authorized' | 'expired' | 'lost' | 'closed' | 'paid';

/** The hash of each field of a request that is about money, by its path. */
export type Money = Readonly<Record<string, string>>;

/** One attempt to give an order its journey, as it is recorded. It holds no personal data. */
export interface Attempt {
  /** 1 for the order's first attempt. */
  readonly attempt: number;
  /** What the service knows the attempt by; no other attempt has it. */
  readonly referenceCode: string;
  readonly state: AttemptState;
  /** Of the `open` that began it. */
  readonly token: string;
  readonly money: Money;
  /** The currency of the request, for amounts that come without one. */
  readonly currency: string;
  /** Set if each charge has a sum of its own; the least that it may be, in the main unit, if the request says it. */
  readonly variable?: { readonly minimum?: number | undefined } | undefined;
  /** The transaction's uuid, once it is known. */
  readonly uuid?: string | undefined;
  /** The QR code as it came, while the state is `'created'`. */
  readonly qrCode?: QrCode | undefined;
  /** When its QR code dies, if the request had a `maxAge`: as long after its call was begun. */
  readonly expiresAt?: number | undefined;
  /** Until when its QR code counts as alive, so that no second one is shown beside it; not after its recurrence has ended. */
  readonly aliveUntil?: number | undefined;
  /** The service need not be asked about it: it has cancelled it, or its money is a case for a person. */
  readonly isAnswered?: true | undefined;
  /** The open cases about its own money, which the service has confirmed or `paid` has failed on. */
  readonly review?: readonly OwnCase[] | undefined;
  /** When the service has said last that it does not know the transaction: it is asked again a day later. */
  readonly unknownAt?: number | undefined;
  /** When the intent was recorded. Times are milliseconds since 1970, by the database's clock. */
  readonly startedAt: number;
  /** Until when the call may be on its way. */
  readonly leaseUntil: number;
  /** When the attempt changed last. */
  readonly changedAt: number;
}

/** A payment that was booked: `paid` has run for its sale. */
export interface BookedPayment {
  /** The uuid of its transaction. */
  readonly sale: string;
  /** The attempt that it paid; missing for a later charge, and for what a person has booked beside it. */
  readonly attempt?: number | undefined;
  /** In the currency's main unit. */
  readonly amount: number;
  /** An ISO 4217 code. */
  readonly currency: string;
  /** When it was booked, in milliseconds since 1970, by the database's clock. */
  readonly at: number;
}

/** Money of a payment that went back, or is on its way. */
export interface ReturnedMoney {
  /** Its uuid, whether it was told as a refund or as a reversal. */
  readonly id: string;
  /** The uuid of the transaction whose money it is. */
  readonly sale: string;
  /** In the currency's main unit; missing if the service has not said it yet. */
  readonly amount?: number | undefined;
  /** `PAID` once it is credited; `PENDING` or `CANCELLED` of a reversal. */
  readonly status: string;
  /** When it was recorded, in milliseconds since 1970, by the database's clock. */
  readonly at: number;
}

/** How a return may be told. */
export type ReturnKind = 'refund' | 'reversal';

/** A return, as its order remembers it. */
export interface Return extends ReturnedMoney {
  /** The service has told of it beside the payment, and its own notification has not come. */
  readonly isUntold?: true | undefined;
  /** The kind of the notification that it was recorded for: one return may be told as both. */
  readonly by?: ReturnKind | undefined;
}

/** A case of an order; `orders.cases()` has the rest of it while it is open. */
export interface FoundCase {
  /** For `orders.decide`: the key of its notification. */
  readonly id: string;
  /** Why it is one. */
  readonly reason: string;
  /** The uuid of the transaction that it is about. */
  readonly sale?: string | undefined;
  /** How much it is, in the currency's main unit, if that is known. */
  readonly amount?: number | undefined;
  /** When it became one, or was dismissed, in milliseconds since 1970, by the database's clock. */
  readonly at: number;
}

/** A case about an attempt's own money, as the attempt remembers it: its letter may be over before it is decided. */
export interface OwnCase extends FoundCase {
  readonly sale: string;
}

/** An order, as it is recorded: one record, so that two open attempts cannot be written. */
export interface Order {
  readonly key: string;
  readonly attempts: readonly Attempt[];
  /** How many attempts were begun, dropped ones included: no number is used again. */
  readonly begunAttempts?: number | undefined;
  /** The last number that a reference ended in: no reference is used again. */
  readonly lastReference?: number | undefined;
  /** The money of the newest request, whether or not its attempt is kept. */
  readonly newest?: Money | undefined;
  /** The newest ones, oldest first. */
  readonly payments: readonly BookedPayment[];
  /** The newest ones, oldest first. */
  readonly returns: readonly Return[];
  /** What its payer was asked to approve, in the order in which it was told of first: 20 at most. */
  readonly recurrences?: readonly Recurrence[] | undefined;
  /** What was credited of each sale by returns that are not in the list any more, in the main unit. */
  readonly forgotten?: Readonly<Record<string, number>> | undefined;
  /** Returns whose sale is not booked yet, for the delivery that books it. */
  readonly early?: readonly { readonly sale: string; readonly key: string }[] | undefined;
  /** What a person has dismissed: the newest ones, oldest first. */
  readonly dismissed?: readonly FoundCase[] | undefined;
  /** Without a transaction: what the first `paid` runs for. Asked about until it ends: its process may have died. */
  readonly begun?: Begun | undefined;
  /** When all of its pointers were written last. */
  readonly pointedAt?: number | undefined;
}

/** A first payment that is being booked. */
export interface Begun {
  /** The key of its notification. */
  readonly key: string;
  readonly sale: string;
  readonly at: number;
}

/** What one `open` knows besides the record. */
export interface Opening {
  /** The token of the attempt that this `open` begins. */
  readonly token: string;
  /** The hashes of its request. */
  readonly money: Money;
  /** The request's `maxAge`, in milliseconds. */
  readonly maxAgeMs?: number | undefined;
  /** Whether a journey for a different amount makes room. */
  readonly replace?: boolean | undefined;
  /** The attempt that the service was asked about, and whether it is paid. */
  readonly asked?: { readonly attempt: number; readonly isPaid: boolean } | undefined;
  /** The attempt that this `open` has sent, and what came of it. */
  readonly sent?: { readonly attempt: number; readonly result: CallResult } | undefined;
}

/** What came of a call: a journey with its QR code, or an error. */
export type CallResult =
  | { readonly uuid: string; readonly qrCode: QrCode }
  | { readonly error: unknown; readonly refused: boolean; readonly uuid?: string | undefined };

/** What `open` does next. After `change`, `begin`, `ask`, `send` and `wait` it reads the record again. */
export type Step =
  | { readonly do: 'give'; readonly attempt: Attempt }
  /** The payer has approved a recurrence: another QR code would be a second one. */
  | {
      readonly do: 'authorized';
      readonly attempt: Attempt | undefined;
      readonly nextChargeAt: string | undefined;
    }
  | { readonly do: 'paid'; readonly attempt: Attempt | undefined }
  | { readonly do: 'review'; readonly attempt: Attempt | undefined }
  | { readonly do: 'throw'; readonly error: unknown }
  | {
      readonly do: 'conflict';
      readonly paths: readonly string[];
      readonly attempt: Attempt | undefined;
      readonly state: 'open' | 'authorized' | 'paid';
    }
  | { readonly do: 'ask'; readonly attempt: Attempt }
  | { readonly do: 'send'; readonly attempt: Attempt }
  | { readonly do: 'wait' }
  | { readonly do: 'change'; readonly order: Order }
  /** `order` has room for it. */
  | { readonly do: 'begin'; readonly attempt: number; readonly order: Order }
  /** Its own attempt was closed, or its recurrence has ended, while the call was on its way. */
  | { readonly do: 'closed'; readonly uuid: string }
  | { readonly do: 'full' };

/** How far a clock may have been set back, or the clocks of a cluster differ, before a lease counts as over. */
export const CLOCK_TOLERANCE_MS = MINUTE_MS;
/** How long after the end of its `maxAge` a QR code still counts as alive. */
const EXPIRY_MARGIN_MS = MINUTE_MS;
/** How long an attempt is asked about after its last change, and is never dropped. */
export const ASKED_FOR_MS = 40 * DAY_MS;
/** How many attempts an order remembers. */
const MAX_ATTEMPTS = 50;

/** Decides from the order, the time, and what this `open` knows. */
export function nextStep(order: Order, now: number, opening: Opening): Step {
  const { attempts } = order;
  const { sent } = opening;
  // The journey that this `open` has made.
  let made: string | undefined;
  if (sent !== undefined) {
    const attempt = attempts.find((each) => each.attempt === sent.attempt);
    const changed = attempt && afterCall(order, attempt, sent.result, now, opening.maxAgeMs);
    if (changed !== undefined) return { do: 'change', order: changed };
    if ('error' in sent.result) return { do: 'throw', error: sent.result.error };
    made = sent.result.uuid;
    if (attempt?.state === 'closed') return { do: 'closed', uuid: made };
  }

  const open = attempts.find(isOpen);
  if (isPaid(order)) {
    const attempt = attemptIn(order, 'paid') ?? attempts.at(-1);
    return conflict(attempt, opening, 'paid') ?? { do: 'paid', attempt };
  }
  // The payer may have paid it: until a person has looked, no other QR code is shown.
  if (isInReview(order)) return { do: 'review', attempt: inReview(order) };
  if (isAuthorized(order)) return authorized(order, opening);
  if (open === undefined) {
    // One `open` never makes a second journey: what keeps it from being shown may end the next one too.
    return made === undefined ? begin(order, now) : { do: 'closed', uuid: made };
  }
  if (open.state === 'sending' && isLeaseOver(open, now)) {
    return { do: 'change', order: withAttempt(order, { ...open, state: 'lost', changedAt: now }) };
  }
  const inTheWay = conflict(open, opening, 'open');
  if (inTheWay !== undefined && opening.replace !== true) return inTheWay;
  if (open.state === 'sending') {
    return open.token === opening.token ? { do: 'send', attempt: open } : { do: 'wait' };
  }
  if (inTheWay === undefined && (open.aliveUntil === undefined || now < open.aliveUntil)) {
    return { do: 'give', attempt: open };
  }
  // Its payment may be on its way, or the notification lost: no second QR code for what is paid.
  const { asked } = opening;
  if (asked?.attempt !== open.attempt) return { do: 'ask', attempt: open };
  if (asked.isPaid) return { do: 'review', attempt: open };
  return { do: 'change', order: moved(order, open, 'expired', now) };
}

/** Whether the payer has approved a recurrence of the order that has not ended. */
export function isAuthorized(order: Order): boolean {
  return attemptIn(order, 'authorized') !== undefined || liveOf(order).length > 0;
}

/** For the same money it is the order's; for other money it stands in the way, whatever the clock or `replace` say. */
function authorized(order: Order, opening: Opening): Step {
  const [first] = liveOf(order);
  const attempt =
    attemptIn(order, 'authorized') ?? order.attempts.find((each) => each.attempt === first?.attempt);
  return (
    conflict(attempt, opening, 'authorized') ?? {
      do: 'authorized',
      attempt,
      nextChargeAt: first?.nextChargeAt,
    }
  );
}

/** What stands in the way if an attempt is for other money than this `open` asks for. */
function conflict(
  attempt: Attempt | undefined,
  { money }: Opening,
  state: 'open' | 'authorized' | 'paid',
): Step | undefined {
  const paths = attempt === undefined ? [] : differences(attempt.money, money);
  return paths.length > 0 ? { do: 'conflict', paths, attempt, state } : undefined;
}

/** Begins an attempt, if the order has room for one. */
function begin(order: Order, now: number): Step {
  const { attempts } = order;
  const attempt = 1 + Math.max(order.begunAttempts ?? 0, attempts.at(-1)?.attempt ?? 0);
  if (attempts.length < MAX_ATTEMPTS) return { do: 'begin', attempt, order };
  const oldest = attempts.find((each) => mayBeDropped(each, now));
  if (oldest === undefined) return { do: 'full' };
  return { do: 'begin', attempt, order: { ...order, attempts: attempts.filter((each) => each !== oldest) } };
}

/** What may still be paid, and is found by its uuid, is never dropped. */
function mayBeDropped({ state, uuid, changedAt, review }: Attempt, now: number): boolean {
  return state !== 'paid' && review === undefined && (uuid === undefined || changedAt < now - ASKED_FOR_MS);
}

/** What its own call's result makes of an attempt; `undefined` if it changes nothing. */
function afterCall(
  order: Order,
  attempt: Attempt,
  result: CallResult,
  now: number,
  maxAgeMs: number | undefined,
): Order | undefined {
  const { state } = attempt;
  const uuid = attempt.uuid ?? result.uuid;
  if ('qrCode' in result) {
    const isOther = order.attempts.some((each) => each !== attempt && isOpen(each));
    const isFree = !isPaid(order) && !isAuthorized(order) && !isOther;
    if (state === 'sending' || (state === 'lost' && isFree)) {
      const { qrCode } = result;
      // When in its call the service has begun to count is not known: neither too late for the payer, nor too early for us.
      const life = maxAgeMs !== undefined && {
        expiresAt: attempt.startedAt + maxAgeMs,
        aliveUntil: now + maxAgeMs + EXPIRY_MARGIN_MS,
      };
      return withAttempt(order, { ...attempt, state: 'created', uuid, qrCode, ...life, changedAt: now });
    }
  } else if (state === 'sending') {
    // There is no journey, and its reference is never used again: nothing is left to remember.
    if (result.refused && uuid === undefined) return withoutAttempt(order, attempt);
    return withAttempt(order, { ...attempt, state: 'lost', uuid, changedAt: now });
  }
  // Others have decided about it meanwhile. Its uuid is still worth keeping, for `find` and `reconcile`.
  return uuid === attempt.uuid ? undefined : withAttempt(order, { ...attempt, uuid, changedAt: now });
}

/** Whether the attempt is the one that an order may have at a time. */
export function isOpen({ state }: Attempt): boolean {
  return state === 'sending' || state === 'created';
}

function isLeaseOver({ leaseUntil, startedAt }: Attempt, now: number): boolean {
  return now >= leaseUntil || now < startedAt - CLOCK_TOLERANCE_MS;
}

/** Another release of the library may hash other fields: a field that only one side has is no difference. */
function differences(before: Money, after: Money): string[] {
  return Object.keys(after).filter((path) => path in before && before[path] !== after[path]);
}

/** Whether an attempt is for the money that was asked for last, and not for a price that `replace` has left. */
export function isNewestMoney({ newest }: Order, { money }: Attempt): boolean {
  return differences(newest ?? money, money).length === 0;
}

/** The attempt in a state that one attempt of an order has at most. */
export function attemptIn({ attempts }: Order, state: 'authorized' | 'paid'): Attempt | undefined {
  return attempts.find((each) => each.state === state);
}

/** The attempt whose journey is the transaction. */
export function attemptWith({ attempts }: Order, uuid: string): Attempt | undefined {
  return attempts.find((each) => each.uuid === uuid);
}

/** Whether a sale is among the payments. */
export function isBooked({ payments }: Order, sale: string | undefined): boolean {
  return payments.some((each) => isSameId(each.sale, sale));
}

/** Whether something was booked for it. */
export function isPaid({ payments }: Order): boolean {
  return payments.length > 0;
}

/** Whether its own money is being booked, or is a case: nobody is shown a QR code then. */
export function isInReview({ begun, attempts }: Order): boolean {
  return begun !== undefined || attempts.some(({ review }) => review);
}

/** The attempt whose money it is, as far as that is known. */
function inReview({ attempts }: Order): Attempt | undefined {
  return attempts.find(({ review }) => review) ?? attempts.at(-1);
}

/** The order with this attempt put in a state in which no QR code is kept. */
export function moved(
  order: Order,
  attempt: Attempt,
  state: 'authorized' | 'expired' | 'closed' | 'paid',
  now: number,
): Order {
  const { qrCode: _, ...kept } = attempt;
  return withAttempt(order, { ...kept, state, changedAt: now });
}

/** The order with one attempt added or replaced. */
export function withAttempt(order: Order, attempt: Attempt): Order {
  const others = order.attempts.filter((each) => each.attempt !== attempt.attempt);
  return { ...order, attempts: [...others, attempt].sort((a, b) => a.attempt - b.attempt) };
}

function withoutAttempt(order: Order, attempt: Attempt): Order {
  return { ...order, attempts: order.attempts.filter((each) => each !== attempt) };
}

/** Whether the service is asked about an attempt: its own sale is not booked, and is no case of own money. */
export function isAskable(
  { payments }: Order,
  { uuid, isAnswered, review = [], changedAt }: Attempt,
  now: number,
): boolean {
  if (uuid === undefined || isAnswered || changedAt < now - ASKED_FOR_MS) return false;
  return ![...payments, ...review].some(({ sale }) => sale === uuid);
}

/** What is known of the order's own money and is not booked: it must have a case, or be asked about. */
export function undecided({
  attempts,
  begun,
}: Order): readonly (Pick<OwnCase, 'id' | 'sale' | 'at'> & Partial<OwnCase>)[] {
  const reviews = attempts.flatMap(({ review = [] }) => review);
  if (begun === undefined || reviews.some(({ id }) => id === begun.key)) return reviews;
  return [...reviews, { ...begun, id: begun.key }];
}

/**
 * Whether `maintain` has something to find out about the order: of a case, whether its letter was written; of an attempt
 * that is authorized, whether its recurrence has ended.
 */
export function needsQuestion(order: Order, now: number): boolean {
  return isAskedAbout(order, now) || order.attempts.some((each) => each.review);
}

/** Whether `maintain` goes on asking about it. An order that has nothing but cases is forgotten once their letters are seen. */
export function isAskedAbout(order: Order, now: number): boolean {
  return (
    order.begun !== undefined ||
    order.attempts.some((each) => each.state === 'authorized' || isAskable(order, each, now)) ||
    order.returns.some((each) => each.isUntold)
  );
}

/** A sale, and what it says of its journey. */
export interface SaleOfAttempt {
  readonly sale: string;
  readonly referenceCode?: string | undefined;
  /** Whether its reference finds the order and proves nothing: it came as an event, or by `asPayment`. */
  readonly isRouted?: boolean | undefined;
}

/** The attempt whose own sale it is. */
export function ownAttempt(
  order: Order,
  { sale, referenceCode, isRouted }: SaleOfAttempt,
): Attempt | undefined {
  const byUuid = attemptWith(order, sale);
  if (byUuid !== undefined || isRouted) return byUuid;
  return order.attempts.find((each) => each.uuid === undefined && each.referenceCode === referenceCode);
}

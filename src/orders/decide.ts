import { ApiError } from '../errors';
import { oneSpelling } from '../shared/uuid';
import type { AboutMoney, DeadLetter } from '../stores/dead-letters';
import type { SubjectRecord } from '../stores/record';
import type { Dismissed } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import type { Booking } from '../webhooks/cause';
import type { ListenerParts } from '../webhooks/handler';
import { UNCONFIRMED } from '../webhooks/keep';
import { encodePart, partsOf } from '../webhooks/key';
import type { Listener } from '../webhooks/listener';
import { type Failure, isRepeated, type Outcome } from '../webhooks/outcome';
import { contentOf, runLetter } from '../webhooks/run-letter';
import { isStray, stateRepeated } from '../webhooks/unexpected-repeat';
import { type Order, undecided } from './attempt';
import { ownMoney } from './booking';
import type { Decided } from './cases';
import { findOrder, readOrder } from './order-records';

const DECIDED = { code: 'done', isRepeat: true } as const;
const NO_CASE = refused('id', 'expected the `id` of one of `orders.cases()`: no case has this one');
const AMOUNT_KNOWN = refused(
  'amount',
  'expected none: how much it is, is known. `amount` of the case says it',
);

const FINAL = refused(
  'decision',
  'it was dismissed, and that is final: only the dismissal of a payment is revoked by booking it',
);
const EVEN_IF_PAID = refused(
  'evenIfPaid',
  'the service says that it is paid: book it, or have it sent back and pass `{ evenIfPaid: true }`',
);

const ORDER_KNOWN = refused('order', 'expected none: whose it is, is known. `order` of the case says it');

function refused(path: string, message: string) {
  return { code: 'unhandled', status: 200, issues: [{ path: [path], message }] } as const;
}

/** The reasons of cases whose amount a person has to say, or may. */
const UNCLEAR: ReadonlySet<string> = new Set(['unclear_amount', 'unexpected_repeat']);

function isAmountKnown({ code, about }: DeadLetter, { amount }: Booking): boolean {
  return amount !== undefined && about?.amount !== undefined && !UNCLEAR.has(code);
}

/** Whether a case belongs to another order than the given one. A `no_order` may name the order of a sale that is not booked; of an `other_order` a person says whose it is. */
function isOthers({ code, about }: DeadLetter, { order }: Booking): boolean {
  const own = about?.order;
  const isOpen = code === 'no_order' || code === 'other_order';
  return order !== undefined && own !== undefined && own !== order && !isOpen;
}

/** What became of a decision, and what was decided before. */
export interface DecidedCase {
  readonly outcome: Outcome;
  readonly was: Decided | undefined;
}

/**
 * Carries out what a person has decided about a case. Never rejects for what a callback throws: that is in the result.
 *
 * @param named - the case's id, in either spelling
 */
export async function decideCase(
  named: string,
  decision: 'book' | 'dismiss',
  booking: Booking,
  { listener, unlessDraining }: ListenerParts,
): Promise<DecidedCase> {
  const id = oneSpelling(named);
  const letter = (await listener.store.readLetter(id)) ?? (await withoutLetter(id, listener));
  const was = await decidedBefore(letter === undefined ? namedBy(id) : statesOf(letter), listener);
  if (letter === undefined) {
    if (was === undefined) return { outcome: NO_CASE, was };
    if (decision === 'dismiss' || was === 'booked') return { outcome: DECIDED, was };
    // The service is asked for the money; of anything else, what was to run is gone.
    const given = saleIn(named);
    if (given === undefined) return { outcome: FINAL, was };
    const sale = await asReceived(id, given, listener);
    const revoked = letterOfSale(id, sale, { code: 'dismissed', at: 0, order: booking.order }, listener);
    const outcome = await unlessDraining(() =>
      runLetter({ origin: 'decision', letter: revoked, booking }, listener),
    );
    return { outcome, was };
  }
  if (isAmountKnown(letter, booking)) return { outcome: AMOUNT_KNOWN, was };
  if (isOthers(letter, booking)) return { outcome: ORDER_KNOWN, was };
  const outcome = await unlessDraining(() =>
    decision === 'book'
      ? runLetter({ origin: 'decision', letter, booking }, listener)
      : dismiss(letter, booking, listener),
  );
  // Another process may have ended it meanwhile.
  return {
    outcome,
    was: isRepeated(outcome) ? (was ?? (await decidedBefore(statesOf(letter), listener))) : was,
  };
}

/** What of a subject a case stands for. */
interface States {
  readonly subject: string;
  readonly isIts: (state: string) => boolean;
}

function statesOf({ subject, state }: DeadLetter): States {
  return { subject, isIts: (each) => each === state };
}

/** What a key names: a state; of a case of a whole subject, which is named after it, its repeats or its other states. */
function namedBy(key: string): States {
  const { subject, state } = partsOf(key);
  const [own = '', ending] = subject.split('~');
  if (ending === undefined) return { subject, isIts: (each) => each === state };
  const isRepeat = (each: string) => stateRepeated({ state: each }) !== undefined;
  if (ending === 'repeat') return { subject: own, isIts: isRepeat };
  return { subject: own, isIts: (each) => !isRepeat(each) && !isOfPayment(each) };
}

/** Whether a payment is done under a state. */
function isOfPayment(state: string): boolean {
  return state === 'PAID' || isStray({ state });
}

/** What was decided about those states, or done by itself: the last one counts. */
async function decidedBefore({ subject, isIts }: States, { store }: Listener): Promise<Decided | undefined> {
  const { value } = await store.readRecord<SubjectRecord>('seen:', subject);
  const done = value?.done.filter(({ state }) => isIts(state)).at(-1);
  if (done === undefined) return undefined;
  return done.content?.dismissed === undefined ? 'booked' : 'dismissed';
}

/** A case of a payment whose letter is over, or was never written: the service says what there was in it. */
async function withoutLetter(key: string, listener: Listener): Promise<DeadLetter | undefined> {
  const sale = saleIn(key);
  const order = sale === undefined ? undefined : await orderOf(sale, listener);
  const own = order && undecided(order).find(({ id }) => id === key);
  if (order === undefined || own === undefined) return undefined;
  const { reason: code = 'lease_lost', at } = own;
  return letterOfSale(key, own.sale, { code, at, order: order.key, isOwn: true }, listener);
}

/** How the service has spelled a sale that was dismissed, which it is asked for: its order remembers it. */
async function asReceived(key: string, sale: string, listener: Listener): Promise<string> {
  const order = await orderOf(sale, listener);
  return order?.dismissed?.find(({ id }) => id === key)?.sale ?? sale;
}

async function orderOf(sale: string, { store }: Listener): Promise<Order | undefined> {
  const { key } = await findOrder(store, { uuid: sale });
  return key === undefined ? undefined : (await readOrder(store, key)).order;
}

/** A letter that says nothing of the money: what the service does not say of it, a person has to. */
function letterOfSale(
  key: string,
  sale: string,
  {
    code,
    at,
    ...about
  }: { readonly code: string; readonly at: number } & Pick<AboutMoney, 'order' | 'isOwn'>,
  { fingerprints }: Listener,
): DeadLetter {
  return {
    key,
    subject: `payment:${encodePart(sale)}`,
    state: partsOf(key).state,
    kind: 'payment',
    body: JSON.stringify({ saleToken: sale, newStatus: 'PAID' }),
    url: '',
    credential: String(fingerprints[0]),
    code,
    firstFailedAt: at,
    lastFailedAt: at,
    attempts: 1,
    about: { ...about, sale },
  };
}

/** The sale of a payment's key. */
function saleIn(key: string): string | undefined {
  const { subject, state } = partsOf(key);
  const [, part] = (isOfPayment(state) && /^payment:(.+)$/.exec(subject)) || [];
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Ends a case without running anything: its state is done from now on, so that nothing begins it again. */
async function dismiss(letter: DeadLetter, booking: Booking, listener: Listener): Promise<Outcome> {
  const { key, subject, state, kind, code: reason, about = {} } = letter;
  const { store, orders, leaseMs, storeTimeoutMs: withinMs } = listener;
  const retentionMs = kind === 'unrecognized' ? listener.unrecognizedRetentionMs : listener.retentionMs;
  const judged = await judgeDismissal(letter, booking, listener);
  if ('code' in judged) return judged;
  const { closes, dismissed } = judged;
  try {
    const claim = await store.claim(subject, state, { leaseMs, withinMs, isByPerson: true });
    if (claim.status === 'busy') return { code: 'busy', status: 503 };
    if (claim.status === 'claimed') {
      const content = { ...contentOf(letter, listener), dismissed };
      const isDone = await store.complete(claim, { retentionMs, content, withinMs });
      if (!isDone) return { code: 'busy', status: 503 };
    }
    // After a crash between these, the next decision comes here again.
    const isBooked = claim.status === 'done' && claim.content?.dismissed === undefined;
    await orders?.end(store, { key, details: about }, isBooked ? undefined : { reason, closes });
    // Another body, or another state of its sale, may have come meanwhile.
    await store.forgetLetter(key, (each) => each.state === state);
    return { code: 'done', isRepeat: claim.status === 'done' };
  } catch (error) {
    return { code: 'store_failed', status: 503, error };
  }
}

/**
 * What a dismissal means, or why there is none: the service is asked about own money, because one wrong click would show
 * a paying customer a second QR code. What it does not say is paid stays unconfirmed.
 */
async function judgeDismissal(
  letter: DeadLetter,
  { evenIfPaid = false }: Booking,
  { store, orders }: Listener,
): Promise<{ readonly closes: boolean; readonly dismissed: Dismissed } | Failure> {
  const { key, kind, code, about = {} } = letter;
  const { order: orderKey, sale, referenceCode, idRec, isOwn = false } = about;
  const isUnconfirmed = kind === 'payment' && UNCONFIRMED.has(code);
  const dismissed = isUnconfirmed ? 'unconfirmed' : 'final';
  const isOne = kind === 'payment' && stateRepeated(letter) === undefined;
  if (!isOne || orders === undefined || orderKey === undefined || sale === undefined) {
    return { closes: false, dismissed };
  }
  try {
    const { order } = await readOrder(store, orderKey);
    const own = ownMoney(order, { id: key, sale, referenceCode, isRouted: idRec !== undefined });
    if (own === undefined) return { closes: false, dismissed };
    const isCertain = isOwn || own === 'known';
    if (evenIfPaid && !isUnconfirmed) return { closes: true, dismissed: 'final' };
    const isPaid = await saysPaid(orders.client, sale);
    if (isPaid && !evenIfPaid) return EVEN_IF_PAID;
    return { closes: isPaid || isCertain || !isUnconfirmed, dismissed: isPaid ? 'final' : 'unconfirmed' };
  } catch (error) {
    return { code: 'confirm_failed', status: 503, error };
  }
}

/** Whether the service says that a sale is paid. What it does not know is not. */
async function saysPaid(client: TransactionSource, sale: string): Promise<boolean> {
  try {
    return (await client.getTransaction(sale)).situation === 'PAID';
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 404) return false;
    throw error;
  }
}

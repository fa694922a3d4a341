import { InvalidRequestError } from '../errors/argument-errors';
import { ConfigurationError } from '../errors/configuration-error';
import { isText } from '../shared/objects';
import { oneSpelling } from '../shared/uuid';
import type { AboutMoney, DeadLetter } from '../stores/dead-letters';
import type { SubjectRecord } from '../stores/record';
import type { Dismissed, SingleRecords } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import type { Booking } from '../webhooks/cause';
import { BUSY } from '../webhooks/failures';
import type { ListenerParts } from '../webhooks/handler';
import { UNCONFIRMED } from '../webhooks/keep';
import { encodePart, partsOf } from '../webhooks/key';
import type { Listener } from '../webhooks/listener';
import { type Failure, isRepeated, type Outcome } from '../webhooks/outcome';
import { contentOf, runLetter } from '../webhooks/run-letter';
import { isStray, stateRepeated } from '../webhooks/unexpected-repeat';
import { undecided } from './attempt';
import { ownMoney } from './booking';
import { checkOrderKey, refused } from './checks';
import { OrderBusyError } from './errors';
import { orderOfSale, readOrder } from './order-records';
import { isNotFound } from './proof';

/** What `orders.decide` did. */
export interface DecideResult {
  /**
   * What is so now:
   * - `booked`: its callback has run, and that is recorded
   * - `dismissed`: it is done, and nothing has run
   */
  readonly status: Decided;
  /** What it was before this decision; missing if nothing was decided. */
  readonly was?: Decided | undefined;
}

/** What became of a case. */
export type Decided = 'booked' | 'dismissed';

/**
 * Carries out what a person has decided about a case.
 *
 * @param named - the case's id, in either spelling
 * @throws what keeps it from being carried out, also what the callback, the client or the store has thrown
 */
export async function decide(
  named: string,
  decision: 'book' | 'dismiss',
  booking: Booking,
  { listener, unlessDraining }: ListenerParts,
): Promise<DecideResult> {
  const id = oneSpelling(named);
  const known = (await listener.store.readLetter(id)) ?? (await withoutLetter(id, listener));
  const states = known === undefined ? namedBy(id) : statesOf(known);
  const was = await decidedBefore(states, listener.store);
  if (known === undefined) {
    if (was === undefined) {
      throw refused(CASE, 'id', 'expected the `id` of one of `orders.cases()`: no case has this one');
    }
    if (decision === 'dismiss' || was === 'booked') return { status: was, was };
  }
  const letter = known ?? (await letterOfDismissed(named, id, booking, listener));
  checkBooking(letter, booking);
  const outcome = await unlessDraining(() =>
    decision === 'book'
      ? runLetter({ origin: 'decision', letter, booking }, listener)
      : dismiss(letter, booking, listener),
  );
  if (outcome.code === 'busy') throw new OrderBusyError('deciding');
  if (outcome.code !== 'done') throw failureOf(outcome as Failure);
  const now = decision === 'book' ? 'booked' : 'dismissed';
  if (!isRepeated(outcome)) return { status: now, ...(was !== undefined && { was }) };
  // Another process may have ended it meanwhile.
  const before = was ?? (await decidedBefore(states, listener.store));
  return before === undefined ? { status: now } : { status: before, was: before };
}

const NAMES: OptionNames<Booking> = { order: true, amount: true, evenIfPaid: true };

/** @throws `ConfigurationError` for a decision that is none */
export function readDecision(id: string, decision: string, options: Booking): Booking {
  const { order, amount, evenIfPaid } = readNamedOptions('decide', options, NAMES, "id, 'book', ");
  const isDecision = decision === 'book' || decision === 'dismiss';
  if (!isDecision || !isText(id)) {
    throw new ConfigurationError(
      "Expected `decide(id, 'book')` or `decide(id, 'dismiss')`, with the `id` of one of `orders.cases()`.",
    );
  }
  if (decision === 'dismiss' && (order !== undefined || amount !== undefined)) {
    throw new ConfigurationError("Expected `order` and `amount` with 'book' only: 'dismiss' books nothing.");
  }
  if (decision === 'book' && evenIfPaid !== undefined) {
    throw new ConfigurationError("Expected `evenIfPaid` with 'dismiss' only: 'book' books what is paid.");
  }
  if (typeof (evenIfPaid ?? false) !== 'boolean') {
    throw new ConfigurationError('Expected `evenIfPaid` to be true or false.');
  }
  if (order !== undefined) checkOrderKey('decide', order);
  if (amount !== undefined && !(Number.isFinite(amount) && amount > 0)) {
    throw new ConfigurationError('Expected `amount` to be a number above 0, in the main unit.');
  }
  return { order, amount, evenIfPaid };
}

/** @throws `InvalidRequestError` for what a person says though it is known */
function checkBooking({ code, about }: DeadLetter, { amount, order }: Booking): void {
  if (amount !== undefined && about?.amount !== undefined && !UNCLEAR_AMOUNT.has(code)) {
    throw refused(CASE, 'amount', 'expected none: how much it is, is known. `amount` of the case says it');
  }
  if (
    order !== undefined &&
    about?.order !== undefined &&
    about.order !== order &&
    !UNCLEAR_ORDER.has(code)
  ) {
    throw refused(CASE, 'order', 'expected none: whose it is, is known. `order` of the case says it');
  }
}

/** The reasons of cases whose amount a person has to say, or may. */
const UNCLEAR_AMOUNT: ReadonlySet<string> = new Set(['unclear_amount', 'unexpected_repeat']);

/** A `no_order` may name the order of a sale that is not booked; of an `other_order` a person says whose it is. */
const UNCLEAR_ORDER: ReadonlySet<string> = new Set(['no_order', 'other_order']);

/** What the errors of this call are about. */
const CASE = 'The case';

function failureOf({ code, error, issues }: Failure): unknown {
  // What the merchant's own callback threw, the client or the store.
  if (error !== undefined) return error;
  return issues === undefined ? refused(CASE, ...missing(code)) : new InvalidRequestError(CASE, issues);
}

/** What keeps a case from being booked. */
function missing(code: string): readonly [path: string, message: string] {
  const problems: Readonly<Record<string, readonly [path: string, message: string]>> = {
    authorized_twice: [
      'decision',
      'nothing is booked: have one of the two cancelled (`orders.cancelRecurrence`), or dismiss it',
    ],
    other_order: [
      'order',
      'expected the key of the order that it is for, which the reference of its transaction must not contradict',
    ],
    no_order: ['order', 'expected the key of the order that it is for'],
    unclear_amount: [
      'amount',
      'expected how much it is, because nothing else says so clearly: what the service states of the sale, if it does, and ' +
        'at most what is left of it where money goes back',
    ],
    early_return: ['sale', 'expected a sale that is booked: book that one first'],
    // Never the note: it may say anything of a person.
    needs_person: ['order', 'your callback called `needsPerson` again: `note` of the case says why'],
  };
  return problems[code] ?? ['decision', `nothing runs for this case (${code}): dismiss it`];
}

/** What of a subject a case stands for. */
interface States {
  readonly subject: string;
  readonly isIts: (state: string) => boolean;
}

export function statesOf({ subject, state }: Pick<DeadLetter, 'subject' | 'state'>): States {
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
export async function decidedBefore(
  { subject, isIts }: States,
  records: SingleRecords,
): Promise<Decided | undefined> {
  const { value } = await records.readRecord<SubjectRecord>('seen:', subject);
  const done = value?.done.filter(({ state }) => isIts(state)).at(-1);
  if (done === undefined) return undefined;
  return done.content?.dismissed === undefined ? 'booked' : 'dismissed';
}

/** A case of a payment whose letter is over, or was never written: the service says what there was in it. */
async function withoutLetter(key: string, listener: Listener): Promise<DeadLetter | undefined> {
  const sale = saleIn(key);
  const order = sale === undefined ? undefined : (await orderOfSale(listener.store, sale))?.order;
  const own = order && undecided(order).find(({ id }) => id === key);
  if (order === undefined || own === undefined) return undefined;
  const { reason: code = 'lease_lost', at } = own;
  return letterOfSale(key, own.sale, { code, at, order: order.key, isOwn: true }, listener);
}

/**
 * What a person has dismissed, for its dismissal to be revoked: the service says what there was in it.
 *
 * @throws `InvalidRequestError` for anything but a payment: what was to run is gone
 */
async function letterOfDismissed(
  named: string,
  key: string,
  { order }: Booking,
  listener: Listener,
): Promise<DeadLetter> {
  const given = saleIn(named);
  if (given === undefined) {
    throw refused(
      CASE,
      'decision',
      'it was dismissed, and that is final: only the dismissal of a payment is revoked by booking it',
    );
  }
  // Asked for as the service has spelled it: its order remembers that.
  const known = (await orderOfSale(listener.store, given))?.order;
  const sale = known?.dismissed?.find(({ id }) => id === key)?.sale ?? given;
  return letterOfSale(key, sale, { code: 'dismissed', at: 0, order }, listener);
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
  const { closes, dismissed } = await judgeDismissal(letter, booking, listener);
  const claim = await store.claim(subject, state, { leaseMs, withinMs, isByPerson: true });
  if (claim.status === 'busy') return BUSY;
  if (claim.status === 'claimed') {
    const content = { ...contentOf(letter, listener), dismissed };
    const isDone = await store.complete(claim, { retentionMs, content, withinMs });
    if (!isDone) return BUSY;
  }
  // After a crash between these, the next decision comes here again.
  const isBooked = claim.status === 'done' && claim.content?.dismissed === undefined;
  await orders?.end(store, { key, details: about }, isBooked ? undefined : { reason, closes });
  // Another body, or another state of its sale, may have come meanwhile.
  await store.forgetLetter(key, (each) => each.state === state);
  return { code: 'done', isRepeat: claim.status === 'done' };
}

/**
 * What a dismissal means: the service is asked about own money, because one wrong click would show a paying customer a
 * second QR code. What it does not say is paid stays unconfirmed.
 *
 * @throws `InvalidRequestError` for own money that is paid, without `evenIfPaid`; what the client or the store throws
 */
async function judgeDismissal(
  letter: DeadLetter,
  { evenIfPaid = false }: Booking,
  { store, orders }: Listener,
): Promise<{ readonly closes: boolean; readonly dismissed: Dismissed }> {
  const { key, kind, code, about = {} } = letter;
  const { order: orderKey, sale, referenceCode, idRec, isOwn = false } = about;
  const isUnconfirmed = kind === 'payment' && UNCONFIRMED.has(code);
  const dismissed = isUnconfirmed ? 'unconfirmed' : 'final';
  const isOne = kind === 'payment' && stateRepeated(letter) === undefined;
  if (!isOne || orders === undefined || orderKey === undefined || sale === undefined) {
    return { closes: false, dismissed };
  }
  const { order } = await readOrder(store, orderKey);
  const own = ownMoney(order, { id: key, sale, referenceCode, isRouted: idRec !== undefined });
  if (own === undefined) return { closes: false, dismissed };
  const isCertain = isOwn || own === 'known';
  if (evenIfPaid && !isUnconfirmed) return { closes: true, dismissed: 'final' };
  const isPaid = await saysPaid(orders.client, sale);
  if (isPaid && !evenIfPaid) {
    throw refused(
      CASE,
      'evenIfPaid',
      'the service says that it is paid: book it, or have it sent back and pass `{ evenIfPaid: true }`',
    );
  }
  return { closes: isPaid || isCertain || !isUnconfirmed, dismissed: isPaid ? 'final' : 'unconfirmed' };
}

/** Whether the service says that a sale is paid. What it does not know is not. */
async function saysPaid(client: TransactionSource, sale: string): Promise<boolean> {
  try {
    return (await client.getTransaction(sale)).situation === 'PAID';
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

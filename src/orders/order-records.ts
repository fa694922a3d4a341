import { StoreError } from '../errors/store-error';
import type { OrderReference } from '../service/notifications/notification';
import { newToken } from '../shared/bytes';
import { isText } from '../shared/objects';
import { DAY_MS } from '../shared/time';
import { isSameId, oneSpelling } from '../shared/uuid';
import type { DeadLetter } from '../stores/dead-letters';
import type { NextRecord, ReadResult, SingleRecords, StoreSteps } from '../stores/steps';
import { identify } from '../webhooks/key';
import type { FoundKey } from '../webhooks/order-link';
import { strayIdentity } from '../webhooks/unexpected-repeat';
import {
  ASKED_FOR_MS,
  type Attempt,
  attemptWith,
  isAskable,
  isAskedAbout,
  isBooked,
  isOpen,
  needsQuestion,
  type Order,
  undecided,
} from './attempt';
import { MAX_DISMISSED, MAX_EARLY } from './marks';
import { inPages } from './pages';
import { liveOf } from './recurrences';
import { MAX_REMEMBERED } from './returns';

/** An order, at the version that was read. */
export interface OrderReading {
  readonly order: Order;
  readonly version: number;
  /** The database's clock. */
  readonly now: number;
}

/** How long an order is kept after its last change. */
const KEPT_MS = 400 * DAY_MS;
/** A change of an order writes its pointers again once they are that old, so that none ends before the order. */
const POINTED_MS = 100 * DAY_MS;

export async function readOrder(records: SingleRecords, key: string): Promise<OrderReading> {
  return readingOf(key, await records.readRecord<Order>('order:', key));
}

function readingOf(key: string, { value, version, now }: ReadResult<Order>): OrderReading {
  return { order: value === undefined ? newOrder(key) : checkOrder(value), version, now };
}

function newOrder(key: string): Order {
  return { key, attempts: [], payments: [], returns: [] };
}

/** @throws `StoreError` for a record that is no order */
export function checkOrder(order: Order): Order {
  const { attempts, payments, returns, recurrences = [] } = order;
  if ([attempts, payments, returns, recurrences].every(Array.isArray)) return order;
  throw new StoreError('A record of an order lacks one of its lists. Something else wrote there.');
}

/** Whether anything is known of the order. */
export function isKnown({ attempts, payments }: Order): boolean {
  return attempts.length > 0 || payments.length > 0;
}

/**
 * Writes an order if it is still the one that was read, and before it the pointers that it gets. Resolves with whether it
 * did.
 */
export async function writeOrder(
  records: SingleRecords,
  order: Order,
  before: OrderReading,
): Promise<boolean> {
  const { value, until } = await pointedOrder(records, order, before);
  return records.writeRecord('order:', order.key, value, before, until);
}

/** Writes the pointers that an order gets, and gives what is to be written of the order itself. */
async function pointedOrder(
  records: SingleRecords,
  order: Order,
  before: OrderReading,
): Promise<NextRecord<Order>> {
  const { now } = before;
  const isOld = now - (order.pointedAt ?? now) > POINTED_MS;
  const newUuids = order.attempts.filter(
    ({ attempt, uuid }) =>
      uuid !== undefined && before.order.attempts.find((each) => each.attempt === attempt)?.uuid !== uuid,
  );
  const isAskedAgain = newUuids.some((each) => isAskable(order, each, now));
  if (isAskedAgain || (needsQuestion(order, now) && !isAskedAbout(before.order, now))) {
    await point(records, 'open:', order.key, order.key);
  }
  const uuids = new Set(newUuids.map(({ uuid }) => uuid as string));
  for (const each of isOld ? order.attempts.filter((attempt) => mayBePaid(attempt, now)) : []) {
    await point(records, 'reference:', each.referenceCode, order.key);
    if (each.uuid !== undefined) uuids.add(each.uuid);
  }
  for (const each of refusedSince(before.order, order)) {
    await forgetPointer(records, 'reference:', each.referenceCode, ({ key }) => key === order.key);
  }
  // A reversal knows nothing of an order but the sale. Only the newest payment can be new.
  const sale = order.payments.at(-1)?.sale;
  const isOfAttempt = (each: string) => attemptWith(order, each) !== undefined;
  if (sale !== undefined && !isOfAttempt(sale) && !isBooked(before.order, sale)) uuids.add(sale);
  // Own money that was found by its reference: a person decides about it by its sale alone, once its letter is over.
  const knownBefore = undecided(before.order).map((each) => each.sale);
  for (const { sale: own } of undecided(order)) {
    if (!isOfAttempt(own) && !knownBefore.includes(own)) uuids.add(own);
  }
  for (const uuid of uuids) await pointNew(records, 'uuid:', uuid, order.key, now);
  const until = lastsUntil(order, now);
  for (const each of order.recurrences ?? []) {
    const known = before.order.recurrences?.find(({ idRec }) => idRec === each.idRec);
    const isLater = until > now + KEPT_MS && known?.nextChargeAt !== each.nextChargeAt;
    // What is found without a reference: the first event of a recurrence says whose it is.
    if (known === undefined) await pointNew(records, 'recurrence:', each.idRec, order.key, now, until);
    else if (isLater || isOld) await point(records, 'recurrence:', each.idRec, order.key, until);
  }
  const pointedAt = isOld ? now : (order.pointedAt ?? now);
  return { value: { ...order, pointedAt }, until };
}

/** How long after the day on which it is charged next an order is kept: its charge may be tried again, and told of late. */
const AFTER_CHARGE_MS = 60 * DAY_MS;
/** Nobody has confirmed the day of an event. */
const MOST_KEPT_MS = 5 * 365 * DAY_MS;

/** When an order is over: never before its next charge. */
function lastsUntil(order: Order, now: number): number {
  const days = liveOf(order).map(({ nextChargeAt = '' }) => Date.parse(nextChargeAt.slice(0, 10)));
  const charged = days.filter((day) => day <= now + MOST_KEPT_MS).map((day) => day + AFTER_CHARGE_MS);
  return Math.max(now + KEPT_MS, ...charged);
}

/** The attempts that the service has refused: no payment is ever found by their references. */
function refusedSince(before: Order, { attempts }: Order): readonly Attempt[] {
  return before.attempts.filter(
    ({ attempt, state }) => state === 'sending' && !attempts.some((each) => each.attempt === attempt),
  );
}

/** Whether a payment may still be found by the attempt. */
function mayBePaid(attempt: Attempt, now: number): boolean {
  const { state } = attempt;
  return (
    state === 'paid' || state === 'authorized' || isOpen(attempt) || attempt.changedAt > now - ASKED_FOR_MS
  );
}

/** How many references are tried before one of chance. */
const TRIED_REFERENCES = 10;

/**
 * Takes the reference of a new attempt: the order's key, or the next free of `<key>-2`, `-3`, … Other orders may have
 * some of them.
 */
export async function takeReference(
  records: SingleRecords,
  { key, lastReference = 0 }: Order,
): Promise<{ readonly referenceCode: string; readonly lastReference: number }> {
  for (let tried = 1; tried <= TRIED_REFERENCES; tried += 1) {
    const last = lastReference + tried;
    const referenceCode = last === 1 ? key : `${key}-${last}`;
    if (await point(records, 'reference:', referenceCode, key)) return { referenceCode, lastReference: last };
  }
  const referenceCode = `${key}-${newToken().slice(0, 12)}`;
  await point(records, 'reference:', referenceCode, key);
  return { referenceCode, lastReference: lastReference + TRIED_REFERENCES };
}

/** What a reference, a uuid or a recurrence leads to. */
interface Found extends FoundKey {
  /** Whether the order did not know of the recurrence. */
  readonly isFirstEvent: boolean;
}

/** Finds an order by the uuid, else by the reference, else by the recurrence. */
export async function findOrder(
  records: SingleRecords,
  { uuid, referenceCode, idRec }: OrderReference & { readonly idRec?: string | undefined },
): Promise<Found> {
  const byUuid = await follow(records, 'uuid:', uuid);
  const { early = [] } = byUuid ?? {};
  const byReference = byUuid?.key ?? (await follow(records, 'reference:', referenceCode))?.key;
  const byRecurrence = (await follow(records, 'recurrence:', idRec))?.key;
  const key = byReference ?? byRecurrence;
  const isFirstEvent = idRec !== undefined && key !== undefined && byRecurrence === undefined;
  // The first event of a recurrence has said whose it is.
  const isOthers = byRecurrence !== undefined && byRecurrence !== key;
  return { key, early, isOthers, isFirstEvent };
}

/** The case of a payment, which may have been done as money of no order before. */
export async function caseOfSale(records: SingleRecords, sale: string): Promise<DeadLetter | undefined> {
  const identity = identify('payment', sale, ['PAID']);
  return (await records.readLetter(identity.key)) ?? (await records.readLetter(strayIdentity(identity).key));
}

/** The order that knows a sale: it is an attempt's own, or a person or `paid` has ended it. */
export async function orderOfSale(records: SingleRecords, sale: string): Promise<OrderReading | undefined> {
  const key = (await follow(records, 'uuid:', sale))?.key;
  if (key === undefined) return undefined;
  const reading = await readOrder(records, key);
  return remembers(reading.order, sale) ? reading : undefined;
}

/**
 * Whether an order has a sale that leads to it: its pointer is written first, and a crash may have left nothing else. One that
 * may have been forgotten since counts.
 */
function remembers(order: Order, sale: string): boolean {
  const { attempts, payments, dismissed = [] } = order;
  const isFull = payments.length >= MAX_REMEMBERED || dismissed.length >= MAX_DISMISSED;
  if (isFull) return true;
  const ended = [...payments, ...dismissed, ...undecided(order)].map((each) => each.sale);
  return [...attempts.map(({ uuid }) => uuid), ...ended].some((each) => isSameId(each, sale));
}

async function follow(
  records: SingleRecords,
  prefix: 'uuid:' | 'reference:' | 'recurrence:',
  id: string | null | undefined,
): Promise<Pointer | undefined> {
  if (!isText(id)) return undefined;
  return (await records.readRecord<Pointer>(prefix, placeOf(prefix, id))).value;
}

/** A reference is the merchant's own text: two that differ in anything are two. */
function placeOf(prefix: keyof typeof FRESH_MS, id: string): string {
  return prefix === 'uuid:' || prefix === 'recurrence:' ? oneSpelling(id) : id;
}

/** The record under `open:`, `reference:`, `uuid:` and `recurrence:`. */
interface Pointer {
  /** The order's key; missing for a sale that is not known yet. */
  readonly key?: string | undefined;
  /** When it was written. */
  readonly at: number;
  /** The letters of returns that came before the sale was booked. */
  readonly early?: readonly string[] | undefined;
}

/**
 * How long a pointer need not be written again. `reconcile` forgets one to an order that it need not ask about after ten
 * minutes: by then, the write of the order that follows the pointer's has ended.
 */
const FRESH_MS = { 'open:': 5 * 60 * 1000, 'reference:': DAY_MS, 'uuid:': DAY_MS, 'recurrence:': DAY_MS };

/**
 * Points to the order. Resolves with `false` for a reference that another order has. A pointer that already points to
 * this order is free to use: a crash between it and the order leaves such.
 *
 * @param orderUntil - how long the order is kept, if that is longer than usual
 * @throws `StoreError` if somebody else writes the same pointer at this moment
 */
async function point(
  records: SingleRecords,
  prefix: keyof typeof FRESH_MS,
  id: string,
  key: string,
  orderUntil = 0,
): Promise<boolean> {
  const place = placeOf(prefix, id);
  const read = await records.readRecord<Pointer>(prefix, place);
  const { value, now } = read;
  const until = pointerUntil(now, orderUntil);
  if (value?.key !== undefined && value.key !== key) return false;
  const isLongEnough = (read.until ?? until) >= until - DAY_MS;
  if (value?.key !== undefined && now - value.at < FRESH_MS[prefix] && isLongEnough) return true;
  if (await records.writeRecord(prefix, place, { ...value, key, at: now }, read, until)) return true;
  throw new StoreError(
    `Another process wrote the record \`${prefix}\` of the same order at the same time. Try again.`,
  );
}

/** The same for what is mostly not pointed to yet: one statement then, and no reading before it. */
async function pointNew(
  records: SingleRecords,
  prefix: keyof typeof FRESH_MS,
  id: string,
  key: string,
  now: number,
  orderUntil = 0,
): Promise<boolean> {
  const until = pointerUntil(now, orderUntil);
  const nothing = { version: 0, now };
  const isNew = await records.writeRecord(prefix, placeOf(prefix, id), { key, at: now }, nothing, until);
  return isNew || point(records, prefix, id, key, orderUntil);
}

/** When a pointer is over: after its order, which writes it again once it is old. */
function pointerUntil(now: number, orderUntil: number): number {
  return Math.max(now + KEPT_MS, orderUntil) + POINTED_MS + DAY_MS;
}

/** Remembers whose a sale is. */
export async function pointToSale(records: SingleRecords, sale: string, key: string): Promise<void> {
  await point(records, 'uuid:', sale, key);
}

/** How long a return is remembered beside a sale that nobody knows. */
const EARLY_KEPT_MS = 31 * DAY_MS;

/** Remembers a return beside its sale, for the delivery that books that. */
export async function pointEarly(records: SingleRecords, sale: string, id: string): Promise<void> {
  const place = placeOf('uuid:', sale);
  const read = await records.readRecord<Pointer>('uuid:', place);
  const { value, now, until = 0 } = read;
  const isKnown = value?.early?.includes(id) ?? false;
  // A letter that was told again after its time lives for another month.
  if (value?.key !== undefined || (isKnown && until - now > EARLY_KEPT_MS - DAY_MS)) return;
  const early = isKnown ? value?.early : [...(value?.early ?? []), id].slice(-MAX_EARLY);
  // If somebody else writes it now, `maintain` runs the return.
  const next = { at: now, ...value, early };
  await records.writeRecord('uuid:', place, next, read, Math.max(until, now + EARLY_KEPT_MS));
}

/** An order that `maintain` asks about, as its `open:` pointer has it. */
export interface OpenOrder {
  readonly key: string;
  /** Where in the order of the list it is. */
  readonly place: string;
  /** When the pointer was written. */
  readonly at: number;
}

/**
 * The orders that `maintain` asks about, a page at a time.
 *
 * @param after - the key of the order behind which to begin
 * @param onUnreadable - told how many pointers could not be read
 */
export async function* openOrders(
  records: Pick<StoreSteps, 'listRecords'>,
  after: string | undefined,
  onUnreadable: (count: number) => void,
): AsyncGenerator<OpenOrder, void, undefined> {
  const pointers = inPages(
    (page) => records.listRecords<Pointer>('open:', { ...page, onUnreadable }),
    ({ value }) => String(value.key),
    after,
    OPEN_AT_ONCE,
  );
  for await (const { place, value } of pointers) {
    if (value.key !== undefined) yield { key: value.key, place, at: value.at };
  }
}

const OPEN_AT_ONCE = 100;

/** Forgets an `open:` pointer that was listed, unless it was written again since. */
export function forgetOpen(records: SingleRecords, { key, at }: OpenOrder): Promise<void> {
  return forgetPointer(records, 'open:', key, (pointer) => pointer.at === at);
}

async function forgetPointer(
  records: SingleRecords,
  prefix: keyof typeof FRESH_MS,
  id: string,
  isMeant: (pointer: Pointer) => boolean,
): Promise<void> {
  const read = await records.readRecord<Pointer>(prefix, id);
  if (read.value !== undefined && isMeant(read.value)) {
    await records.writeRecord(prefix, id, read.value, read, read.now);
  }
}

/**
 * Changes an order. Resolves with what it is then.
 *
 * @param earlier - what was read before, in place of the first read
 * @throws `StoreError` if others write the order each time
 */
export async function changeOrder(
  records: SingleRecords,
  key: string,
  change: (order: Order, now: number) => Order,
  earlier?: OrderReading | undefined,
): Promise<Order> {
  let order = newOrder(key);
  const next = async (read: ReadResult<Order>) => {
    const reading = readingOf(key, read);
    order = change(reading.order, reading.now);
    return order === reading.order ? undefined : pointedOrder(records, order, reading);
  };
  await records.changeRecord<Order>('order:', key, next, earlier && { ...earlier, value: earlier.order });
  return order;
}

/** Changes a record of `maintain`. Resolves with `undefined` if there is nothing to change. */
export function changeMaintain<Value extends object>(
  records: SingleRecords,
  id: string,
  next: (record: Partial<Value>, now: number) => Value | undefined,
): Promise<Value | undefined> {
  return records.changeRecord<Value>('maintain', id, ({ value: before = {}, now }) => {
    const value = next(before, now);
    return value && { value, until: now + KEPT_MS };
  });
}

import { StoreError } from '../errors';
import type { OrderReference } from '../service/notifications/notification';
import { newToken } from '../shared/bytes';
import { DAY_MS } from '../shared/time';
import type { NextRecord, ReadResult, SingleRecords } from '../stores/steps';
import type { FoundKey } from '../webhooks/order-link';
import { ASKED_FOR_MS, type Attempt, isAskable, isOpen, needsQuestion, type Order } from './attempt';

/** An order, at the version that was read. */
export interface OrderReading {
  readonly order: Order;
  readonly version: number;
  /** The database's clock. */
  readonly now: number;
}

/** How long an order is kept after its last change. */
export const KEPT_MS = 400 * DAY_MS;
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
  const { attempts, payments, returns } = order;
  if ([attempts, payments, returns].every(Array.isArray)) return order;
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
  if (isAskedAgain || (needsQuestion(order, now) && !needsQuestion(before.order, now))) {
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
  const isPointed = order.attempts.some(({ uuid }) => uuid === sale);
  const isBooked = before.order.payments.some((each) => each.sale === sale);
  if (sale !== undefined && !isPointed && !isBooked) uuids.add(sale);
  for (const uuid of uuids) await point(records, 'uuid:', uuid, order.key);
  const pointedAt = isOld ? now : (order.pointedAt ?? now);
  return { value: { ...order, pointedAt }, until: now + KEPT_MS };
}

/** The attempts that the service has refused: no payment is ever found by their references. */
function refusedSince(before: Order, { attempts }: Order): readonly Attempt[] {
  return before.attempts.filter(
    ({ attempt, state }) => state === 'sending' && !attempts.some((each) => each.attempt === attempt),
  );
}

/** Whether a payment may still be found by the attempt. */
function mayBePaid(attempt: Attempt, now: number): boolean {
  return attempt.state === 'paid' || isOpen(attempt) || attempt.changedAt > now - ASKED_FOR_MS;
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

/** Finds an order by the uuid, else by the reference. */
export async function findOrder(
  records: SingleRecords,
  { uuid, referenceCode }: OrderReference,
): Promise<FoundKey> {
  const byUuid = await follow(records, 'uuid:', uuid);
  const { early = [] } = byUuid ?? {};
  return { key: byUuid?.key ?? (await follow(records, 'reference:', referenceCode))?.key, early };
}

async function follow(
  records: SingleRecords,
  prefix: 'uuid:' | 'reference:',
  id: string | null | undefined,
): Promise<Pointer | undefined> {
  if (typeof id !== 'string' || id === '') return undefined;
  return (await records.readRecord<Pointer>(prefix, id)).value;
}

/** The record under `open:`, `reference:` and `uuid:`. */
export interface Pointer {
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
const FRESH_MS = { 'open:': 5 * 60 * 1000, 'reference:': DAY_MS, 'uuid:': DAY_MS };

/**
 * Points to the order. Resolves with `false` for a reference that another order has. A pointer that already points to
 * this order is free to use: a crash between it and the order leaves such.
 *
 * @throws `StoreError` if somebody else writes the same pointer at this moment
 */
async function point(
  records: SingleRecords,
  prefix: keyof typeof FRESH_MS,
  id: string,
  key: string,
): Promise<boolean> {
  const read = await records.readRecord<Pointer>(prefix, id);
  const { value, now } = read;
  if (value?.key !== undefined && value.key !== key) return false;
  if (value?.key !== undefined && now - value.at < FRESH_MS[prefix]) return true;
  const until = now + KEPT_MS + POINTED_MS + DAY_MS;
  if (await records.writeRecord(prefix, id, { ...value, key, at: now }, read, until)) return true;
  throw new StoreError(
    `Another process wrote the record \`${prefix}\` of the same order at the same time. Try again.`,
  );
}

/** How long a return is remembered beside a sale that nobody knows, and how many of them. */
const EARLY_KEPT_MS = 31 * DAY_MS;
const MAX_EARLY = 20;

/** Remembers a return beside its sale, for the delivery that books that. */
export async function pointEarly(records: SingleRecords, sale: string, id: string): Promise<void> {
  const read = await records.readRecord<Pointer>('uuid:', sale);
  const { value, now, until = now + EARLY_KEPT_MS } = read;
  if (value?.key !== undefined || value?.early?.includes(id)) return;
  const early = [...(value?.early ?? []), id].slice(-MAX_EARLY);
  // If somebody else writes it now, `maintain` runs the return.
  await records.writeRecord('uuid:', sale, { at: now, ...value, early }, read, until);
}

/** Forgets an `open:` pointer that was listed, unless it was written again since. */
export function forgetOpen(records: SingleRecords, { key = '', at }: Pointer): Promise<void> {
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
 * @param known - what was read before, in place of the first read
 * @throws `StoreError` if others write the order each time
 */
export async function changeOrder(
  records: SingleRecords,
  key: string,
  change: (order: Order, now: number) => Order,
  known?: OrderReading | undefined,
): Promise<Order> {
  let order = newOrder(key);
  const next = async (read: ReadResult<Order>) => {
    const reading = readingOf(key, read);
    order = change(reading.order, reading.now);
    return order === reading.order ? undefined : pointedOrder(records, order, reading);
  };
  await records.changeRecord<Order>('order:', key, next, known && { ...known, value: known.order });
  return order;
}

import { StoreError } from '../errors';
import type { OrderReference } from '../service/notifications/notification';
import { DAY_MS } from '../shared/time';
import type { SingleRecords } from '../stores/steps';
import type { OrderLink } from '../webhooks/order-link';
import { type Attempt, afterPayment, isAskable, type Order } from './attempt';

/** An order, at the version that was read. */
export interface OrderReading {
  readonly order: Order;
  readonly version: number;
  /** The database's clock. */
  readonly now: number;
}

/** How long an order is kept after its last change. */
export const KEPT_MS = 400 * DAY_MS;
/** A pointer outlives its order, unless that changes once it is older than it is kept: then all are written again. */
const POINTER_KEPT_MS = 2 * KEPT_MS;

export async function readOrder(records: SingleRecords, key: string): Promise<OrderReading> {
  const { value, version, now } = await records.readRecord<Order>('order:', key);
  if (value !== undefined && !Array.isArray(value.attempts)) {
    throw new StoreError('A record of an order has no attempts. Something else wrote there.');
  }
  return { order: value ?? { key, attempts: [] }, version, now };
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
  const { now } = before;
  if (order.attempts.some(isAskable) && !before.order.attempts.some(isAskable)) {
    await point(records, 'open:', order.key, order.key);
  }
  for (const attempt of order.attempts) {
    const known = before.order.attempts.find((each) => each.attempt === attempt.attempt);
    const isOld = now - attempt.startedAt > KEPT_MS;
    if (isOld) await point(records, 'reference:', attempt.referenceCode, order.key);
    if (attempt.uuid !== undefined && (isOld || known?.uuid !== attempt.uuid)) {
      await point(records, 'uuid:', attempt.uuid, order.key);
    }
  }
  return records.writeRecord('order:', order.key, order, before, now + KEPT_MS);
}

/** The reference of a new attempt: the order's key, or the next free of `<key>-2`, `-3`, … Another order may have one. */
export async function takeReference(records: SingleRecords, order: Order, attempt: number): Promise<string> {
  for (let count = attempt; ; count += 1) {
    const reference = count === 1 ? order.key : `${order.key}-${count}`;
    if (order.attempts.some(({ referenceCode }) => referenceCode === reference)) continue;
    if (await point(records, 'reference:', reference, order.key)) return reference;
  }
}

/**
 * How long a pointer need not be written again. `reconcile` forgets one to an order that it need not ask about after ten
 * minutes: by then, the write of the order that follows the pointer's has ended.
 */
const FRESH_MS = { 'open:': 5 * 60 * 1000, 'reference:': KEPT_MS, 'uuid:': KEPT_MS };

/** The key of the order that a reference leads to: by the uuid, else by the reference. */
export async function findOrder(
  records: SingleRecords,
  { uuid, referenceCode }: OrderReference,
): Promise<string | undefined> {
  return (await follow(records, 'uuid:', uuid)) ?? (await follow(records, 'reference:', referenceCode));
}

async function follow(
  records: SingleRecords,
  prefix: 'uuid:' | 'reference:',
  id: string | null | undefined,
): Promise<string | undefined> {
  if (typeof id !== 'string' || id === '') return undefined;
  return (await records.readRecord<Pointer>(prefix, id)).value?.key;
}

/** The attempt of an order that a reference is about: by the uuid, else by the reference. */
export function attemptOf({ attempts }: Order, { uuid, referenceCode }: OrderReference): Attempt | undefined {
  return (
    attempts.find((each) => each.uuid !== undefined && each.uuid === uuid) ??
    attempts.find((each) => each.referenceCode === referenceCode)
  );
}

/** The record under `open:`, `reference:` and `uuid:`. */
export interface Pointer {
  /** The order's key. */
  readonly key: string;
  /** When it was written. */
  readonly at: number;
}

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
  if (value !== undefined && value.key !== key) return false;
  if (value !== undefined && now - value.at < FRESH_MS[prefix]) return true;
  if (await records.writeRecord(prefix, id, { key, at: now }, read, now + POINTER_KEPT_MS)) return true;
  throw new StoreError(
    `Another process wrote the record \`${prefix}\` of the same order at the same time. Try again.`,
  );
}

/** Forgets an `open:` pointer that was listed, unless it was written again since. */
export async function forgetPointer(records: SingleRecords, { key, at }: Pointer): Promise<void> {
  const read = await records.readRecord<Pointer>('open:', key);
  if (read.value?.at === at) await records.writeRecord('open:', key, read.value, read, read.now);
}

/** How often a change is tried while others write the same record. */
const TRIES = 10;

/**
 * Changes an order. Resolves with it, or with `undefined` if there was nothing to change.
 *
 * @param known - what was read before, in place of the first read
 * @throws `StoreError` if others write the order each time
 */
export function changeOrder(
  records: SingleRecords,
  key: string,
  change: (order: Order, now: number) => Order,
  known?: OrderReading | undefined,
): Promise<Order | undefined> {
  return changeRecord({
    known,
    read: () => readOrder(records, key),
    next(reading) {
      const changed = change(reading.order, reading.now);
      return changed === reading.order ? undefined : changed;
    },
    write: (changed, reading) => writeOrder(records, changed, reading),
  });
}

/**
 * Changes a record, and begins again where others have written it. Resolves with what was written, or with `undefined`
 * if there was nothing to change.
 *
 * @throws `StoreError` if others write it each time
 */
export async function changeRecord<Reading, Value>({
  known,
  read,
  next,
  write,
}: {
  readonly known?: Reading | undefined;
  readonly read: () => Promise<Reading>;
  readonly next: (reading: Reading) => Value | undefined;
  readonly write: (value: Value, reading: Reading) => Promise<boolean>;
}): Promise<Value | undefined> {
  let reading = known;
  for (let tries = 0; tries < TRIES; tries += 1) {
    reading ??= await read();
    const value = next(reading);
    if (value === undefined || (await write(value, reading))) return value;
    reading = undefined;
  }
  throw new StoreError('Others wrote the same record each time that it was to be changed. Try again.');
}

/** How a listener finds the order of a notification, and marks it as paid. */
export const orderLink: OrderLink = {
  find: findOrder,

  async read(records, key, reference) {
    const reading = await readOrder(records, key);
    const found = attemptOf(reading.order, reference);
    if (found === undefined) return undefined;
    const { attempt, state } = found;
    return {
      order: { key, attempt, state, paidBy: reading.order.paidBy },
      async markPaid(uuid) {
        await changeOrder(records, key, (order, now) => afterPayment(order, attempt, uuid, now), reading);
      },
    };
  },
};

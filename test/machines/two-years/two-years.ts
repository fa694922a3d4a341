import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'vitest';
import { createOrders, type Orders } from '../../../src/orders';
import { createStore, type Store } from '../../../src/stores';
import { type ReadRecord, type RecordStore, StoreOverRecords } from '../../../src/stores/record-store';
import type { RecordsWithin } from '../../../src/stores/sql-records';
import { type StoreSteps, stepsOf } from '../../../src/stores/steps';
import { transactWithin } from '../../../src/stores/transact';
import type { TransactionAccess } from '../../../src/stores/transaction-access';
import { deferred } from '../../helpers/deferred';
import { authorization, credentials } from '../../helpers/deliver';
import { randomFrom } from '../random';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS = 730;

/**
 * Something outside a process: a statement, a write of the merchant's. It may fail before or after it has acted, and
 * the process may die there. A dead process hears nothing of it any more.
 */
export type Outside = <Result>(act: () => PromiseLike<Result>) => Promise<Result>;

/** What one process has of a database, over two years that pass in seconds. */
export interface Opened {
  // biome-ignore lint/suspicious/noExplicitAny: each database has a transaction of its own type
  readonly store: Store<any>;
  /** Writes an effect into the transaction of its callback. Without it, effects are not in the store's database. */
  readonly write?: (transaction: never, key: string) => PromiseLike<unknown>;
  /** Ends its connections, as the end of a process does. */
  readonly die?: () => void;
}

/** A database that all processes share. */
export interface Ground {
  /** @param offset - how far the database's clock is ahead of the real one, in milliseconds */
  open(outside: Outside, offset: () => number): Opened;
  /** The keys of all effects in the merchant's table; one that came twice is there twice. */
  written?(): Promise<readonly string[]>;
}

/** What two years came to. */
export class TwoYears {
  notifications = 0;
  deliveries = 0;
  crashes = 0;
  replayed = 0;
  /** Six deliveries failed, and no dead letter was kept. Of payments, `reconcile` finds these. */
  givenUp = 0;
  /** Payments that came with no notification at all, and were found by `reconcile`. */
  reconciled = 0;
  /** Journeys that were created, and whose answer nobody got. */
  lostJourneys = 0;
  /** Effects that came again after a process had died, or a reply was lost, between the effect and its record. */
  repeatedAfterTrouble = 0;
  /** Effects that came again without that. */
  doubled = 0;
  /** Payments of a second QR code of an order, or of a closed one: each is left to a person. */
  cases = 0;
  /** Answered 200, or told as done, and never had an effect, nor became such a case. */
  acknowledgedWithoutEffect = 0;
  /** Paid, and never had an effect, nor became such a case. */
  lost = 0;
  /** Orders with two QR codes at a time. */
  twoQrCodes = 0;
  /** Orders whose payment was acted on, and which still showed a QR code. */
  shownAfterPaid = 0;
}

interface Notification {
  readonly key: string;
  readonly day: number;
  readonly query: string;
  readonly body: object;
}

/** A payment of one order, due on a day. */
interface Sale {
  readonly orderKey: string;
  readonly day: number;
}

/** A transaction, as the service has it. */
interface Transaction {
  readonly uuid: string;
  readonly referenceCode: string;
  situation: 'PENDING' | 'PAID' | 'CANCELLED';
}

interface Process {
  readonly orders: Orders;
  readonly died: Promise<void>;
  readonly isDead: () => boolean;
  /** The keys that it is at work on. */
  readonly handling: Set<string>;
}

/** What every order asks for. */
const REQUEST = {
  currency: 'BRL',
  amount: 59.7,
  shopper: {},
  recurrence: { immediatePayment: true },
};

/** How hard the two years are. */
export interface Hardship {
  readonly subscriptions: number;
  /** On so many of all days, processes die and statements fail. */
  readonly faultyDays: number;
  /** So many deliveries come twice at once. */
  readonly atOnce: number;
}

const ORDINARY: Hardship = { subscriptions: 50, faultyDays: 0.3, atOnce: 0.1 };

/** A merchant's processes with their orders, and the service that they call and that sends to them. */
export async function simulateTwoYears(
  seed: number,
  ground: Ground,
  { subscriptions, faultyDays, atOnce }: Hardship = ORDINARY,
): Promise<TwoYears> {
  const random = randomFrom(seed);
  const result = new TwoYears();
  let offset = 0;
  let day = 0;
  let isFaulty = false;
  const ledger = new Map<string, number>();
  const troubled = new Set<string>();
  const acknowledged = new Set<string>();
  const transactions = new Map<string, Transaction>();
  /** What is left to a person, and was not acted on. */
  const cases = new Set<string>();
  /** Returns that wait for their sale, with that sale. */
  const early = new Map<string, string | undefined>();
  const handled = new AsyncLocalStorage<string>();

  function startProcess(life: string): Process {
    let isDead = false;
    let steps = 0;
    const handling = new Set<string>();
    /** The keys whose effect was written, and which are not done. */
    const begun = new Set<string>();
    const { promise: died, resolve: tellDeath } = deferred();
    const forEver = () => new Promise<never>(() => undefined);
    const outside: Outside = async (act) => {
      if (isDead) return forEver();
      steps += 1;
      const draw = isFaulty ? random('step', life, steps) : 1;
      const key = handled.getStore();
      const failing = () => {
        for (const each of key === undefined ? begun : [key]) if (ledger.has(each)) troubled.add(each);
        if (draw % 0.014 > 0.004) throw new Error('simulated: the statement failed');
        isDead = true;
        for (const each of [...handling, ...begun]) if (ledger.has(each)) troubled.add(each);
        result.crashes += 1;
        opened.die?.();
        tellDeath();
        return forEver();
      };
      // Steps take time, so that two processes can be at work on one subject.
      await new Promise(setImmediate);
      if (isDead) return forEver();
      if (draw < 0.014) return failing();
      const value = await act();
      if (isDead) return forEver();
      return draw < 0.028 ? failing() : value;
    };
    const opened = ground.open(outside, () => offset);
    const act = async ({ key }: { readonly key: string }, context: { readonly transaction: unknown }) => {
      // The merchant's own trouble with it lasts for a day.
      const trouble = key.startsWith('payment:') ? 0.01 : 0.1;
      if (random('refused', key) < trouble && dayOf.get(key) === day)
        throw new Error('simulated: out of stock');
      if (opened.write !== undefined) return void (await opened.write(context.transaction as never, key));
      await outside(async () => {
        const times = ledger.get(key) ?? 0;
        ledger.set(key, times + 1);
        begun.add(key);
        if (times > 0) result[troubled.has(key) ? 'repeatedAfterTrouble' : 'doubled'] += 1;
      });
    };
    const client = {
      createRecurringCheckout: ({ referenceCode }: { readonly referenceCode: string }) =>
        outside(async () => {
          const uuid = `t-${referenceCode}`;
          if (transactions.has(uuid)) throw new Error(`Two journeys have the reference ${referenceCode}.`);
          transactions.set(uuid, { uuid, referenceCode, situation: 'PENDING' });
          // No two years are without a lost answer.
          if (transactions.size === 1) throw new Error('simulated: the answer was lost');
          return { response: { uuid, instructions: { qrCode: { plain: `qr-${uuid}` } } } };
        }),
      getTransaction: (uuid: string) =>
        outside(async () => {
          const { amount, currency } = REQUEST;
          return { status: 0, type: 'SALE', amount, currency, ...transactions.get(uuid) };
        }),
    };
    const orders = createOrders({
      client,
      credentials,
      store: opened.store,
      // The lease lasts 15 s longer, and ends before the next delivery.
      callbackTimeoutMs: 10_000,
      waitMs: 200,
      onReport: () => undefined,
      onDone({ key, origin }) {
        begun.delete(key);
        if (origin === 'delivery') return;
        acknowledged.add(key);
        if (origin === 'replay') result.replayed += 1;
      },
      on: {
        paid: (_, context) => act(context, context),
        returned: (_, context) => act(context, context),
        foreign: (_, context) => act(context, context),
        payout: act,
      },
    });
    return { orders, died, isDead: () => isDead, handling };
  }
  const lives = [0, 0];
  const processes = lives.map((_, slot) => startProcess(`${slot}`));
  function processOf(slot: number) {
    const running = processes[slot] as (typeof processes)[0];
    if (!running.isDead()) return running;
    lives[slot] = (lives[slot] ?? 0) + 1;
    const next = startProcess(`${slot} ${lives[slot]}`);
    processes[slot] = next;
    return next;
  }

  /** Looks on without trouble. */
  const overseer = ground.open(
    async (act) => act(),
    () => offset,
  );
  const overseen = createOrders({
    client: { createRecurringCheckout: () => Promise.reject(new Error('open')), getTransaction: () => ({}) },
    store: overseer.store,
  } as never);
  const unnotified = new Set<string>();
  const dayOf = new Map<string, number>();
  const sent = new Map<number, readonly Notification[]>();

  /** One delivery to one process; whether the service got a 200. */
  function deliver({ key, query, body }: Notification, slot: number): Promise<boolean> {
    return handled.run(key, async () => {
      result.deliveries += 1;
      const { orders, died, handling } = processOf(slot);
      handling.add(key);
      const request = new Request(`https://merchant.example/webhooks${query}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const response = await Promise.race([orders.webhook(request), died]);
      handling.delete(key);
      if (response?.status !== 200) return false;
      acknowledged.add(key);
      return !(isFaulty && random('answer lost', key, result.deliveries) < 0.02);
    });
  }

  /** Six times, a minute apart, now and then by two senders at once. */
  async function send(notifications: readonly Notification[]): Promise<void> {
    let left = notifications;
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const answers = await Promise.all(
        left.map(({ key }, index) => {
          const slot = random('slot', key, attempt) < 0.5 ? 0 : 1;
          const slots = random('at once', key, attempt) < atOnce ? [slot, 1 - slot] : [slot];
          return Promise.all(slots.map((each) => deliver(left[index] as Notification, each)));
        }),
      );
      left = left.filter((_, index) => !answers[index]?.includes(true));
      offset += MINUTE_MS;
    }
    const letters = await stepsOf(overseer.store).listLetters({ limit: 10_000 });
    const kept = new Set(letters.map(({ key }) => key));
    for (const { key, code, about } of letters) {
      if (code === 'closed' || code === 'paid_twice') cases.add(key);
      if (code === 'early_return') early.set(key, about?.sale);
    }
    result.givenUp += left.filter(({ key }) => !kept.has(key) && !acknowledged.has(key)).length;
  }

  /**
   * Two processes at once, and again an hour later until a run has come to its end, as a job every hour does. A case is kept
   * for 30 days only: four weeks with no run that ended would leave it to a person.
   */
  async function maintain(): Promise<void> {
    const before = new Set(ledger.keys());
    let isComplete = false;
    for (let hour = 0; hour < 12 && !isComplete; hour += 1) {
      const runs = [0, 1].map((slot) => {
        const { orders, died } = processOf(slot);
        return Promise.race([orders.maintain().catch(() => undefined), died]);
      });
      const results = await Promise.all(runs);
      isComplete = results.some((run) => run?.skipped === false && run.isComplete);
      // A process that has died in it holds the others off for half a minute.
      offset += 60 * MINUTE_MS;
    }
    for (const uuid of unnotified) {
      const key = `payment:${uuid}:PAID`;
      if (ledger.has(key) && !before.has(key)) result.reconciled += 1;
    }
  }

  /** What the customer sees who opens the order's page, now and then twice at once; loaded again until there is a code. */
  async function show({ orderKey }: Sale): Promise<Set<string>> {
    const seen = new Set<string>();
    for (let tries = 0; seen.size === 0; tries += 1) {
      if (tries === 30) throw new Error(`No QR code came for ${orderKey}.`);
      const slot = random('page', orderKey, tries) < 0.5 ? 0 : 1;
      const slots = random('pages', orderKey, tries) < atOnce ? [slot, 1 - slot] : [slot];
      await Promise.all(
        slots.map(async (each) => {
          const { orders, died } = processOf(each);
          const opened = await Promise.race([orders.open(orderKey, REQUEST).catch(() => undefined), died]);
          if (opened?.state === 'open') seen.add(opened.uuid);
        }),
      );
      // Whoever died while its call was on its way holds the order until its lease is over.
      if (seen.size === 0) offset += 3 * MINUTE_MS;
    }
    if (seen.size > 1) result.twoQrCodes += 1;
    return seen;
  }

  /** Opens the orders of a day. Gives the notifications of those that are paid. */
  async function sell(sales: readonly Sale[]): Promise<Notification[]> {
    const paid = await Promise.all(
      sales.map(async (sale) => {
        const { orderKey } = sale;
        const what = random('payer', orderKey);
        const seen = await show(sale);
        if (what < 0.05) {
          // The customer asks for another QR code, and pays both.
          const { orders, died } = processOf(0);
          await Promise.race([orders.close(orderKey).catch(() => undefined), died]);
          for (const uuid of await show(sale)) seen.add(uuid);
        }
        const situation = what > 0.95 ? 'CANCELLED' : 'PAID';
        return [...seen].flatMap((uuid) => {
          const transaction = transactions.get(uuid);
          if (transaction === undefined) throw new Error(`Nobody has created ${uuid}.`);
          transaction.situation = situation;
          if (situation === 'CANCELLED') return [];
          // The listener is down for all six deliveries.
          if (what > 0.9) {
            unnotified.add(uuid);
            return [];
          }
          const { referenceCode } = transaction;
          const { amount, currency } = REQUEST;
          const body = { saleToken: uuid, newStatus: 'PAID', referenceCode, amount, currency };
          return [{ key: `payment:${uuid}:PAID`, day, query: '', body }];
        });
      }),
    );
    return paid.flat();
  }

  /** An order whose payment was acted on shows no QR code. */
  async function lookAgain(sales: readonly Sale[]): Promise<void> {
    for (const { orderKey } of sales) {
      const found = await overseen.find({ referenceCode: orderKey });
      const isDone = found?.attempts.some(({ uuid }) => acknowledged.has(`payment:${uuid}:PAID`)) === true;
      if (isDone && (await overseen.open(orderKey, REQUEST)).state === 'open') result.shownAfterPaid += 1;
    }
  }

  const { sales, notifications } = historyOf(random, subscriptions);
  result.notifications = notifications.length;
  for (const each of notifications) dayOf.set(each.key, each.day);
  const salesByDay = groupedByDay(sales);
  const byDay = groupedByDay(notifications);
  for (; day < DAYS; day += 1) {
    isFaulty = day < DAYS - 30 && random('faulty', day) < faultyDays;
    const sold = salesByDay.get(day) ?? [];
    const paid = await sell(sold);
    result.notifications += paid.length;
    for (const { key } of paid) dayOf.set(key, day);
    const today = [...paid, ...(byDay.get(day) ?? [])];
    sent.set(day, today);
    await send(today);
    await lookAgain(sold);
    // Something of the last four weeks comes again, from a queue or by hand.
    const recent = sent.get(day - Math.floor(1 + random('again', day) * 27)) ?? [];
    const again = recent[Math.floor(random('which', day) * recent.length)];
    if (again !== undefined && acknowledged.has(again.key)) await deliver(again, 0);
    if (day % 7 === 6) await maintain();
    offset += DAY_MS - 6 * MINUTE_MS;
  }

  if (ground.written !== undefined) {
    for (const key of await ground.written()) {
      if (ledger.has(key)) result.doubled += 1;
      ledger.set(key, 1);
    }
  }
  const all = [...transactions.values()];
  const paid = all.filter(({ situation }) => situation === 'PAID');
  const isBooked = (sale: string | undefined) => ledger.has(`payment:${sale}:PAID`);
  // What went back of a payment that is booked has run, too.
  const isSettled = (key: string) =>
    ledger.has(key) || cases.has(key) || (early.has(key) && !isBooked(early.get(key)));
  result.cases = cases.size;
  result.lost = paid.filter(({ uuid }) => !isSettled(`payment:${uuid}:PAID`)).length;
  result.lostJourneys = all.filter(({ situation }) => situation === 'PENDING').length;
  if (ground.written !== undefined) {
    result.reconciled = [...unnotified].filter((uuid) => ledger.has(`payment:${uuid}:PAID`)).length;
  }
  result.acknowledgedWithoutEffect = [...acknowledged].filter(
    // A reversal on its way is remembered, and calls nothing.
    (key) => !isSettled(key) && !/^reversal:.*:PENDING$/.test(key),
  ).length;
  return result;
}

function groupedByDay<Dated extends { readonly day: number }>(all: readonly Dated[]): Map<number, Dated[]> {
  const days = new Map<number, Dated[]>();
  for (const each of all) days.set(each.day, [...(days.get(each.day) ?? []), each]);
  return days;
}

/**
 * Subscriptions that begin at any time and last for up to 16 months, with an order a month. Some payments are reversed or
 * refunded in parts; a reversal's end may come before its beginning. Payouts fail and succeed.
 */
function historyOf(random: ReturnType<typeof randomFrom>, subscriptions: number) {
  const sales: Sale[] = [];
  const notifications: Notification[] = [];
  const add = (day: number, key: string, query: string, body: object) => {
    if (day < DAYS - 40) notifications.push({ key, day, query, body });
  };
  for (let index = 0; index < subscriptions; index += 1) {
    const start = Math.floor(random('start', index) * DAYS);
    const months = 1 + Math.floor(random('months', index) * 16);
    for (let month = 0; month < months; month += 1) {
      const about = [index, month];
      const id = about.join('-');
      const day = start + month * 30;
      if (day < DAYS - 40) sales.push({ orderKey: `order-${id}`, day });
      const later = day + 1 + Math.floor(random('later', ...about) * 5);
      const kind = random('kind', ...about);
      if (kind < 0.03) {
        const query = '?reversing=true&type=reversing';
        const [first, second] = random('order', ...about) < 0.8 ? [later, later + 1] : [later + 1, later];
        const body = { uuid: id, sale: { uuid: `t-order-${id}` }, currency: 'BRL', reversedAmount: 59.7 };
        add(first, `reversal:${id}:PENDING`, query, { ...body, status: 'PENDING' });
        add(second, `reversal:${id}:PAID`, query, { ...body, status: 'PAID' });
      } else if (kind < 0.08) {
        for (const part of ['a', 'b']) {
          const refund = { uuid: `${id}-${part}`, status: 'PAID', amount: 29.85 };
          add(later, `refund:${id}-${part}:PAID`, '?refund=true&type=refund', {
            saleToken: `t-order-${id}`,
            status: 'PAID',
            refund,
          });
        }
      }
    }
  }
  for (let day = 0; day < DAYS; day += 7) {
    const id = `week-${day}`;
    const body = { uuid: id, success: false, status: 'PENDING', error_code: 'PE0001' };
    if (random('payout', day) < 0.2) add(day, `payout:${id}:false:PENDING`, '?payout=true', body);
    const paid = { uuid: id, success: true, status: 'PAID' };
    add(day + 1, `payout:${id}:true:PAID`, '?payout=true&type=payout', paid);
  }
  return { sales, notifications };
}

/** A store over records, with the clock of the two years. */
export function plainly(records: RecordStore, offset: () => number): Store {
  return createStore({
    list: (prefix, page) => records.list(prefix, page),
    async read(subject) {
      const { now, ...rest } = await records.read(subject);
      return { ...rest, now: now + offset() };
    },
    write: (subject, change) => records.write(subject, { ...change, expiresAt: change.expiresAt - offset() }),
  });
}

/** Records whose every step is outside the process. */
export function stepwise(records: RecordStore, outside: Outside): RecordStore {
  return {
    read: (subject) => outside(() => records.read(subject)),
    write: (subject, change) => outside(() => records.write(subject, change)),
    list: (prefix, page) => outside(() => records.list(prefix, page)),
  };
}

/** A store in the merchant's transaction, with the clock of the two years. */
export function within<Tx>(
  access: TransactionAccess<Tx>,
  records: RecordsWithin<Tx>,
  offset: () => number,
  afterCallback?: Parameters<typeof transactWithin<Tx>>[3],
): Store<Tx> {
  const later = (reading: ReadRecord) => ({ ...reading, now: reading.now + offset() });
  const moved: RecordsWithin<Tx> = {
    list: (prefix, page) => records.list(prefix, page),
    read: async (subject, tx) => later(await records.read(subject, tx)),
    async lock(subject, tx, timeoutMs) {
      const reading = await records.lock(subject, tx, timeoutMs);
      return reading && later(reading);
    },
    lockInTurn: async (subject, tx) => later(await records.lockInTurn(subject, tx)),
    liftLimit: (tx) => records.liftLimit(tx),
    savepoint: (tx) => records.savepoint(tx),
    undo: (tx) => records.undo(tx),
    release: (tx) => records.release(tx),
    beforeCommit: (subject, written, tx) => records.beforeCommit(subject, written, tx),
    write: (subject, change, tx) =>
      records.write(subject, { ...change, expiresAt: change.expiresAt - offset() }, tx),
  };
  const transact = transactWithin(access, moved, { maxTransactions: 3 }, afterCallback);
  return new StoreOverRecords<StoreSteps<Tx>>(moved, {}, transact as never);
}

/** Simulates two years, prints what came of them, and checks what must never happen. */
export async function expectNothingDoubled(seed: number, name: string, ground: Ground): Promise<void> {
  const begun = performance.now();
  const result = await simulateTwoYears(seed, ground);
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  console.log(`TEST_SEED=${seed} two years, ${name}, ${seconds} s: ${JSON.stringify(result)}`);
  for (const wrong of [
    'doubled',
    'acknowledgedWithoutEffect',
    'lost',
    'twoQrCodes',
    'shownAfterPaid',
  ] as const) {
    expect(result[wrong], wrong).toBe(0);
  }
  // Two years without trouble prove nothing.
  expect(result.notifications).toBeGreaterThan(200);
  expect(result.deliveries).toBeGreaterThan(result.notifications);
  for (const trouble of ['crashes', 'replayed', 'reconciled', 'lostJourneys', 'cases'] as const) {
    expect(result[trouble], trouble).toBeGreaterThan(0);
  }
}

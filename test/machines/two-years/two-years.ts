import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'vitest';
import { MemoryStore } from '../../../src/stores/memory-store';
import { createStore, type ReadRecord, type RecordStore } from '../../../src/stores/record-store';
import type { RecordsWithin } from '../../../src/stores/sql-records';
import { stepsOf } from '../../../src/stores/steps';
import { type TransactionAccess, transactWithin } from '../../../src/stores/within';
import { createWebhookHandler, type Store, type WebhookHandler } from '../../../src/webhooks';
import { authorization, credentials } from '../../helpers/deliver';
import { storeOf } from '../../helpers/store-of';
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
export interface TwoYears {
  notifications: number;
  deliveries: number;
  crashes: number;
  replayed: number;
  /** Six deliveries failed, and no dead letter was kept. */
  givenUp: number;
  /** Effects that came again after a process had died, or a reply was lost, between the effect and its record. */
  repeatedAfterTrouble: number;
  /** Effects that came again without that. */
  doubled: number;
  /** Answered 200, and never had an effect. */
  acknowledgedWithoutEffect: number;
}

interface Notification {
  readonly key: string;
  readonly day: number;
  readonly query: string;
  readonly body: object;
}

interface Process {
  readonly handler: WebhookHandler;
  readonly died: Promise<void>;
  readonly isDead: () => boolean;
  /** The keys that it is at work on. */
  readonly handling: Set<string>;
}

/** How hard the two years are. */
export interface Hardship {
  readonly subscriptions: number;
  /** On so many of all days, processes die and statements fail. */
  readonly faultyDays: number;
  /** So many deliveries come twice at once. */
  readonly atOnce: number;
}

const ORDINARY: Hardship = { subscriptions: 150, faultyDays: 0.3, atOnce: 0.1 };

/** A merchant's processes, behind the real handler, with the service that sends to them. */
export async function simulateTwoYears(
  seed: number,
  ground: Ground,
  { subscriptions, faultyDays, atOnce }: Hardship = ORDINARY,
): Promise<TwoYears> {
  const random = randomFrom(seed);
  const result: TwoYears = {
    notifications: 0,
    deliveries: 0,
    crashes: 0,
    replayed: 0,
    givenUp: 0,
    repeatedAfterTrouble: 0,
    doubled: 0,
    acknowledgedWithoutEffect: 0,
  };
  let offset = 0;
  let day = 0;
  let isFaulty = false;
  const ledger = new Map<string, number>();
  const troubled = new Set<string>();
  const acknowledged = new Set<string>();
  const letters = stepsOf(new MemoryStore({ clock: () => Date.now() + offset }));
  const handled = new AsyncLocalStorage<string>();

  function startProcess(life: string): Process {
    let isDead = false;
    let steps = 0;
    const handling = new Set<string>();
    let tellDeath: () => void = () => undefined;
    const died = new Promise<void>((resolve) => {
      tellDeath = resolve;
    });
    const forEver = () => new Promise<never>(() => undefined);
    const outside: Outside = async (act) => {
      if (isDead) return forEver();
      steps += 1;
      const draw = isFaulty ? random('step', life, steps) : 1;
      const key = handled.getStore();
      const failing = () => {
        if (key !== undefined && ledger.has(key)) troubled.add(key);
        if (draw % 0.014 > 0.004) throw new Error('simulated: the statement failed');
        isDead = true;
        for (const each of handling) if (ledger.has(each)) troubled.add(each);
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
      if (random('refused', key) < 0.01 && dayOf.get(key) === day) throw new Error('simulated: out of stock');
      if (opened.write !== undefined) return void (await opened.write(context.transaction as never, key));
      await outside(async () => {
        const times = ledger.get(key) ?? 0;
        ledger.set(key, times + 1);
        if (times > 0) result[troubled.has(key) ? 'repeatedAfterTrouble' : 'doubled'] += 1;
      });
    };
    const store = storeOf({
      ...stepsOf(opened.store),
      keepLetter: (...letter) => outside(() => letters.keepLetter(...letter)),
      readLetter: (key) => letters.readLetter(key),
      listLetters: (page) => letters.listLetters(page),
      forgetLetter: (...letter) => outside(() => letters.forgetLetter(...letter)),
    });
    const handler = createWebhookHandler({
      credentials,
      store,
      deadLetters: true,
      // The lease lasts 15 s longer, and ends before the next delivery.
      callbackTimeoutMs: 10_000,
      onReport: () => undefined,
      on: { payment: act, saleStatus: act, reversal: act, refund: act, payout: act },
    });
    return { handler, died, isDead: () => isDead, handling };
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

  /** One delivery to one process; whether the service got a 200. */
  function deliver({ key, query, body }: Notification, slot: number): Promise<boolean> {
    return handled.run(key, async () => {
      result.deliveries += 1;
      const { handler, died, handling } = processOf(slot);
      handling.add(key);
      const request = new Request(`https://merchant.example/webhooks${query}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const response = await Promise.race([handler(request), died]);
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
    const kept = new Set((await letters.listLetters({ limit: 10_000 })).map(({ key }) => key));
    result.givenUp += left.filter(({ key }) => !kept.has(key) && !acknowledged.has(key)).length;
  }

  async function replay(): Promise<void> {
    for (const entry of await letters.listLetters({ limit: 10_000 })) {
      await handled.run(entry.key, async () => {
        const { handler, died } = processOf(0);
        const [replayed] = (await Promise.race([handler.replay([entry]), died])) ?? [];
        if (replayed?.status !== 'done') return;
        acknowledged.add(entry.key);
        result.replayed += 1;
      });
    }
  }

  const all = notificationsOf(random, subscriptions);
  result.notifications = all.length;
  const dayOf = new Map(all.map(({ key, day }) => [key, day]));
  const byDay = groupedByDay(all);
  for (; day < DAYS; day += 1) {
    isFaulty = day < DAYS - 30 && random('faulty', day) < faultyDays;
    await send(byDay.get(day) ?? []);
    // Something of the last four weeks comes again, from a queue or by hand.
    const recent = byDay.get(day - Math.floor(1 + random('again', day) * 27)) ?? [];
    const again = recent[Math.floor(random('which', day) * recent.length)];
    if (again !== undefined && acknowledged.has(again.key)) await deliver(again, 0);
    if (day % 7 === 6) await replay();
    offset += DAY_MS - 6 * MINUTE_MS;
  }

  if (ground.written !== undefined) {
    for (const key of await ground.written()) {
      if (ledger.has(key)) result.doubled += 1;
      ledger.set(key, 1);
    }
  }
  result.acknowledgedWithoutEffect = [...acknowledged].filter((key) => !ledger.has(key)).length;
  return result;
}

function groupedByDay(all: readonly Notification[]): Map<number, Notification[]> {
  const days = new Map<number, Notification[]>();
  for (const each of all) days.set(each.day, [...(days.get(each.day) ?? []), each]);
  return days;
}

/**
 * Subscriptions that begin at any time and last for up to 16 months, with a payment a month. Some payments are reversed
 * or refunded in parts; a reversal's end may come before its beginning. Payouts fail and succeed.
 */
function notificationsOf(random: ReturnType<typeof randomFrom>, subscriptions: number): Notification[] {
  const all: Notification[] = [];
  const add = (day: number, key: string, query: string, body: object) => {
    if (day < DAYS - 40) all.push({ key, day, query, body });
  };
  for (let index = 0; index < subscriptions; index += 1) {
    const start = Math.floor(random('start', index) * DAYS);
    const months = 1 + Math.floor(random('months', index) * 16);
    for (let month = 0; month < months; month += 1) {
      const about = [index, month];
      const id = about.join('-');
      const day = start + month * 30;
      add(day, `payment:${id}:PAID`, '', { saleToken: id, newStatus: 'PAID' });
      const later = day + 1 + Math.floor(random('later', ...about) * 5);
      const kind = random('kind', ...about);
      if (kind < 0.03) {
        const query = '?reversing=true&type=reversing';
        const [first, second] = random('order', ...about) < 0.8 ? [later, later + 1] : [later + 1, later];
        add(first, `reversal:${id}:PENDING`, query, { uuid: id, status: 'PENDING' });
        add(second, `reversal:${id}:PAID`, query, { uuid: id, status: 'PAID' });
      } else if (kind < 0.08) {
        for (const part of ['a', 'b']) {
          const refund = { uuid: `${id}-${part}`, status: 'PAID' };
          add(later, `refund:${id}-${part}:PAID`, '?refund=true&type=refund', {
            saleToken: id,
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
  return all;
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
  afterCallback?: (transaction: Tx) => void,
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
    write: (subject, change, tx) =>
      records.write(subject, { ...change, expiresAt: change.expiresAt - offset() }, tx),
  };
  const transact = transactWithin(access, moved, { maxTransactions: 3 }, afterCallback);
  return storeOf({ transact });
}

/** Simulates two years, prints what came of them, and checks what must never happen. */
export async function expectNothingDoubled(seed: number, name: string, ground: Ground): Promise<void> {
  const begun = performance.now();
  const result = await simulateTwoYears(seed, ground);
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  console.log(`TEST_SEED=${seed} two years, ${name}, ${seconds} s: ${JSON.stringify(result)}`);
  expect(result).toMatchObject({ doubled: 0, acknowledgedWithoutEffect: 0 });
  // Two years without trouble prove nothing.
  expect(result.notifications).toBeGreaterThan(700);
  expect(result.deliveries).toBeGreaterThan(result.notifications);
  expect(result.crashes).toBeGreaterThan(3);
  expect(result.replayed).toBeGreaterThan(3);
  expect(result.givenUp).toBeLessThan(3);
}

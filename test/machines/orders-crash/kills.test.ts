import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createOrders, type FoundOrder } from '../../../src/orders';
import { RedisRecords, scriptRunner } from '../../../src/stores/redis-store';
import { notificationRequest } from '../../../src/testing';
import { deferred } from '../../helpers/deferred';
import { findPostgres } from '../../helpers/postgres';
import { seedRandomTests } from '../../helpers/random-seed';
import { findRedis, redisUrl } from '../../helpers/redis';
import { credentials, FakeClient, paid, request } from '../../orders/support';
import { randomFrom } from '../random';
import { inPostgres, sharing } from '../two-years/grounds';
import type { Ground, Outside } from '../two-years/two-years';

// A process of a shop dies before and after each statement of what it does. Its connections end, as a kill ends them;
// then another process goes on: the service delivers again, a person decides again, `maintain` runs.

const timeout = 300_000;
const MINUTE_MS = 60_000;

/** Which statement the process dies at, counted from 1. */
interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** One order of a shop, the service, and the processes of the shop. */
class Shop {
  readonly key = `order-${randomUUID()}`;
  readonly client = new FakeClient();
  offset = 0;
  sale = '';
  readonly charge = randomUUID();
  /** What was written where no transaction is. */
  readonly #lines: string[] = [];

  constructor(readonly ground: Ground) {}

  /** A process, which may die. */
  process(death?: Death) {
    let steps = 0;
    let isDead = false;
    const { promise: died, resolve: tellDeath } = deferred();
    const forEver = () => new Promise<never>(() => undefined);
    const die = () => {
      isDead = true;
      opened.die?.();
      tellDeath();
      return forEver();
    };
    const outside: Outside = async (act) => {
      if (isDead) return forEver();
      steps += 1;
      const isPlace = steps === death?.at;
      if (isPlace && death?.when === 'before') return die();
      const value = await act();
      if (isDead) return forEver();
      return isPlace ? die() : value;
    };
    const opened = this.ground.open(outside, () => this.offset);
    const write = async ({ transaction }: { readonly transaction: unknown }, line: string) => {
      const keyed = `${this.key} ${line}`;
      if (opened.write !== undefined) return void (await opened.write(transaction as never, keyed));
      await outside(async () => void this.#lines.push(keyed));
    };
    const orders = createOrders({
      client: this.client,
      credentials,
      store: opened.store,
      callbackTimeoutMs: 10_000,
      onReport: () => undefined,
      on: {
        paid: ({ amount, isFirst, sale }, context) =>
          write(context, `paid ${amount} ${isFirst ? 'first' : 'later'} of ${sale}`),
        returned: ({ amount, left, sale }, context) =>
          write(context, `returned ${amount} left ${left} of ${sale}`),
      },
    });
    return { orders, died, isDead: () => isDead, steps: () => steps, end: () => opened.die?.() };
  }

  says(sale: string, fields: object = {}): void {
    this.client.transactions.set(sale, paid(sale, { referenceCode: this.key, ...fields }));
  }

  /** What the merchant has written, each with its sale. */
  async entries(): Promise<string[]> {
    const all = (await this.ground.written?.()) ?? this.#lines;
    return all.filter((line) => line.startsWith(this.key)).map((line) => line.slice(this.key.length + 1));
  }

  async lines(): Promise<string[]> {
    return (await this.entries()).map((line) => line.replace(/ of .*/, ''));
  }
}

type Running = ReturnType<Shop['process']>['orders'];

interface Deed {
  readonly name: string;
  /** What is done before, by a process that lives. */
  readonly before: (shop: Shop, orders: Running) => Promise<unknown>;
  /** Throws, or gives `false`, if it is to be done again. */
  readonly act: (shop: Shop, orders: Running) => Promise<unknown>;
  /** What the merchant has written in the end. */
  readonly lines: readonly string[];
  readonly state: FoundOrder['state'];
}

async function open(shop: Shop, orders: Running): Promise<void> {
  shop.sale = String((await orders.open(shop.key, request)).uuid);
}

async function deliver(orders: Running, kind: 'payment' | 'refund', body: object): Promise<boolean> {
  return (await orders.webhook(notificationRequest(kind, body as never, credentials))).status === 200;
}

function pay(shop: Shop, orders: Running, sale = shop.sale, amount = 59.7): Promise<boolean> {
  shop.says(sale, { amount });
  return deliver(orders, 'payment', {
    saleToken: sale,
    referenceCode: shop.key,
    amount,
    currency: 'BRL',
    date: '2027-01-15 10:00:00',
  });
}

async function openAndPay(shop: Shop, orders: Running): Promise<void> {
  await open(shop, orders);
  expect(await pay(shop, orders)).toBe(true);
}

async function payClosed(shop: Shop, orders: Running): Promise<void> {
  await open(shop, orders);
  await orders.close(shop.key);
  expect(await pay(shop, orders)).toBe(true);
}

const decide = (decision: 'book' | 'dismiss') => async (_: Shop, orders: Running) => {
  for (const { id } of await orders.cases()) await orders.decide(id, decision);
};

const refundId = 'refund-of-this-order';
const deeds: readonly Deed[] = [
  { name: '`paid`', before: open, act: pay, lines: ['paid 59.7 first'], state: 'paid' },
  {
    name: '`paid` of a later charge',
    before: openAndPay,
    act: (shop, orders) => pay(shop, orders, shop.charge, 29.9),
    lines: ['paid 59.7 first', 'paid 29.9 later'],
    state: 'paid',
  },
  {
    name: '`returned`',
    before: openAndPay,
    act: ({ sale, key }, orders) =>
      deliver(orders, 'refund', {
        saleToken: sale,
        referenceCode: key,
        currency: 'BRL',
        reversedAmount: 9.7,
        amountRefunded: 9.7,
        status: 'PAID',
        refund: { uuid: refundId, amount: 9.7, status: 'PAID' },
      }),
    lines: ['paid 59.7 first', 'returned 9.7 left 50'],
    state: 'paid',
  },
  {
    name: "`decide` with 'book'",
    before: payClosed,
    act: decide('book'),
    lines: ['paid 59.7 first'],
    state: 'paid',
  },
  { name: "`decide` with 'dismiss'", before: payClosed, act: decide('dismiss'), lines: [], state: 'none' },
  { name: '`close`', before: open, act: ({ key }, orders) => orders.close(key), lines: [], state: 'none' },
  {
    name: '`maintain`, which finds a payment and what went back of it',
    async before(shop, orders) {
      await open(shop, orders);
      const refund = { uuid: refundId, status: 'PAID', total: 9.7 };
      shop.says(shop.sale, { refunds: { transactions: [refund] } });
    },
    act: async (_, orders) => !(await orders.maintain()).skipped,
    lines: ['paid 59.7 first', 'returned 9.7 left 50'],
    state: 'paid',
  },
];

/** A place of its own for each death. */
type WithGround = (use: (ground: Ground) => Promise<void>) => Promise<void>;

/** Does it once, in a process that dies there, and goes on in another one. Gives how many statements the deed had. */
async function suffer(ground: Ground, deed: Deed, death?: Death): Promise<number> {
  const shop = new Shop(ground);
  const next = shop.process();
  await deed.before(shop, next.orders);
  const mortal = shop.process(death);
  await Promise.race([deed.act(shop, mortal.orders), mortal.died]);
  const steps = mortal.steps();
  if (death !== undefined) expect(mortal.isDead()).toBe(true);
  else mortal.end();

  // Six deliveries, or a person who tries again, each after the lease of whoever died.
  let isDone = death === undefined;
  for (let tries = 0; !isDone && tries < 6; tries += 1) {
    shop.offset += 3 * MINUTE_MS;
    isDone = await deed.act(shop, next.orders).then(
      (done) => done !== false,
      () => false,
    );
  }
  for (let run = 0; run < 3; run += 1) {
    shop.offset += 120 * MINUTE_MS;
    await next.orders.maintain();
  }
  const found = await next.orders.find({ key: shop.key });
  const lines = await shop.lines();
  const { payments, returns, cases, state } = found;
  expect({ isDone, state, cases: cases.length, open: (await next.orders.cases()).length }).toEqual({
    isDone: true,
    state: deed.state,
    cases: 0,
    open: 0,
  });
  // Without a transaction, what the dead process has written may come again.
  const isExact = ground.written !== undefined || death === undefined;
  expect(isExact ? lines : [...new Set(lines)]).toEqual(deed.lines);
  // What the order remembers is what was written.
  const first = ({ attempt }: { readonly attempt?: number | undefined }) =>
    attempt === undefined ? 'later' : 'first';
  const back = returns.reduce((sum, { amount = 0 }) => sum + amount, 0);
  expect([
    ...payments.map((payment) => `paid ${payment.amount} ${first(payment)}`),
    ...returns.map(({ amount = 0 }) => `returned ${amount} left ${59.7 - back}`),
  ]).toEqual(deed.lines);
  next.end();
  return steps;
}

function testKills(name: string, isThere: boolean, withGround: WithGround): void {
  describe
    .skipIf(!isThere)
    .concurrent(`a shop over ${name} that is killed between any two statements`, () => {
      it.each(deeds)('of $name', { timeout }, async (deed) => {
        let steps = 0;
        await withGround(async (ground) => {
          steps = await suffer(ground, deed);
        });
        for (let at = 1; at <= steps; at += 1) {
          for (const when of ['before', 'after'] as const) {
            try {
              await withGround(async (ground) => void (await suffer(ground, deed, { at, when })));
            } catch (error) {
              throw new Error(`killed ${when} statement ${at} of ${steps}: ${error}`, { cause: error });
            }
          }
        }
        console.log(`${name}, ${deed.name}: killed before and after each of ${steps} statements`);
        expect(steps).toBeGreaterThan(1);
      });
    });
}

const inTransactions: WithGround = async (use) => {
  const ends: (() => unknown)[] = [];
  const { ground } = await inPostgres('transactional', {
    onTestFinished: (end) => void ends.push(end as () => unknown),
  });
  try {
    await use(ground);
  } finally {
    for (const end of ends) await end();
  }
};
testKills('PostgreSQL, in transactions', await findPostgres(), inTransactions);

testKills('Redis', await findRedis(), async (use) => {
  const redis = new Redis(redisUrl);
  const prefix = `kills-${randomUUID().slice(0, 8)}:`;
  try {
    await use(sharing(new RedisRecords(scriptRunner(redis), prefix, 'default')));
  } finally {
    const keys = await redis.keys(`${prefix}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  }
});

const seed = seedRandomTests();
const ORDERS = 40;
const EVENTS = 12;

/** What happens to an order at random, while processes die. Gives how many notifications were answered 200. */
async function live(ground: Ground, id: number): Promise<number> {
  const random = randomFrom(seed);
  const shop = new Shop(ground);
  const next = shop.process();
  let answered = 0;
  /** What was shown since the last `close`. */
  let shown = new Set<string>();
  const closed = new Set<string>();
  const paidSales = new Set<string>();
  const refunds: { sale: string; uuid: string }[] = [];
  const find = () => next.orders.find({ key: shop.key });

  for (let event = 0; event < EVENTS; event += 1) {
    const draw = (what: string) => random(what, id, event);
    /** In a process that may die, now and then beside another one, then in one that lives, until it succeeds. */
    const insist = async (act: (orders: Running) => Promise<boolean>) => {
      const mortal = shop.process({
        at: 1 + Math.floor(draw('at') * 16),
        when: draw('when') < 0.5 ? 'before' : 'after',
      });
      const dying = Promise.race([act(mortal.orders).catch(() => false), mortal.died.then(() => false)]);
      const beside = draw('beside') < 0.3 ? act(next.orders).catch(() => false) : Promise.resolve(false);
      let isDone = (await Promise.all([dying, beside])).includes(true);
      mortal.end();
      for (let tries = 0; !isDone && tries < 6; tries += 1) {
        shop.offset += 5 * MINUTE_MS;
        isDone = await act(next.orders).catch(() => false);
      }
      expect(isDone, `event ${event} of order ${id}`).toBe(true);
    };
    const answer = async (done: Promise<boolean>) => {
      const isAnswered = await done;
      if (isAnswered) answered += 1;
      return isAnswered;
    };
    const { payments } = await find();
    const what = event === 0 ? 0 : draw('what');
    if (what < 0.2) {
      await insist(async (orders) => {
        const opened = await orders.open(shop.key, request);
        if (opened.state !== 'open') return true;
        expect(payments, 'a QR code of a paid order').toEqual([]);
        shown.add(opened.uuid);
        return true;
      });
      expect(shown.size, 'live QR codes').toBeLessThanOrEqual(1);
    } else if (what < 0.3) {
      const before = shown;
      await insist(async (orders) => Array.isArray(await orders.close(shop.key)));
      if (payments.length === 0) for (const uuid of before) closed.add(uuid);
      shown = new Set();
    } else if (what < 0.6) {
      // A first payment, of a closed QR code too, or the same one again.
      const codes = [...shown, ...closed, ...paidSales].filter(
        (uuid) => shop.client.transactions.get(uuid)?.amount !== 29.9,
      );
      const sale = codes[Math.floor(draw('code') * codes.length)];
      if (sale === undefined) continue;
      paidSales.add(sale);
      await insist((orders) => answer(pay(shop, orders, sale)));
    } else if (what < 0.8) {
      if (payments.length === 0) continue;
      const charge = randomUUID();
      paidSales.add(charge);
      await insist((orders) => answer(pay(shop, orders, charge, 29.9)));
    } else {
      const payment = payments[Math.floor(draw('sale') * payments.length)];
      if (payment === undefined) continue;
      const refund = { uuid: randomUUID(), amount: 1.1, status: 'PAID' };
      refunds.push({ sale: payment.sale, uuid: refund.uuid });
      const body = {
        saleToken: payment.sale,
        referenceCode: shop.key,
        currency: 'BRL',
        status: 'PAID',
        refund,
      };
      await insist((orders) => answer(deliver(orders, 'refund', body)));
    }
  }
  const { payments, returns } = await find();
  const booked = (await shop.entries()).filter((line) => line.startsWith('paid'));
  const told = (await shop.entries()).filter((line) => line.startsWith('returned'));
  const cases = (await next.orders.cases({ limit: 10_000 })).filter(({ order }) => order === shop.key);
  // What the order remembers is what was written, each once.
  const first = (index: number) => (index === 0 ? 'first' : 'later');
  expect(booked.sort()).toEqual(
    payments.map(({ amount, sale }, index) => `paid ${amount} ${first(index)} of ${sale}`).sort(),
  );
  expect(payments.filter(({ amount }) => amount === 59.7).length, 'first payments').toBeLessThanOrEqual(1);
  expect(payments.filter(({ sale }) => closed.has(sale))).toEqual([]);
  // Every paid event was booked, or is a case.
  const settled = [...payments, ...cases].map(({ sale }) => String(sale));
  expect([...paidSales].filter((sale) => !settled.includes(sale))).toEqual([]);
  // `left` counts down, a refund at a time.
  const expected = payments.flatMap(({ amount, sale }) =>
    refunds
      .filter((refund) => refund.sale === sale)
      .map((_, index) => `returned 1.1 left ${(amount * 100 - 110 * (index + 1)) / 100} of ${sale}`),
  );
  expect(told.sort()).toEqual(expected.sort());
  expect(returns).toHaveLength(refunds.length);
  next.end();
  return answered;
}

describe.skipIf(!(await findPostgres()))('random histories of orders, in transactions of PostgreSQL', () => {
  it('book every payment once or leave a case, and show one QR code', { timeout }, async () => {
    await inTransactions(async (ground) => {
      let answered = 0;
      for (let id = 0; id < ORDERS; id += 1) answered += await live(ground, id);
      console.log(
        `TEST_SEED=${seed} ${ORDERS} orders with a death an event: ${answered} answered notifications`,
      );
      expect(answered).toBeGreaterThan(ORDERS * 2);
    });
  });
});

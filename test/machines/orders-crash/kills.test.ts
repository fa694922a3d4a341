import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { FoundOrder } from '../../../src/orders';
import { allOf } from '../../helpers/all-of';
import { FakeService } from '../../orders/subscription';
import { FakeClient, paid, request } from '../../orders/support';
import type { Ground } from '../two-years/two-years';
import {
  deliver,
  MINUTE_MS,
  type MortalPlace,
  MortalShop,
  mortalPlaces,
  type Running,
  type Trouble,
} from './mortal-shop';

// A process of a shop dies before and after each statement of what it does. Its connections end, as a kill ends them;
// then another process goes on: the service delivers again, a person decides again, `maintain` runs.

const timeout = 300_000;
const isNightly = process.env['NIGHTLY'] === '1';

/** The order, and what the service says of it. */
class Shop extends MortalShop {
  sale = '';
  readonly charge = randomUUID();

  constructor(
    ground: Ground,
    readonly fake = new FakeClient(),
  ) {
    super(ground, fake);
  }

  says(sale: string, fields: object = {}): void {
    this.fake.transactions.set(sale, paid(sale, { referenceCode: this.key, ...fields }));
  }

  async lines(): Promise<string[]> {
    return (await this.entries())
      .filter((line) => !line.startsWith('event '))
      .map((line) => line.replace(/ of .*/, ''));
  }

  /** The events that it was told of. */
  async events(): Promise<string[]> {
    return (await this.entries()).flatMap((line) => (line.startsWith('event ') ? [line.slice(6)] : []));
  }
}

interface Deed {
  readonly name: string;
  /** What is done before, by a process that lives. */
  readonly before: (shop: Shop, orders: Running) => Promise<unknown>;
  /** Throws, or gives `false`, if it is to be done again. */
  readonly act: (shop: Shop, orders: Running) => Promise<unknown>;
  /** What the merchant has written in the end. */
  readonly lines: readonly string[];
  readonly state: FoundOrder['state'];
  /** The events that it was told of in the end. Default: none. */
  readonly events?: readonly string[];
  /** Set where the service has the calls of its public pages. */
  readonly hasCalls?: true;
}

async function open(shop: Shop, orders: Running): Promise<void> {
  shop.sale = String((await orders.open(shop.key, request)).uuid);
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

/** 29.90 a month, approved without a payment. */
const monthly = {
  ...request,
  amount: undefined,
  recurrence: { immediatePayment: false as const, amount: { recurrenceAmount: 29.9 } },
};

async function openMonthly(shop: Shop, orders: Running): Promise<void> {
  await orders.open(shop.key, monthly);
}

const tell =
  (name: string, fields: object = {}) =>
  ({ key }: Shop, orders: Running): Promise<boolean> => {
    const event = { eventType: `RECURRENCE_${name.toUpperCase()}`, idRec: `RR${key}`, externalId: key };
    return deliver(orders, 'recurrence', { saleToken: undefined, ...event, ...fields });
  };

async function authorize(shop: Shop, orders: Running): Promise<void> {
  await openMonthly(shop, orders);
  expect(await tell('authorized')(shop, orders)).toBe(true);
}

/** The event of a charge that is paid. */
function charge(shop: Shop, orders: Running, saleToken = shop.charge): Promise<boolean> {
  shop.says(saleToken, { amount: 29.9 });
  return tell('charge_paid', { saleToken, chargeAmount: 29.9 })(shop, orders);
}

/** What the service says of the recurrence of an order, and of its journey, which nobody has paid. */
function has(shop: Shop, status: string, ...sales: string[]): FakeService {
  const { fake, key } = shop;
  if (!(fake instanceof FakeService)) throw new Error('Its service has no such calls.');
  shop.says(`uuid-of-${key}`, { situation: 'PENDING' });
  fake.authorizations.set(`RR${key}`, { status, sales });
  return fake;
}

/** A charge of today that the service lists, and of which no event has come. */
function lose(shop: Shop): void {
  const { charge: sale, key } = shop;
  shop.says(sale, { amount: 29.9, referenceCode: undefined });
  const dueDate = new Date().toISOString().slice(0, 10);
  has(shop, 'APPROVED', sale).schedules.push({ idRec: `RR${key}`, sale, amount: 29.9, dueDate });
}

async function openAndCharge(shop: Shop, orders: Running): Promise<void> {
  await authorize(shop, orders);
  expect(await charge(shop, orders, `first-${shop.charge}`)).toBe(true);
}

const refundId = 'refund-of-this-order';

function refund({ sale, key }: Shop, orders: Running): Promise<boolean> {
  return deliver(orders, 'refund', {
    saleToken: sale,
    referenceCode: key,
    currency: 'BRL',
    reversedAmount: 9.7,
    amountRefunded: 9.7,
    status: 'PAID',
    refund: { uuid: refundId, amount: 9.7, status: 'PAID' },
  });
}

async function openAndRefund(shop: Shop, orders: Running): Promise<void> {
  await open(shop, orders);
  expect(await refund(shop, orders)).toBe(true);
  expect((await allOf(orders.cases())).map(({ reason }) => reason)).toContain('early_return');
}

const decide = (decision: 'book' | 'dismiss') => async (_: Shop, orders: Running) => {
  for (const { id } of await allOf(orders.cases()))
    await orders.decide(id, decision, decision === 'dismiss' ? { evenIfPaid: true } : {});
};

const maintain = async (_: Shop, orders: Running) => !(await orders.maintain()).skipped;

const PAID_AND_RETURNED = { lines: ['paid 59.7 first', 'returned 9.7 left 50'], state: 'paid' } as const;
const deeds: readonly Deed[] = [
  {
    name: '`open`',
    before: async () => undefined,
    act: async ({ key }, orders) => (await orders.open(key, request)).state === 'open',
    lines: [],
    state: 'open',
  },
  { name: '`paid`', before: open, act: pay, lines: ['paid 59.7 first'], state: 'paid' },
  {
    name: '`paid` of a later charge',
    before: openAndPay,
    act: (shop, orders) => pay(shop, orders, shop.charge, 29.9),
    lines: ['paid 59.7 first', 'paid 29.9 later'],
    state: 'paid',
  },
  { name: '`returned`', before: openAndPay, act: refund, ...PAID_AND_RETURNED },
  { name: '`paid`, which a refund has overtaken', before: openAndRefund, act: pay, ...PAID_AND_RETURNED },
  {
    name: "`decide` with 'book'",
    before: payClosed,
    act: decide('book'),
    lines: ['paid 59.7 first'],
    state: 'paid',
  },
  { name: "`decide` with 'dismiss'", before: payClosed, act: decide('dismiss'), lines: [], state: 'none' },
  {
    name: 'an authorization',
    before: openMonthly,
    act: tell('authorized'),
    lines: [],
    events: ['authorized'],
    state: 'authorized',
  },
  {
    name: 'a charge that failed',
    before: authorize,
    act: tell('charge_failed', { saleToken: 's-1', eventDate: '2027-02-15 10:00:00', retryScheduled: true }),
    lines: [],
    events: ['authorized', 'charge_failed'],
    state: 'authorized',
  },
  {
    name: 'the end of a recurrence',
    before: authorize,
    act: tell('cancelled'),
    lines: [],
    events: ['authorized', 'cancelled'],
    state: 'none',
  },
  {
    name: 'the first charge of a recurrence',
    before: authorize,
    act: charge,
    lines: ['paid 29.9 first'],
    events: ['authorized'],
    state: 'paid',
  },
  {
    name: 'a later charge of a recurrence',
    before: openAndCharge,
    act: charge,
    lines: ['paid 29.9 first', 'paid 29.9 later'],
    events: ['authorized'],
    state: 'paid',
  },
  {
    name: 'the first charge of a recurrence, which nothing has told of before',
    before: openMonthly,
    act: charge,
    lines: ['paid 29.9 first'],
    state: 'paid',
  },
  { name: '`close`', before: open, act: ({ key }, orders) => orders.close(key), lines: [], state: 'none' },
  {
    name: '`maintain`, which finds a payment and what went back of it',
    async before(shop, orders) {
      await open(shop, orders);
      shop.says(shop.sale, { refunds: { transactions: [{ uuid: refundId, status: 'PAID', total: 9.7 }] } });
    },
    act: maintain,
    ...PAID_AND_RETURNED,
  },
  {
    name: '`maintain`, which tells of what went back an hour ago, as the service said beside its payment',
    async before(shop, orders) {
      await open(shop, orders);
      shop.says(shop.sale, { refunds: { transactions: [{ uuid: refundId, status: 'PAID', total: 9.7 }] } });
      await orders.maintain();
      expect(await shop.lines()).toEqual(['paid 59.7 first']);
      shop.offset += 90 * MINUTE_MS;
    },
    act: maintain,
    ...PAID_AND_RETURNED,
  },
  {
    name: '`maintain`, which finds a payment that a refund has overtaken',
    async before(shop, orders) {
      await openAndRefund(shop, orders);
      shop.says(shop.sale);
    },
    act: maintain,
    ...PAID_AND_RETURNED,
  },
  {
    name: '`maintain`, which finds the first charge, whose event was lost',
    hasCalls: true,
    async before(shop, orders) {
      await authorize(shop, orders);
      lose(shop);
    },
    act: maintain,
    lines: ['paid 29.9 first'],
    events: ['authorized'],
    state: 'paid',
  },
  {
    name: '`maintain`, which finds a later charge, whose event was lost',
    hasCalls: true,
    async before(shop, orders) {
      await openAndCharge(shop, orders);
      lose(shop);
    },
    act: maintain,
    lines: ['paid 29.9 first', 'paid 29.9 later'],
    events: ['authorized'],
    state: 'paid',
  },
  {
    name: '`maintain`, which finds the end of a recurrence, whose event was lost',
    hasCalls: true,
    async before(shop, orders) {
      await authorize(shop, orders);
      has(shop, 'CANCELLED');
    },
    act: maintain,
    lines: [],
    events: ['authorized', 'cancelled'],
    state: 'none',
  },
  {
    name: '`maintain`, which tries a case again',
    async before(shop, orders) {
      await open(shop, orders);
      shop.isBroken = true;
      expect(await pay(shop, orders)).toBe(false);
      expect((await allOf(orders.cases())).map(({ reason }) => reason)).toEqual(['callback_failed']);
      shop.isBroken = false;
      shop.offset += 90 * MINUTE_MS;
    },
    act: maintain,
    lines: ['paid 59.7 first'],
    state: 'paid',
  },
];

function hasHappened(event: () => boolean): Promise<boolean> {
  const isSeen = () => {
    if (!event()) throw new Error('Not yet.');
    return true;
  };
  return vi.waitFor(isSeen, { timeout: 5000 }).catch(() => false);
}

/** Does it once, in a process that dies there, and goes on in another one. Gives how many statements the deed had. */
async function suffer(ground: Ground, deed: Deed, death?: Omit<Trouble, 'what'>): Promise<number> {
  const shop = new Shop(ground, deed.hasCalls && new FakeService());
  const next = shop.process();
  await deed.before(shop, next.orders);
  const mortal = shop.process(death && { ...death, what: 'kill' });
  await Promise.race([deed.act(shop, mortal.orders), mortal.interrupted]);
  const steps = mortal.steps();
  // The last statements may be those of the hourly look at `maintain`, which no answer waits for.
  const hasDied = death !== undefined && (await hasHappened(() => mortal.isDead()));
  // A transaction that was in the way of another one is run again, and so has more statements in one run than in the next.
  if (death !== undefined && !hasDied) expect(mortal.steps()).toBeLessThan(death.at);
  if (!hasDied) mortal.end();

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
  expect({ isDone, state, cases: cases.length, open: (await allOf(next.orders.cases())).length }).toEqual({
    isDone: true,
    state: deed.state,
    cases: 0,
    open: 0,
  });
  // Without a transaction, what the dead process has written may come again.
  const isExact = ground.written !== undefined || death === undefined;
  expect(isExact ? lines : [...new Set(lines)]).toEqual(deed.lines);
  const events = await shop.events();
  expect(isExact ? events : [...new Set(events)]).toEqual(deed.events ?? []);
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

/**
 * Before the first statement, and after each. What dies before a statement has left behind what dies after the one before
 * it has, unless they run at the same time: each night, both are tried.
 */
function deathsAmong(steps: number): Pick<Trouble, 'at' | 'when'>[] {
  const all = Array.from({ length: steps }, (_, index) => index + 1).flatMap((at) => [
    { at, when: 'before' as const },
    { at, when: 'after' as const },
  ]);
  return all.filter(({ at, when }) => isNightly || at === 1 || when === 'after');
}

function testKills({ name, isThere, use }: MortalPlace): void {
  describe
    .skipIf(!isThere)
    .concurrent(`a shop over ${name} that is killed between any two statements`, () => {
      it.each(deeds)('of $name', { timeout }, async (deed) => {
        let steps = 0;
        await use(async (ground) => {
          steps = await suffer(ground, deed);
        });
        for (const { at, when } of deathsAmong(steps)) {
          try {
            await use(async (ground) => void (await suffer(ground, deed, { at, when })));
          } catch (error) {
            throw new Error(`killed ${when} statement ${at} of ${steps}: ${error}`, { cause: error });
          }
        }
        console.log(`${name}, ${deed.name}: killed between each two of ${steps} statements`);
        expect(steps).toBeGreaterThan(1);
      });
    });
}

for (const place of await mortalPlaces()) testKills(place);

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Case, OrderConflictError } from '../../../src/orders';
import { readOrder } from '../../../src/orders/order-records';
import type { RecurringCheckoutRequest } from '../../../src/service/operations/create-recurring-checkout';
import type { Transaction } from '../../../src/service/operations/get-transaction';
import { stepsOf } from '../../../src/stores/steps';
import { allOf } from '../../helpers/all-of';
import type { Random } from '../random';
import type { Ground } from '../two-years/two-years';
import { deliver, MINUTE_MS, MortalShop, type Running } from './mortal-shop';

// The life of one order at random: its processes are killed, stopped and cut off, the clock moves, QR codes expire and
// are replaced, payers pay whatever QR code they have seen, and people decide.

const EVENTS = 14;
const PRICES = [59.7, 69.7] as const;
const MONTHLY = 29.9;
const REFUND = 1.1;
const MAX_AGE_MINUTES = 10;
const HOUR_MS = 60 * MINUTE_MS;

/** What the lives of a place came to. */
export class Figures {
  orders = 0;
  /** Notifications of payments and refunds that were answered 200. */
  answered = 0;
  kills = 0;
  cuts = 0;
  stops = 0;
  clockMoves = 0;
  /** QR codes that were shown, and that made room because their time was over or their price had changed. */
  shown = 0;
  expired = 0;
  replaced = 0;
  closed = 0;
  /** Sales that were paid, and what became of each. */
  paid = 0;
  booked = 0;
  dismissed = 0;
  cases = 0;
  /** Paid with no notification, and found by asking. */
  found = 0;
  refunds = 0;
  forged = 0;
  /** Paid or refunded, answered 200 or not, and neither booked, nor a case, nor dismissed. */
  silent = 0;
  /** Written again, which only a lease allows. */
  again = 0;
  /** The longest record of an order. */
  mostBytes = 0;
}

interface ServiceSale extends Pick<Transaction, 'uuid' | 'referenceCode' | 'amount'> {
  readonly uuid: string;
  situation: 'PENDING' | 'PAID' | 'CANCELLED';
  readonly refunds: { readonly uuid: string; readonly total: number; readonly status: 'PAID' }[];
}

/** The service, as far as one place sees it. */
export class Service {
  readonly sales = new Map<string, ServiceSale>();
  readonly #references = new Set<string>();

  add(referenceCode: string, amount: number, situation: ServiceSale['situation']): string {
    const uuid = randomUUID();
    this.sales.set(uuid, { uuid, referenceCode, amount, situation, refunds: [] });
    return uuid;
  }

  async createRecurringCheckout({ referenceCode, amount }: RecurringCheckoutRequest) {
    if (this.#references.has(referenceCode))
      throw new Error(`Two journeys have the reference ${referenceCode}.`);
    this.#references.add(referenceCode);
    const uuid = this.add(referenceCode, Number(amount), 'PENDING');
    return { response: { uuid, instructions: { qrCode: { plain: `qr-${uuid}` } } } };
  }

  async getTransaction(uuid: string): Promise<Transaction> {
    const sale = this.sales.get(uuid);
    if (sale === undefined) throw new Error('simulated: 404');
    const { refunds, ...others } = sale;
    return { status: 0, type: 'SALE', currency: 'BRL', ...others, refunds: { transactions: refunds } };
  }
}

/** A QR code that a payer has seen. */
interface Shown {
  readonly uuid: string;
  readonly price: number;
  readonly expiresAt: number | undefined;
}

/** Lives one order, and checks at its end what must hold. */
export async function live(
  ground: Ground,
  service: Service,
  random: Random,
  id: number,
  figures: Figures,
): Promise<void> {
  const reports: string[] = [];
  const shop = new MortalShop(ground, service, (report) => reports.push(report));
  const next = shop.process();
  const { key } = shop;
  let price: number = PRICES[0];
  /** The QR code that may be paid; missing after `close`. */
  let current: Shown | undefined;
  const shown = new Map<string, Shown>();
  const closed = new Set<string>();
  const paid = new Set<string>();
  const told = new Set<string>();
  const refunds: { readonly sale: string; readonly uuid: string }[] = [];
  const decided = new Map<string, 'book' | 'dismiss'>();
  const find = () => next.orders.find({ key });
  const nowAt = () => Date.now() + shop.offset;
  const saleOf = (uuid: string) => service.sales.get(uuid) as ServiceSale;
  const casesOf = async () =>
    (await allOf(next.orders.cases())).filter(({ order, sale }) => order === key || ofIts(sale));
  const ofIts = (sale: string | undefined) => sale !== undefined && (shown.has(sale) || paid.has(sale));

  for (let event = 0; event < EVENTS; event += 1) {
    const draw = (what: string) => random(what, id, event);
    const pick = <Each>(what: string, all: readonly Each[]) => all[Math.floor(draw(what) * all.length)];

    /** In a process that meets with trouble, now and then beside another one, then in one that lives, until it succeeds. */
    const insist = async (act: (orders: Running) => Promise<boolean>) => {
      reports.length = 0;
      const trouble = draw('trouble');
      const mortal = shop.process({
        at: 1 + Math.floor(draw('at') * 16),
        when: draw('when') < 0.5 ? 'before' : 'after',
        what: trouble < 0.4 ? 'kill' : trouble < 0.75 ? 'cut' : 'stop',
      });
      const attempt = (orders: Running) => act(orders).catch(failed);
      const first = attempt(mortal.orders);
      const dying = Promise.race([first, mortal.interrupted.then(() => false)]);
      const beside = draw('beside') < 0.3 ? attempt(next.orders) : Promise.resolve(false);
      let isDone = (await Promise.all([dying, beside])).includes(true);
      for (let tries = 0; !isDone && tries < 8; tries += 1) {
        if (tries === 2) mortal.letGo();
        // A database takes a while to notice that a process has died, and one that was stopped to end its transaction.
        if (tries > 2) await sleep(100 * tries);
        shop.offset += 5 * MINUTE_MS;
        isDone = await attempt(next.orders);
      }
      // Whoever was stopped goes on, long after its lease.
      mortal.letGo();
      if (!mortal.isDead()) await first;
      mortal.end();
      if (mortal.hasHit()) {
        if (trouble < 0.4) figures.kills += 1;
        else if (trouble < 0.75) figures.cuts += 1;
        else figures.stops += 1;
      }
      expect(isDone, `event ${event} of order ${id} is never done: ${reports.join(', ')}`).toBe(true);
    };
    const failed = (error: unknown) => {
      // What the checks of this file throw is no trouble of the shop's.
      if (error instanceof Error && error.name === 'AssertionError') throw error;
      reports.push(String(error));
      return false;
    };
    const answer = async (done: Promise<boolean>) => {
      const isAnswered = await done;
      if (isAnswered) figures.answered += 1;
      return isAnswered;
    };
    const tell = (sale: string) => {
      const { referenceCode, amount } = saleOf(sale);
      const body = { saleToken: sale, referenceCode, amount, currency: 'BRL', date: '2027-01-15 10:00:00' };
      return insist((orders) => answer(deliver(orders, 'payment', body))).then(() => void told.add(sale));
    };

    const { payments } = await find();
    const what = event === 0 ? 0 : draw('what');
    if (what < 0.28) {
      if (draw('late') < 0.5) shop.offset += 2 * MAX_AGE_MINUTES * MINUTE_MS;
      const isReplacing = draw('replace') < 0.5;
      if (isReplacing) price = pick('price', PRICES) ?? price;
      const maxAge = draw('max age') < 0.7 ? MAX_AGE_MINUTES : undefined;
      const asked = price;
      const request = {
        currency: 'BRL',
        amount: asked,
        shopper: {},
        recurrence: { immediatePayment: true, amount: { recurrenceAmount: MONTHLY } },
        ...(maxAge !== undefined && { maxAge }),
      };
      const seen = new Map<string, number | undefined>();
      const isTaken =
        payments.length > 0 || [...told].some((sale) => shown.has(sale) && decided.get(sale) !== 'dismiss');
      await insist(async (orders) => {
        try {
          const opened = await orders.open(key, request, { replace: isReplacing });
          if (opened.state === 'open') seen.set(opened.uuid, opened.expiresAt);
        } catch (error) {
          if (!(error instanceof OrderConflictError)) throw error;
        }
        return true;
      });
      expect(seen.size, `QR codes at once of order ${id}`).toBeLessThanOrEqual(1);
      for (const [uuid, expiresAt] of seen) {
        expect(isTaken, `order ${id} is paid, and shows a QR code`).toBe(false);
        const isOther = current !== undefined && current.uuid !== uuid;
        const isOver = nowAt() >= (current?.expiresAt ?? Number.POSITIVE_INFINITY);
        const isOld = isReplacing && current?.price !== asked;
        if (isOther) {
          expect(isOver || isOld, `order ${id} has two live QR codes`).toBe(true);
          const isPaid = paid.has(String(current?.uuid));
          expect(isPaid, `a QR code of order ${id} was paid, and made room`).toBe(false);
          if (isOver) figures.expired += 1;
          else figures.replaced += 1;
        }
        if (!shown.has(uuid)) figures.shown += 1;
        current = { uuid, price: saleOf(uuid).amount as number, expiresAt };
        shown.set(uuid, current);
      }
    } else if (what < 0.33) {
      await insist(async (orders) => Array.isArray((await orders.close(key)).attempts));
      figures.closed += 1;
      const booked = (await find()).payments.map(({ sale }) => sale);
      for (const uuid of shown.keys()) if (!booked.includes(uuid)) closed.add(uuid);
      current = undefined;
    } else if (what < 0.56) {
      // Whatever QR code a payer has seen, also for the second time; now and then the notification is lost.
      const uuid = pick('code', [...shown.keys()]);
      if (uuid === undefined) continue;
      saleOf(uuid).situation = 'PAID';
      paid.add(uuid);
      if (draw('lost') >= 0.2 || told.has(uuid)) await tell(uuid);
    } else if (what < 0.72) {
      // A later charge, which may overtake the first payment.
      const of = pick('charge of', [...shown.keys()]);
      if (of === undefined) continue;
      const uuid = service.add(String(saleOf(of).referenceCode), MONTHLY, 'PAID');
      paid.add(uuid);
      await tell(uuid);
    } else if (what < 0.84) {
      const sale = pick('refunded', [...paid]);
      if (sale === undefined || decided.get(sale) === 'dismiss') continue;
      const uuid = randomUUID();
      saleOf(sale).refunds.push({ uuid, total: REFUND, status: 'PAID' });
      refunds.push({ sale, uuid });
      const { referenceCode } = saleOf(sale);
      const refund = { uuid, amount: REFUND, status: 'PAID' };
      const body = { saleToken: sale, referenceCode, currency: 'BRL', status: 'PAID', refund };
      const sums = { reversedAmount: REFUND, amountRefunded: REFUND, receipt: null };
      await insist((orders) => answer(deliver(orders, 'refund', { ...body, ...sums })));
    } else if (what < 0.88) {
      const unpaid = [...shown.keys()].filter((each) => !paid.has(each));
      const uuid = pick('forged', unpaid);
      if (uuid === undefined) continue;
      figures.forged += 1;
      const forged = { saleToken: uuid, referenceCode: saleOf(uuid).referenceCode, currency: 'BRL' };
      expect(await deliver(next.orders, 'payment', { ...forged, amount: saleOf(uuid).amount })).toBe(false);
    } else if (what < 0.93) {
      const toDecide = (await casesOf()).filter(({ kind, retries }) => kind === 'payment' && !retries);
      const found = pick('case', toDecide);
      if (found?.sale === undefined) continue;
      const decision = draw('decision') < 0.5 ? 'book' : 'dismiss';
      const { id: caseId, sale } = found;
      const options = decision === 'dismiss' ? { evenIfPaid: true } : {};
      await insist(async (orders) => {
        const { status } = await orders.decide(caseId, decision, options);
        // A case that could not be forgotten was decided before.
        decided.set(sale, status === 'booked' ? 'book' : 'dismiss');
        return true;
      });
      if (decided.get(sale) === 'dismiss' && current?.uuid === sale) current = undefined;
    } else if (what < 0.97) {
      figures.clockMoves += 1;
      // Forwards by up to 20 hours, or set back by up to four minutes.
      shop.offset += Math.round(draw('back') < 0.3 ? -draw('by') * 4 * MINUTE_MS : draw('by') * 20 * HOUR_MS);
    } else {
      await insist(async (orders) => !(await orders.maintain()).skipped);
    }
  }

  // Time for all that comes by itself.
  for (const sale of service.sales.values()) {
    if (shown.has(sale.uuid) && sale.situation === 'PENDING') sale.situation = 'CANCELLED';
  }
  for (let run = 0; run < 4; run += 1) {
    shop.offset += 26 * HOUR_MS;
    await next.orders.maintain();
  }
  const cases = await casesOf();
  await check(shop, next, { cases, service, shown, closed, paid, told, refunds, decided, id, figures });

  // A person ends the rest.
  for (const each of cases) await next.orders.decide(each.id, 'dismiss', { evenIfPaid: true });
  expect([await casesOf(), (await find()).cases], `the cases of order ${id}`).toEqual([[], []]);
  next.end();
}

interface Lived {
  readonly cases: readonly Case[];
  readonly service: Service;
  readonly shown: ReadonlyMap<string, Shown>;
  readonly closed: ReadonlySet<string>;
  readonly paid: ReadonlySet<string>;
  readonly told: ReadonlySet<string>;
  readonly refunds: readonly { readonly sale: string; readonly uuid: string }[];
  readonly decided: ReadonlyMap<string, 'book' | 'dismiss'>;
  readonly id: number;
  readonly figures: Figures;
}

async function check(
  shop: MortalShop,
  { orders, store }: ReturnType<MortalShop['process']>,
  { cases, service, shown, closed, paid, told, refunds, decided, id, figures }: Lived,
): Promise<void> {
  const { key, ground } = shop;
  const about = `order ${id}, ${key}`;
  const { payments, returns, attempts, cases: marked } = await orders.find({ key });
  const entries = await shop.entries();
  const lines = {
    booked: entries.filter((line) => line.startsWith('paid')),
    told: entries.filter((line) => line.startsWith('returned')),
  };
  // Each once in a transaction, at least once under a lease; and `find` has what was written, and nothing else.
  const once = [...new Set(lines.booked)];
  figures.again += lines.booked.length - once.length;
  if (ground.written !== undefined) expect(lines.booked, about).toEqual(once);
  const first = (index: number) => (index === 0 ? 'first' : 'later');
  expect(once.sort(), about).toEqual(
    payments.map(({ amount, sale }, index) => `paid ${amount} ${first(index)} of ${sale}`).sort(),
  );
  for (const { sale, amount } of payments)
    expect(service.sales.get(sale), about).toMatchObject({ situation: 'PAID', amount });
  // Of the QR codes one has paid, unless a person has booked another; never a closed one by itself.
  const bySelf = payments.filter(({ sale }) => shown.has(sale) && decided.get(sale) !== 'book');
  expect(bySelf.length, about).toBeLessThanOrEqual(1);
  const ofClosed = bySelf.filter(({ sale }) => closed.has(sale));
  const dismissed = payments.filter(({ sale }) => decided.get(sale) === 'dismiss');
  expect([ofClosed, dismissed], about).toEqual([[], []]);
  const paidAttempts = attempts.filter(({ state }) => state === 'paid').map(({ uuid }) => String(uuid));
  const ofAttempts = payments.filter(({ attempt }) => attempt !== undefined).map(({ sale }) => sale);
  expect(paidAttempts, about).toEqual(ofAttempts);

  // Every sale that is paid was booked, or is a case, or was dismissed.
  const booked = new Set(payments.map(({ sale }) => sale));
  const inCases = new Set(cases.map(({ sale }) => String(sale)));
  for (const sale of paid) {
    figures.paid += 1;
    if (booked.has(sale)) figures.booked += 1;
    else if (decided.get(sale) === 'dismiss') figures.dismissed += 1;
    else if (inCases.has(sale)) figures.cases += 1;
    else figures.silent += 1;
    if (!told.has(sale) && (booked.has(sale) || inCases.has(sale))) figures.found += 1;
  }
  // The order remembers the cases of its own money, and no other; one that is not confirmed since keeps its place.
  const ofOrder = cases.filter(({ order }) => order === key);
  const isOwn = ({ kind, sale, reason }: Case) =>
    kind === 'payment' &&
    !/confirm|other_sale|repeat/.test(reason) &&
    // A case that a person has booked, and that could not be forgotten then, stays in the list.
    !booked.has(String(sale)) &&
    attempts.some(({ uuid }) => uuid === sale);
  const ids = ofOrder.map((each) => each.id);
  const markedIds = marked.map((each) => each.id);
  expect(ids, about).toEqual(expect.arrayContaining(markedIds));
  expect(markedIds, about).toEqual(expect.arrayContaining(ofOrder.filter(isOwn).map((each) => each.id)));

  // `left` of each sale: every refund was told, the last one told has what is left of the sale.
  figures.refunds += refunds.length;
  const toldOnce = [...new Set(lines.told)];
  figures.again += lines.told.length - toldOnce.length;
  if (ground.written !== undefined) expect(lines.told, about).toEqual(toldOnce);
  for (const [sale, uuids] of bySale(refunds)) {
    const { amount = 0 } = service.sales.get(sale) ?? {};
    const left = (count: number) => Math.round(Number(amount) * 100 - count * REFUND * 100) / 100;
    const own = toldOnce.filter((line) => line.includes(` of ${sale} by `));
    if (!booked.has(sale)) {
      expect(own, about).toEqual([]);
      const waiting = uuids.filter((uuid) => !cases.some(({ id: each }) => each.includes(uuid)));
      figures.silent += waiting.length;
      continue;
    }
    const ids = new Set(own.map((line) => / by refund:(.*):PAID$/.exec(line)?.[1]));
    expect([...ids].sort(), `${about}: refunds of ${sale} that were told`).toEqual([...uuids].sort());
    const lefts = own.map((line) => Number(/ left (\S+)/.exec(line)?.[1]));
    expect(Math.min(...lefts), `${about}: left of ${sale}`).toBe(left(uuids.length));
    const allowed = uuids.map((_, index) => left(index + 1));
    expect(allowed, `${about}: left of ${sale}`).toEqual(expect.arrayContaining(lefts));
    expect(returns.filter((each) => each.sale === sale && each.status === 'PAID')).toHaveLength(uuids.length);
  }

  // Nothing without bound.
  expect(attempts.length, about).toBeLessThanOrEqual(50);
  const { order } = await readOrder(stepsOf(store), key);
  figures.mostBytes = Math.max(figures.mostBytes, new TextEncoder().encode(JSON.stringify(order)).length);
  figures.orders += 1;
}

function bySale(refunds: Lived['refunds']): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const { sale, uuid } of refunds) all.set(sale, [...(all.get(sale) ?? []), uuid]);
  return all;
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors';
import type { DoneMaintain } from '../../src/orders';
import { pointToSale } from '../../src/orders/order-records';
import { stepsOf } from '../../src/stores/steps';
import { allOf } from '../helpers/all-of';
import { allPlaces, type HookContext, memory, newId, type Place, type PlaceKind, type Shop } from './places';
import { FakeService, monthly, Subscription } from './subscription';

// What the daily search of `maintain` finds: paid charges, and ends, whose event was lost.

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The place's clock begins here. */
const START = Date.parse('2027-01-15T12:00:00Z');
const dayAfter = (days: number) => new Date(START + days * DAY_MS).toISOString().slice(0, 10);
const paidLines = (lines: readonly string[]) => lines.filter((line) => line.startsWith('paid'));
const refusal = (httpStatus: number) =>
  new ApiError(String(httpStatus), {
    operation: 'getTransaction',
    attempts: 1,
    outcome: 'refused',
    httpStatus,
    body: {},
  });

function shared(options: ConstructorParameters<typeof Shop>[2] = {}) {
  const service = new FakeService();
  const place: Place & { readonly skip?: (ms: number) => void } = memory().open();
  const subscription = (more = options) => new Subscription(place, {}, more, service);
  const skip = (ms: number) => place.skip?.(ms);
  return { service, place, subscription, skip };
}

/** A subscription whose payer has approved, with the search of that day behind it. */
async function authorized(options: ConstructorParameters<typeof Shop>[2] = {}) {
  const all = shared(options);
  const s = all.subscription();
  await s.open(monthly);
  expect(await s.tell('authorized')).toBe(200);
  s.says(`uuid-of-${s.key}`, { situation: 'PENDING' });
  const maintain = async (more: object = {}) => {
    const { recurrences, errors } = (await s.orders.maintain(more)) as DoneMaintain;
    return { recurrences, errors };
  };
  const asked = () => s.service.requests.filter((each) => each.includes('/scheduled-payments'));
  return { ...all, s, maintain, asked };
}

/** A month that the service has charged, and of which no event has told. */
function lose(
  s: Subscription,
  dueDate: string,
  stated: Parameters<Subscription['charged']>[1] = { stated: 'none' },
) {
  const sale = s.charged(newId(), stated);
  s.service.schedules.push({ idRec: s.idRec, sale, amount: 29.9, dueDate });
  return sale;
}

describe('a charge whose event was lost', () => {
  it('is found the next day, and booked once, whenever its event comes after that', async () => {
    const { s, maintain, skip, asked } = await authorized();
    expect((await maintain()).recurrences).toEqual({
      listed: 0,
      booked: 0,
      review: 0,
      ended: 0,
      failed: 0,
      isComplete: true,
    });
    expect(asked()).toEqual([
      `GET /v1.1/pix-automatic/scheduled-payments?status=PAID&initialDueDate=${dayAfter(-16)}&finalDueDate=${dayAfter(1)}&page=0`,
    ]);
    const sale = lose(s, dayAfter(1));
    skip(HOUR_MS);
    // Once a day.
    expect(await maintain()).toEqual({ recurrences: undefined, errors: [] });
    skip(23 * HOUR_MS);
    expect((await maintain()).recurrences).toMatchObject({ listed: 1, booked: 1, isComplete: true });
    expect(paidLines(await s.lines())).toEqual([`paid ${sale} 29.9 first`]);
    const told = { chargeDueDate: `${dayAfter(1)} 00:00:00` };
    expect([await s.tellPaid(sale, told), await s.tellPaid(sale, told)]).toEqual([200, 200]);
    skip(DAY_MS);
    expect((await maintain()).recurrences).toMatchObject({ listed: 1, booked: 0, review: 0 });
    expect([paidLines(await s.lines()), await s.cases(), s.reports]).toEqual([
      [`paid ${sale} 29.9 first`],
      [],
      [],
    ]);
  });

  it('says which month it pays, as its event would', async () => {
    const { service, place, skip } = shared();
    const due: unknown[] = [];
    const paid = (_: object, { notification }: HookContext) => {
      due.push(String(notification.raw['chargeDueDate']).slice(0, 10));
    };
    const s = new Subscription(place, { paid }, {}, service);
    await s.open(monthly);
    await s.tell('authorized');
    s.says(`uuid-of-${s.key}`, { situation: 'PENDING' });
    expect(await s.tellPaid(s.charged(), { chargeDueDate: `${dayAfter(-1)} 00:00:00` })).toBe(200);
    lose(s, dayAfter(1));
    skip(DAY_MS);
    await s.orders.maintain();
    expect(due).toEqual([dayAfter(-1), dayAfter(1)]);
  });

  it.each(['the journey’s', 'another', 'none'] as const)(
    'leads to its order by what there is: %s',
    async (stated) => {
      const { s, maintain } = await authorized();
      const sale = lose(s, dayAfter(-3), { stated });
      expect((await maintain()).recurrences).toMatchObject({ booked: 1 });
      expect(paidLines(await s.lines())).toEqual([`paid ${sale} 29.9 first`]);
      expect(await s.recurrences()).toMatchObject([
        { charge: { sale, status: 'PAID', dueDate: dayAfter(-3) } },
      ]);
    },
  );

  it('is found where the only event that has come was a repeat of a charge’s ordinary form', async () => {
    const { subscription, skip } = shared();
    const s = subscription();
    await s.open(monthly);
    s.says(`uuid-of-${s.key}`, { situation: 'PENDING' });
    const [first, lost] = [s.charged(), lose(s, dayAfter(-1), { stated: 'the journey’s' })];
    expect(await s.tellSale(first)).toBe(200);
    expect(((await s.orders.maintain()) as DoneMaintain).recurrences).toBeUndefined();
    expect(await s.tellPaid(first)).toBe(200);
    skip(DAY_MS);
    expect(((await s.orders.maintain()) as DoneMaintain).recurrences).toMatchObject({ booked: 1 });
    expect([paidLines(await s.lines()), await s.cases()]).toEqual([
      [`paid ${first} 29.9 first`, `paid ${lost} 29.9 later`],
      [],
    ]);
  });

  it('tells its order of the recurrence by an event that repeats its ordinary form, if that names the order', async () => {
    const { subscription } = shared();
    const s = subscription();
    await s.open(monthly);
    s.says(`uuid-of-${s.key}`, { situation: 'PENDING' });
    const sale = s.charged();
    expect(await s.tellSale(sale)).toBe(200);
    expect(await s.tellPaid(sale, { idRec: 'RR-other', externalId: 'of-nobody' })).toBe(200);
    expect(await s.recurrences()).toEqual([]);
    const dueDate = dayAfter(0);
    expect(await s.tellPaid(sale, { chargeDueDate: dueDate })).toBe(200);
    const charge = { sale, amount: 29.9, dueDate, status: 'PAID' };
    expect(await s.recurrences()).toEqual([{ idRec: s.idRec, attempt: 1, status: 'APPROVED', charge }]);
    expect(await s.lines()).toEqual([`paid ${sale} 29.9 first`]);
    expect(await s.orders.cancelRecurrence(s.key, { reason: 'asked for' })).toMatchObject({
      cancelled: [s.idRec],
    });
    // What names nothing but the recurrence finds the order.
    expect(await s.tell('cancelled', { externalId: 'of-nobody' })).toBe(200);
    expect(await s.recurrences()).toMatchObject([{ status: 'CANCELLED' }]);
    // Told of once more, it stays over.
    expect(await s.tellPaid(sale, { chargeDueDate: dueDate })).toBe(200);
    expect(await s.recurrences()).toMatchObject([{ status: 'CANCELLED' }]);
  });

  it('has its return run once it is found, which is nobody’s only if the search does not find its sale', async () => {
    const { s, maintain, skip } = await authorized({ on: { foreign: 'ignore' } as never });
    expect((await maintain()).recurrences).toMatchObject({ listed: 0 });
    const sale = lose(s, dayAfter(0));
    for (const each of [sale, newId()]) expect(await s.reverse(each, newId(), 29.9, 'PAID')).toBe(200);
    for (let hours = 0; hours < 22; hours += 2) {
      skip(2 * HOUR_MS);
      await maintain();
    }
    expect([paidLines(await s.lines()), (await s.cases()).length]).toEqual([[], 2]);
    skip(2 * HOUR_MS);
    expect((await maintain()).recurrences).toMatchObject({ booked: 1 });
    skip(2 * HOUR_MS);
    await maintain();
    expect([(await s.lines()).slice(1), await s.cases()]).toEqual([
      [`paid ${sale} 29.9 first`, `returned ${sale} 29.9 left 0`],
      [],
    ]);
  });

  it('is not waited for longer than two days by a return of no order where no search succeeds', async () => {
    const { s, maintain, skip } = await authorized({ on: { foreign: 'ignore' } as never });
    s.service.trouble = refusal(500);
    expect(await s.reverse(newId(), newId(), 29.9, 'PAID')).toBe(200);
    skip(47 * HOUR_MS);
    await maintain();
    expect(await s.cases()).toHaveLength(1);
    skip(2 * HOUR_MS);
    await maintain();
    expect(await s.cases()).toEqual([]);
  });

  it.each(['the service does not have the calls', 'the merchant wants none'])(
    'is waited for an hour by a return of no order where %s',
    async (why) => {
      const recurrences = why.startsWith('the service') ? undefined : false;
      const { s, maintain, skip } = await authorized({ on: { foreign: 'ignore' } as never, recurrences });
      s.service.withoutCalls();
      await maintain();
      expect(await s.reverse(newId(), newId(), 29.9, 'PAID')).toBe(200);
      skip(HOUR_MS - 60_000);
      await maintain();
      expect(await s.cases()).toHaveLength(1);
      skip(HOUR_MS);
      await maintain();
      expect(await s.cases()).toEqual([]);
    },
  );

  it('is found by the reference where the list names no recurrence, and is nobody’s without both', async () => {
    const { s, maintain, service } = await authorized();
    const [known, unknown] = [s.charged(), s.charged(newId(), { stated: 'none' })];
    for (const sale of [known, unknown])
      service.schedules.push({ sale, amount: 29.9, dueDate: dayAfter(-1) });
    expect((await maintain()).recurrences).toMatchObject({ listed: 2, booked: 1, review: 0, failed: 0 });
    expect(paidLines(await s.lines())).toEqual([`paid ${known} 29.9 first`]);
  });

  it('is a case where it is not expected, which is decided as that of its event would be', async () => {
    const { s, maintain } = await authorized();
    const sale = lose(s, dayAfter(-1), { stated: 'none', amount: 31 });
    expect((await maintain()).recurrences).toMatchObject({ booked: 0, review: 1 });
    expect(await s.cases()).toEqual([`other_amount ${sale}`]);
    const [found] = await allOf(s.orders.cases());
    expect(JSON.parse(String(found?.body))).toMatchObject({
      eventType: 'RECURRENCE_CHARGE_PAID',
      saleToken: sale,
    });
    expect(await s.book(sale)).toBe('booked');
    expect(paidLines(await s.lines())).toEqual([`paid ${sale} 31 first`]);
  });

  it('is looked for as far back as the last search that came to its end, by 15 days more, 60 at most', async () => {
    const { maintain, skip, asked } = await authorized();
    const from = () => /initialDueDate=([\d-]+)/.exec(String(asked().at(-1)))?.[1];
    await maintain();
    skip(20 * DAY_MS);
    await maintain();
    expect(from()).toBe(dayAfter(-16));
    skip(200 * DAY_MS);
    await maintain();
    expect(from()).toBe(dayAfter(220 - 61));
  });

  it.each(['charge_scheduled', 'charge_failed', 'charge_paid'])(
    'is found where all events before %s were lost: by that, its order learns of its recurrence',
    async (name) => {
      const { s, skip, asked, subscription } = await authorized();
      const from = () => /initialDueDate=([\d-]+)/.exec(String(asked().at(-1)))?.[1];
      const t = subscription();
      const maintain = () => t.orders.maintain();
      await t.open(monthly);
      t.says(`uuid-of-${t.key}`, { situation: 'PENDING' });
      const lost = lose(t, dayAfter(0));
      for (let day = 0; day < 30; day += 1) {
        await maintain();
        skip(DAY_MS);
      }
      expect(paidLines(await t.lines())).toEqual([]);

      const month = { chargeAmount: 29.9, chargeDueDate: `${dayAfter(30)} 00:00:00` };
      const tell = async (of: Subscription) => {
        const sale = name === 'charge_paid' ? of.charged(newId(), { stated: 'none' }) : newId();
        expect(await of.tell(name, { saleToken: sale, ...month })).toBe(200);
        return name === 'charge_paid' ? [sale] : [];
      };
      // This one has told of its approval, so nothing of it is missing.
      await tell(s);
      await maintain();
      expect(from()).toBe(dayAfter(29 - 16));
      const told = await tell(t);
      skip(DAY_MS);
      await maintain();
      expect(from()).toBe(dayAfter(31 - 61));
      expect(paidLines(await t.lines()).map((line) => line.split(' ')[1])).toEqual([...told, lost]);
      // Once.
      await tell(t);
      skip(DAY_MS);
      await maintain();
      expect(from()).toBe(dayAfter(31 - 16));
    },
  );

  it('is found by the search after one that has begun before its order learned of its recurrence', async () => {
    const { s, skip, subscription } = await authorized();
    const t = subscription();
    await t.open(monthly);
    t.says(`uuid-of-${t.key}`, { situation: 'PENDING' });
    const lost = lose(t, dayAfter(0));
    await t.orders.maintain();
    skip(30 * DAY_MS);
    await t.orders.maintain();
    const during = lose(s, dayAfter(30));
    const { getTransaction } = t.client;
    let answer: number | undefined;
    t.client.getTransaction = async (uuid) => {
      if (uuid === during) answer ??= await t.tell('charge_scheduled', { saleToken: newId() });
      return getTransaction.call(t.client, uuid);
    };
    skip(DAY_MS);
    await t.orders.maintain();
    const paid = async () => paidLines(await t.lines()).map((line) => line.split(' ')[1]);
    expect([answer, await paid()]).toEqual([200, [during]]);
    skip(DAY_MS);
    await t.orders.maintain();
    expect(await paid()).toEqual([during, lost]);
  });

  it('is found on any page, among those of another system, which cost one query each', async () => {
    const { s, maintain, service } = await authorized();
    for (let foreign = 0; foreign < 50; foreign += 1) {
      const sale = newId();
      s.says(sale, { referenceCode: 'theirs', amount: 5 });
      service.schedules.push({ idRec: 'RR-theirs', sale, amount: 5, dueDate: dayAfter(-2) });
    }
    const sale = lose(s, dayAfter(-2));
    expect((await maintain()).recurrences).toMatchObject({ listed: 51, booked: 1, review: 0, failed: 0 });
    expect(paidLines(await s.lines())).toEqual([`paid ${sale} 29.9 first`]);
    expect(await s.cases()).toEqual([]);
  });

  it('goes on where the time was over, and asks nobody twice for what is behind it', async () => {
    const { s, maintain, service, skip } = await authorized();
    for (let place = 0; place < 45; place += 1) {
      if (place % 3 !== 0) lose(s, dayAfter(-2));
      else {
        const sale = newId();
        s.says(sale, { referenceCode: 'theirs', amount: 5 });
        service.schedules.push({ idRec: 'RR-theirs', sale, amount: 5, dueDate: dayAfter(-2) });
      }
    }
    const query = s.client.getTransaction.bind(s.client);
    const counted: string[] = [];
    const ending = new AbortController();
    s.client.getTransaction = async (uuid) => {
      counted.push(uuid);
      // The run is ended by whoever has called it.
      if (counted.length === 20) ending.abort();
      return query(uuid);
    };
    await maintain({ signal: ending.signal, concurrency: 1 });
    const first = paidLines(await s.lines()).length;
    expect(first).toBeGreaterThan(5);
    expect(first).toBeLessThan(30);
    skip(HOUR_MS);
    expect((await maintain()).recurrences).toMatchObject({ isComplete: true });
    expect(paidLines(await s.lines())).toHaveLength(30);
    // The last one asked about was perhaps not acted on.
    expect(counted.filter((each) => each.startsWith('s-')).length).toBeLessThanOrEqual(47);
    expect(service.requests.filter((each) => each.includes('page=0'))).toHaveLength(2);
  });

  it('is switched off for 30 days where the service does not have the call, reported once', async () => {
    const { s, maintain, skip, asked } = await authorized();
    s.service.withoutCalls();
    for (let day = 0; day < 29; day += 1) {
      expect(await maintain()).toEqual({ recurrences: undefined, errors: [] });
      skip(DAY_MS);
    }
    expect([asked().length, s.reports]).toEqual([1, ['recurrence_call_missing']]);
    skip(2 * DAY_MS);
    // By another process, too.
    await s.process().maintain();
    expect([asked().length, s.reports]).toEqual([2, ['recurrence_call_missing']]);
    s.service.trouble = undefined;
    const sale = lose(s, dayAfter(31));
    skip(31 * DAY_MS);
    expect((await maintain()).recurrences).toMatchObject({ booked: 1 });
    expect(paidLines(await s.lines())).toEqual([`paid ${sale} 29.9 first`]);
  });

  it('takes a 404 with the status 998 for an empty list', async () => {
    const { s, maintain } = await authorized();
    const trouble = new ApiError('404', {
      operation: 'getTransaction',
      attempts: 1,
      outcome: 'refused',
      httpStatus: 404,
      body: { status: 998 },
    });
    s.service.trouble = trouble;
    expect(await maintain()).toMatchObject({ recurrences: { listed: 0, isComplete: true }, errors: [] });
    expect(s.reports).toEqual([]);
  });

  it('tries again in the next run after any other failure, which is reported', async () => {
    const { s, maintain, skip } = await authorized();
    s.service.trouble = refusal(500);
    expect(await maintain()).toMatchObject({ recurrences: undefined, errors: [{ httpStatus: 500 }] });
    expect(s.reports).toEqual(['maintain_failed']);
    s.service.trouble = undefined;
    const sale = lose(s, dayAfter(-1));
    skip(HOUR_MS);
    expect((await maintain()).recurrences).toMatchObject({ booked: 1 });
    expect(paidLines(await s.lines())).toEqual([`paid ${sale} 29.9 first`]);
  });

  it('is found again the next day if its transaction could not be asked about', async () => {
    const { s, maintain, skip } = await authorized();
    const sale = lose(s, dayAfter(-1));
    const { getTransaction } = s.client;
    s.client.getTransaction = async (uuid) => {
      if (uuid === sale) throw refusal(500);
      return getTransaction.call(s.client, uuid);
    };
    expect((await maintain()).recurrences).toMatchObject({ failed: 1, isComplete: true });
    s.client.getTransaction = getTransaction;
    skip(DAY_MS);
    expect((await maintain()).recurrences).toMatchObject({ booked: 1 });
  });

  it('is found where it was done as nobody’s before, and never where a person has dismissed it', async () => {
    const { s, maintain, skip } = await authorized({ on: { foreign: 'ignore' } as never });
    const [stray, dismissed] = [lose(s, dayAfter(-1)), lose(s, dayAfter(-1), { stated: 'none', amount: 31 })];
    expect(await s.tellSale(stray)).toBe(200);
    expect(await s.tellPaid(dismissed, { chargeAmount: 31 })).toBe(200);
    expect(await s.dismiss(dismissed)).toBe('dismissed');
    expect((await maintain()).recurrences).toMatchObject({ booked: 1, review: 0 });
    skip(DAY_MS);
    expect((await maintain()).recurrences).toMatchObject({ booked: 0, review: 0 });
    expect([paidLines(await s.lines()), await s.cases()]).toEqual([[`paid ${stray} 29.9 first`], []]);
  });

  it('is found though a crash has left its pointer, and nothing else', async () => {
    const { s, maintain, skip } = await authorized();
    const sale = lose(s, dayAfter(-1));
    await pointToSale(stepsOf(s.place.store), sale, s.key);
    expect((await maintain()).recurrences).toMatchObject({ booked: 1 });
    skip(DAY_MS);
    expect((await maintain()).recurrences).toMatchObject({ listed: 1, booked: 0 });
    expect(paidLines(await s.lines())).toEqual([`paid ${sale} 29.9 first`]);
  });

  it('is not booked by a search where `paid` has left it to a person', async () => {
    const { service, place, skip } = shared();
    let asks = false;
    const paid = (_: object, { needsPerson }: HookContext) => {
      if (asks) needsPerson('look at it');
    };
    const s = new Subscription(place, { paid }, {}, service);
    await s.open(monthly);
    await s.tell('authorized');
    s.says(`uuid-of-${s.key}`, { situation: 'PENDING' });
    const first = s.charged();
    expect(await s.tellPaid(first)).toBe(200);
    const second = lose(s, dayAfter(0), { stated: 'the journey’s' });
    asks = true;
    expect(await s.tellPaid(second)).toBe(200);
    expect(await s.cases()).toEqual([`needs_person ${second}`]);
    asks = false;
    skip(DAY_MS);
    expect((await s.orders.maintain()) as DoneMaintain).toMatchObject({
      recurrences: { listed: 1, booked: 0, review: 0 },
    });
    expect([paidLines(await s.lines()), await s.cases()]).toEqual([
      [`paid ${first} 29.9 first`],
      [`needs_person ${second}`],
    ]);
  });
});

describe('the end of a recurrence whose event was lost', () => {
  it.each(['CANCELLED', 'CONCLUDED', 'REJECTED', 'EXPIRED'])('is told once: %s', async (status) => {
    const { s, maintain, skip } = await authorized();
    s.service.authorizations.set(s.idRec, { status, sales: [] });
    expect((await maintain()).recurrences).toMatchObject({ ended: 1, failed: 0 });
    expect(await s.lines()).toEqual(['authorized', status.toLowerCase()]);
    expect(await s.tell(status.toLowerCase())).toBe(200);
    skip(DAY_MS);
    expect((await maintain()).recurrences).toMatchObject({ ended: 0 });
    expect(await s.lines()).toEqual(['authorized', status.toLowerCase()]);
    expect(await s.open(monthly)).toMatchObject({ state: 'open', attempt: 2 });
  });

  it.each(['APPROVED', 'ACTIVE', 'CANCELLING', 'CREATED'])('is none while it is %s', async (status) => {
    const { s, maintain } = await authorized();
    s.service.authorizations.set(s.idRec, { status, sales: [] });
    expect((await maintain()).recurrences).toMatchObject({ ended: 0, failed: 0 });
    expect(await s.state()).toBe('authorized');
  });

  it('is not asked about once it is paid, and goes on after one that cannot be asked about', async () => {
    const { s, maintain, subscription, service, skip } = await authorized();
    await s.tellPaid(s.charged());
    const t = subscription();
    await t.open(monthly);
    await t.tell('authorized');
    t.says(`uuid-of-${t.key}`, { situation: 'PENDING' });
    service.requests.length = 0;
    // It was forgotten by the service.
    service.authorizations.delete(t.idRec);
    expect((await maintain()).recurrences).toMatchObject({ ended: 0, failed: 0, isComplete: true });
    const about = service.requests.filter((each) => each.includes('/authorizations/'));
    expect(about).toEqual([`GET /v1.1/pix-automatic/authorizations/${t.idRec}`]);
    skip(60 * DAY_MS);
    service.authorizations.set(t.idRec, { status: 'EXPIRED', sales: [] });
    // Long after its journey is asked about no more.
    expect((await maintain()).recurrences).toMatchObject({ ended: 1 });
    expect(await t.recurrences()).toMatchObject([{ status: 'EXPIRED' }]);
  });

  it('is told again where the callback failed', async () => {
    const { s, maintain, skip } = await authorized();
    s.service.authorizations.set(s.idRec, { status: 'CANCELLED', sales: [] });
    const { write } = s.place;
    let fails = 1;
    Object.assign(s.place, {
      write: async (...given: Parameters<typeof write>) => {
        if (given[2] === 'cancelled' && fails-- > 0) throw new Error('simulated');
        return write(...given);
      },
    });
    expect((await maintain()).recurrences).toMatchObject({ ended: 0, failed: 1 });
    skip(2 * HOUR_MS);
    await maintain();
    expect(await s.lines()).toEqual(['authorized', 'cancelled']);
  });
});

describe('a service that never sends an event', () => {
  const life = async (options: ConstructorParameters<typeof Shop>[2]) => {
    const { subscription, skip, service } = shared(options);
    const s = subscription();
    const first = await s.uuid();
    expect(await s.pay(first)).toBe(200);
    for (let month = 2; month <= 4; month += 1) {
      skip(30 * DAY_MS);
      expect(await s.pay(newId(), { amount: 29.9 })).toBe(200);
      await s.orders.maintain();
    }
    expect(await s.lines()).toHaveLength(4);
    return service.requests;
  };

  it('gets no call that its document does not show', async () => {
    expect(await life({})).toEqual([]);
    expect(await life({ recurrences: false })).toEqual([]);
  });

  it('is asked from the start if the merchant says so', async () => {
    expect((await life({ recurrences: true })).length).toBeGreaterThan(0);
  });

  it('is never asked once the merchant says so, whatever comes', async () => {
    const { s, maintain, service, skip } = await authorized({ recurrences: false });
    expect((await maintain()).recurrences).toBeUndefined();
    skip(DAY_MS);
    expect([await maintain(), service.requests]).toEqual([{ recurrences: undefined, errors: [] }, []]);
    expect(await s.state()).toBe('authorized');
  });
});

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`the first charge, whose event was lost, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);

    it('is booked after those whose events came, and leaves the newest one what it was', async () => {
      const s = new Subscription(kind.open());
      const now = kind.name === 'memory' ? START : Date.now();
      const dayOf = (days: number) => new Date(now + days * DAY_MS).toISOString().slice(0, 10);
      const [due, next] = [dayOf(-10), dayOf(-1)];
      await s.open(monthly);
      expect(await s.tell('authorized')).toBe(200);
      s.says(`uuid-of-${s.key}`, { situation: 'PENDING' });
      const lost = lose(s, due);
      expect(await s.tell('charge_scheduled', { saleToken: lost, chargeDueDate: due })).toBe(200);
      const second = lose(s, next);
      const month = { chargeDueDate: next, eventDate: `${next} 12:00:00` };
      expect(await s.tell('charge_scheduled', { saleToken: second, chargeDueDate: next })).toBe(200);
      expect(await s.tellPaid(second, month)).toBe(200);
      expect(paidLines(await s.lines())).toEqual([`paid ${second} 29.9 first`]);

      const counts = { listed: 2, booked: 1, review: 0, failed: 0, isComplete: true };
      expect(await s.orders.maintain()).toMatchObject({ recurrences: counts, errors: [] });
      const booked = [`paid ${second} 29.9 first`, `paid ${lost} 29.9 later`];
      expect([paidLines(await s.lines()), await s.cases(), await s.state()]).toEqual([booked, [], 'paid']);
      expect(await s.recurrences()).toMatchObject([
        { status: 'APPROVED', charge: { sale: second, dueDate: next, status: 'PAID' } },
      ]);
      // What was made up for before is told of nobody.
      const before = await s.lines();
      const failed = { ...month, saleToken: newId(), eventDate: `${next} 09:00:00`, retryScheduled: true };
      expect(await s.tell('charge_failed', failed)).toBe(200);
      expect([await s.tellPaid(lost), await s.lines()]).toEqual([200, before]);
    });
  });
}

for (const kind of await allPlaces()) testIn(kind);

import { randomUUID } from 'node:crypto';
import { DAY_MS, HOUR_MS, type Note, type Setup } from './actions';
import { type Anything, type Fault, Shop } from './shop';
import { drawing } from './stage';
import type { Database } from './stores';
import { type Authorization, type Sale, uuidOf, World } from './world';

// A year of subscriptions of both kinds: each month that a payer has paid is booked once, whatever came of its events.

export interface Year {
  notifications: number;
  months: number;
  refunds: number;
  readonly found: string[];
}

interface Subscription {
  readonly key: string;
  readonly isImmediate: boolean;
  readonly isVariable: boolean;
  readonly idRec: string;
  /** The day of the year on which it begins. */
  readonly start: number;
  reference: string | undefined;
  authorization: Authorization | undefined;
  hasEnded: boolean;
  /** The uuids of what the payer has paid, in turn. */
  readonly paid: string[];
  readonly refunded: string[];
  /** What happened, and which of it was told. */
  readonly history: string[];
}

type Deed = () => Promise<unknown>;

export async function liveYear(
  seed: number,
  subscriptions: number,
  database: Database,
  fault?: Fault,
): Promise<Year> {
  const draw = drawing(seed);
  const world = new World();
  let offset = 0;
  const begun = Date.now();
  const all: Subscription[] = Array.from({ length: subscriptions }, (_, index) => ({
    key: `y${seed}-${index}`,
    isImmediate: draw() < 0.5,
    isVariable: draw() < 0.4,
    idRec: `RR${seed}${String(index).padStart(6, '0')}`,
    start: Math.floor(draw() * 200),
    reference: undefined,
    authorization: undefined,
    hasEnded: false,
    paid: [],
    refunded: [],
    history: [],
  }));
  const setup: Setup = {
    seed,
    keys: all.map(({ key }) => key),
    foreign: undefined,
    hasUnrecognized: false,
    hasRecurrence: true,
    confirms: true,
    hasPublicCalls: true,
    listsRecurrences: true,
  };
  const shop = new Shop(
    setup,
    world,
    database.open(`y-${randomUUID()}`, () => offset),
    undefined,
    fault,
  );
  const year: Year = { notifications: 0, months: 0, refunds: 0, found: [] };
  const effects: string[] = [];
  const id = async (each: string) => each;
  const doing = async (action: Parameters<Shop['act']>[0]) => {
    const outcome = await shop.act(action, id);
    effects.push(...outcome.effects);
    return outcome.answer;
  };
  const deliver = async (note: Note) => {
    year.notifications += 1;
    const { eventType = note.kind, saleToken = '', idRec, referenceCode } = note.body;
    const of = all.find((each) => (idRec ? idRec === each.idRec : referenceCode === each.reference));
    of?.history.push(`day ${day}: told ${eventType} ${saleToken}`);
    const answer = await doing({ do: 'deliver', note, isDown: false });
    if (answer !== '200')
      year.found.push(`day ${day}: ${note.kind} was answered ${answer}: ${JSON.stringify(note.body)}`);
  };
  const date = (later = 0) =>
    new Date(begun + offset + later - 3 * HOUR_MS).toISOString().slice(0, 19).replace('T', ' ');
  let day = 0;
  const deeds = new Map<number, Deed[]>();
  const plan = (at: number, deed: Deed) => deeds.set(at, [...(deeds.get(at) ?? []), deed]);

  const request = ({ key, isImmediate, isVariable }: Subscription) => ({
    referenceCode: key,
    currency: 'BRL',
    ...(isImmediate && { amount: 59.7 }),
    recurrence: {
      immediatePayment: isImmediate,
      amount: isVariable ? { valueType: 'VARIABLE', debitorMinimumAmount: 20 } : { recurrenceAmount: 29.9 },
    },
  });
  const event = (
    { idRec, reference, authorization }: Subscription,
    eventType: string,
    more: object = {},
  ): Note => ({
    kind: eventType === 'RECURRENCE_CHARGE_PAID' ? 'charge' : 'recurrence',
    query: '',
    body: {
      eventType,
      idRec,
      externalId: reference,
      status: authorization?.status,
      eventDate: date(),
      payerName: 'Maria',
      ...more,
    },
  });
  const payment = ({ uuid, referenceCode, amount, currency }: Sale): Note => ({
    kind: 'payment',
    query: '',
    body: { saleToken: uuid, referenceCode, amount, currency, date: date(), newStatus: 'PAID' },
  });

  const begin = async (each: Subscription) => {
    await doing({ do: 'open', key: each.key, request: request(each), replace: false, isDown: false });
    if (draw() < 0.15)
      await doing({
        do: 'open',
        key: each.key,
        request: { ...request(each), maxAge: 60 },
        replace: true,
        isDown: false,
      });
    const journey = world.journeys
      .filter(({ referenceCode }) => referenceCode === each.key || referenceCode.startsWith(`${each.key}-`))
      .at(-1);
    if (journey === undefined) throw new Error(`No journey of ${each.key}.`);
    each.reference = journey.referenceCode;
    if (draw() < 0.05)
      return void (await deliver(event(each, draw() < 0.5 ? 'RECURRENCE_REJECTED' : 'RECURRENCE_EXPIRED')));
    const authorization: Authorization = {
      idRec: each.idRec,
      referenceCode: journey.referenceCode,
      status: 'APPROVED',
      schedules: [],
    };
    each.authorization = authorization;
    world.authorizations.set(each.idRec, authorization);
    const isEarly = draw() < 0.3;
    if (isEarly) await deliver(event(each, 'RECURRENCE_AUTHORIZED'));
    if (each.isImmediate) {
      const sale = world.sales.get(journey.uuid) as Sale;
      sale.situation = 'PAID';
      each.paid.push(sale.uuid);
      if (draw() < 0.9) await deliver(payment(sale));
    }
    if (!isEarly && draw() < 0.8) await deliver(event(each, 'RECURRENCE_AUTHORIZED'));
    for (let month = 1; month <= 12; month += 1) plan(each.start + month * 30, () => charge(each, month));
  };

  const charge = async (each: Subscription, month: number) => {
    if (each.hasEnded) return;
    const authorization = each.authorization as Authorization;
    const amount = each.isVariable ? 20 + Math.floor(draw() * 30) : 29.9;
    const uuid = uuidOf(`${each.key} month ${month}`);
    const dueDate = date(3 * DAY_MS);
    const about = { saleToken: uuid, chargeAmount: amount, chargeDueDate: dueDate };
    if (draw() < 0.8)
      await deliver(event(each, 'RECURRENCE_CHARGE_SCHEDULED', { ...about, chargeStatus: 'SCHEDULED' }));
    const isFailing = draw() < 0.15;
    const willRetry = draw() < 0.7;
    if (isFailing) {
      plan(day + 3, async () => {
        if (draw() < 0.9)
          await deliver(
            event(each, 'RECURRENCE_CHARGE_FAILED', {
              ...about,
              chargeStatus: 'FAILED',
              rejectionCode: 'AM04',
              retryScheduled: willRetry,
            }),
          );
      });
      if (!willRetry) return;
    }
    // A retry has a sale of its own, or keeps its sale.
    const last = isFailing && draw() < 0.5 ? uuidOf(`${each.key} month ${month} again`) : uuid;
    const form = draw();
    const reference = [each.reference, undefined, `own-${each.key}-${month}`][Math.floor(draw() * 3)];
    plan(day + (isFailing ? 5 : 3), async () => {
      const sale = world.sale(last, { referenceCode: reference, amount, currency: 'BRL', situation: 'PAID' });
      authorization.schedules.push({ sale: last, dueDate: dueDate.slice(0, 10), amount, status: 'PAID' });
      each.paid.push(last);
      each.history.push(`day ${day}: paid ${last}, reference ${reference}`);
      const told = event(each, 'RECURRENCE_CHARGE_PAID', { ...about, saleToken: last, chargeStatus: 'PAID' });
      const isOurs = reference === each.reference;
      if (isOurs && form < 0.2) await deliver(payment(sale));
      if (form >= 0.1 && form < 0.85) await deliver(told);
      if (isOurs && form > 0.75 && form < 0.85) await deliver(payment(sale));
      if (draw() < 0.1 && form >= 0.1 && form < 0.85) await deliver(told);
      if (draw() < 0.06) plan(day + 2, () => refund(each, sale));
    });
    if (draw() < 0.04) plan(day + 8, () => end(each));
  };

  const refund = async (each: Subscription, sale: Sale) => {
    const uuid = uuidOf(`refund ${sale.uuid}`);
    sale.refunds.push({ uuid, total: 5 });
    each.refunded.push(sale.uuid);
    await deliver({
      kind: 'refund',
      query: '?refund=true&type=refund',
      body: {
        saleToken: sale.uuid,
        referenceCode: sale.referenceCode,
        currency: 'BRL',
        reversedAmount: 5,
        status: 'PAID',
        refund: { uuid, status: 'PAID', amount: 5 },
        date: date(),
      },
    });
  };

  const end = async (each: Subscription) => {
    if (each.hasEnded) return;
    each.hasEnded = true;
    const authorization = each.authorization as Authorization;
    const how = draw();
    if (how < 0.4) {
      const answer = await doing({ do: 'cancel', key: each.key });
      if (answer !== each.idRec && each.paid.length > 0)
        year.found.push(`day ${day}: cancelRecurrence(${each.key}) gave ${answer}`);
    }
    authorization.status = 'CANCELLED';
    if (how < 0.7) await deliver(event(each, 'RECURRENCE_CANCELLED'));
  };

  for (const each of all) plan(each.start, () => begin(each));
  const maintain = async () => {
    const answer = await doing({ do: 'maintain' });
    if (answer !== 'done') year.found.push(`day ${day}: maintain gave ${answer}`);
  };
  for (; day < 365 + 10; day += 1) {
    // After the year: nothing new is charged.
    for (const deed of deeds.get(day) ?? []) if (day < 365) await deed();
    await maintain();
    offset += DAY_MS;
  }

  for (const each of all) {
    const lines = effects.filter((line) => line.startsWith(`paid ${each.key} `));
    const times = (sale: string) => lines.filter((line) => line.split(' ')[2] === sale).length;
    year.months += each.paid.length;
    year.refunds += each.refunded.length;
    for (const [index, sale] of each.paid.entries()) {
      const stated = world.sales.get(sale)?.amount;
      const wrong = lines.find(
        (line) => line.split(' ')[2] === sale && line.split(' ')[3] !== String(stated),
      );
      if (wrong !== undefined) year.found.push(`${each.key}: the service states ${stated}: ${wrong}`);
      if (times(sale) !== 1)
        year.found.push(
          `${each.key} (${kindOf(each)}): month ${index + 1}, ${sale}, was booked ${times(sale)} times\n    ${each.history.join('\n    ')}`,
        );
    }
    const more = lines.filter((line) => !each.paid.includes(line.split(' ')[2] as string));
    for (const line of more) year.found.push(`${each.key}: not a month: ${line}`);
    const firsts = lines.filter((line) => line.endsWith('first')).length;
    if (firsts !== Math.min(1, each.paid.length))
      year.found.push(`${each.key} (${kindOf(each)}): ${firsts} first payments`);
    for (const sale of each.refunded) {
      const returned = effects.filter((line) => line.startsWith(`returned ${each.key} ${sale}`)).length;
      if (returned !== 1) year.found.push(`${each.key}: the refund of ${sale} came ${returned} times`);
    }
    const { payments }: Anything = await shop.find(each.key);
    if (payments.length !== each.paid.length)
      year.found.push(`${each.key}: find shows ${payments.length} payments of ${each.paid.length}`);
  }
  for (const { reason, order, sale } of await shop.allCases())
    year.found.push(`a case ${reason} of ${order}, sale ${sale}`);
  return year;
}

const kindOf = ({ isImmediate, isVariable }: Subscription) =>
  `${isImmediate ? 'paid at once' : 'authorized'}, ${isVariable ? 'variable' : 'fixed'}`;

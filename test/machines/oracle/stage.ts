import { type Action, DAY_MS, HOUR_MS, MINUTE_MS, type Note, type Setup } from './actions';
import type { State } from './state';
import {
  type Authorization,
  type Journey,
  type JourneyRequest,
  type Sale,
  uuidOf,
  type World,
} from './world';

/** One step of a random sequence. What it means depends on what exists when it comes: `stage` says so. */
export interface Step {
  readonly id: number;
  readonly what: What;
  /** Numbers from 0 up to 1. */
  readonly draws: readonly number[];
}

const WEIGHTS = {
  open: 16,
  close: 3,
  pay: 16,
  again: 10,
  forge: 6,
  charge: 16,
  event: 14,
  lostEnd: 2,
  walkIn: 3,
  othersJourney: 3,
  giveBack: 14,
  saleStatus: 3,
  payout: 2,
  unrecognized: 3,
  decide: 12,
  decideAgain: 2,
  maintain: 7,
  advance: 4,
  cancelSale: 3,
  cancelRecurrence: 2,
} as const;
type What = keyof typeof WEIGHTS;

/** A small generator of numbers from 0 up to 1 (mulberry32). */
export function drawing(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The one whose weight covers `at`. */
function weighted(all: readonly [What, number][], at: number): What {
  let left = at;
  for (const [what, weight] of all) {
    left -= weight;
    if (left < 0) return what;
  }
  return 'open';
}

/** A random merchant, and what happens to it. */
export function generate(seed: number): { readonly setup: Setup; readonly steps: readonly Step[] } {
  const draw = drawing(seed);
  const one = <Each>(...all: readonly Each[]) => all[Math.floor(draw() * all.length)] as Each;
  const setup: Setup = {
    seed,
    keys: draw() < 0.6 ? [`o${seed}`] : [`o${seed}`, `p${seed}`],
    foreign: one('function', 'ignore', undefined),
    hasUnrecognized: draw() < 0.5,
    hasRecurrence: draw() < 0.7,
    confirms: draw() < 0.9,
    hasPublicCalls: draw() < 0.8,
    listsRecurrences: draw() < 0.3,
  };
  const all = Object.entries(WEIGHTS) as [What, number][];
  const total = all.reduce((sum, [, weight]) => sum + weight, 0);
  const length = 8 + Math.floor(draw() * 28);
  const steps: Step[] = [{ id: 0, what: 'open', draws: [0, 0, 1, 1, 0, 0, 0, 0, 0, 0] }];
  for (let id = 1; id < length; id += 1) {
    const what = weighted(all, draw() * total);
    steps.push({ id, what, draws: Array.from({ length: 10 }, draw) });
  }
  return { setup, steps };
}

const pick = <Each>(all: readonly Each[], draw: number): Each | undefined =>
  all[Math.floor(draw * all.length)];

/** Everything that the stage has to look at. Its own memory is what it has sent. */
export class Stage {
  readonly sent: Note[] = [];

  constructor(
    readonly setup: Setup,
    readonly world: World,
    readonly state: () => State,
  ) {}

  /** Changes the world, and gives what the shop is to do, one by one. */
  *actions({ id, what, draws }: Step): Generator<Action> {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = draws;
    const key = pick(this.setup.keys, a) as string;
    const deliver = (note: Note, isDown = false, trouble?: 'throws' | 'needsPerson'): Action => {
      this.sent.push(note);
      return { do: 'deliver', note, isDown, trouble };
    };
    const trouble = h < 0.06 ? 'throws' : h < 0.09 ? 'needsPerson' : undefined;
    const isDown = h > 0.95;
    switch (what) {
      case 'open':
        yield {
          do: 'open',
          key,
          request: this.#request(key, b < 0.7 ? 0 : b < 0.9 ? 1 : 2),
          replace: c < 0.25,
          isDown: d < 0.05,
        };
        return;
      case 'close':
        yield { do: 'close', key };
        return;
      case 'pay': {
        const journeys = this.#journeys(key);
        const journey = b < 0.6 ? journeys.at(-1) : pick(journeys, b / 0.4 - 1.5);
        if (journey === undefined || this.#isChargedOnly(journey, id)) return;
        const sale = this.world.sales.get(journey.uuid) as Sale;
        if (sale.situation === 'CANCELLED') return;
        if (sale.situation === 'PENDING' && c < 0.05) sale.amount -= 1;
        sale.situation = 'PAID';
        if (d < 0.12) return;
        const note = this.#payment(sale, { noAmount: e < 0.05, noReference: f < 0.1, isUpper: g < 0.1 });
        yield deliver(note, isDown, trouble);
        if (d > 0.85) yield deliver(note);
        return;
      }
      case 'again': {
        const note = pick(this.sent, b);
        if (note === undefined) return;
        const body = { ...note.body };
        if (c < 0.12 && 'amount' in body) body['amount'] = Number(body['amount']) + 1;
        else if (c < 0.16 && 'currency' in body) body['currency'] = 'USD';
        else if (c < 0.22) delete body['date'];
        yield deliver({ ...note, body });
        return;
      }
      case 'forge': {
        const unpaid = this.#journeys(key).filter(
          ({ uuid }) => this.world.sales.get(uuid)?.situation === 'PENDING',
        );
        const journey = pick(unpaid, b);
        const uuid = c < 0.7 && journey !== undefined ? journey.uuid : uuidOf(`forged ${id}`);
        const referenceCode = d < 0.7 ? key : undefined;
        const body = {
          saleToken: uuid,
          referenceCode,
          currency: 'BRL',
          amount: 59.7,
          date: this.#date(),
          newStatus: 'PAID',
        };
        yield deliver({ kind: 'payment', query: '', body, isForeignPair: e < 0.3 ? true : undefined });
        return;
      }
      case 'charge':
        yield* this.#charge(
          id,
          key,
          draws,
          (note) => deliver(note, isDown, trouble),
          (note) => deliver(note),
        );
        return;
      case 'event':
        yield* this.#event(key, draws, deliver);
        return;
      case 'lostEnd': {
        const authorization = pick([...this.world.authorizations.values()], b);
        if (authorization !== undefined) authorization.status = 'CANCELLED';
        return;
      }
      case 'walkIn': {
        const referenceCode = b < 0.5 ? undefined : `walk-in-${id}`;
        const sale = this.world.sale(uuidOf(`walk-in ${this.setup.seed} ${id}`), {
          referenceCode,
          amount: 59.7,
          currency: 'BRL',
          situation: 'PAID',
        });
        yield deliver(this.#payment(sale));
        return;
      }
      case 'othersJourney': {
        const journey = pick(this.#journeys(key), b);
        if (journey === undefined) return;
        const sums = [0.01, journey.request.amount, journey.request.recurrence.amount?.recurrenceAmount];
        const amount = pick(sums, c) ?? 59.7;
        const { referenceCode } = journey;
        const sale = this.world.sale(uuidOf(`others ${this.setup.seed} ${id}`), {
          referenceCode,
          amount,
          currency: 'BRL',
          situation: 'PAID',
        });
        yield deliver(this.#payment(sale), isDown, trouble);
        return;
      }
      case 'giveBack':
        yield* this.#giveBack(id, key, draws, deliver, trouble);
        return;
      case 'saleStatus': {
        const journey = pick(this.#journeys(key), b);
        if (journey === undefined) return;
        const { body } = this.#payment(this.world.sales.get(journey.uuid) as Sale);
        yield deliver({
          kind: 'saleStatus',
          query: '',
          body: { ...body, newStatus: c < 0.7 ? 'REVERSAL' : 'PENDING' },
        });
        return;
      }
      case 'payout': {
        const body = {
          success: true,
          message: 'success',
          uuid: uuidOf(`payout ${id}`),
          status: 'PAID',
          amount: 10,
          currency: 'BRL',
          creation: this.#date(),
        };
        yield deliver({ kind: 'payout', query: '?payout=true&type=payout', body });
        return;
      }
      case 'unrecognized': {
        if (b < 0.5) yield deliver({ kind: 'unrecognized', query: '', body: { event: 'UNKNOWN', id } });
        else
          yield deliver({
            kind: 'invalid',
            query: '?refund=true&type=refund',
            body: { saleToken: uuidOf(`${id}`), number: id },
          });
        return;
      }
      case 'decide':
        yield* this.#decide(draws);
        return;
      case 'decideAgain': {
        const decided = pick(
          Object.keys(this.state().decided).filter((each) => this.state().cases[each] === undefined),
          b,
        );
        if (decided !== undefined)
          yield { do: 'decide', id: decided, decision: c < 0.5 ? 'book' : 'dismiss' };
        return;
      }
      case 'maintain':
        yield { do: 'advance', ms: 25 * HOUR_MS };
        yield { do: 'maintain' };
        return;
      case 'advance':
        yield { do: 'advance', ms: b < 0.5 ? 10 * MINUTE_MS : 2 * HOUR_MS };
        return;
      case 'cancelSale': {
        const sale = this.world.sales.get(pick(this.#journeys(key), b)?.uuid ?? '');
        if (sale?.situation === 'PENDING') sale.situation = 'CANCELLED';
        return;
      }
      case 'cancelRecurrence':
        yield { do: 'cancel', key };
        return;
    }
  }

  /** What the shop asks for. Each order has one kind of journey, and three prices. */
  #request(key: string, price: number): JourneyRequest {
    const kind = (this.setup.seed + this.setup.keys.indexOf(key)) % 4;
    const recurrenceAmount = [29.9, 40, 29.9][price] as number;
    const amount = [59.7, 80, 80][price] as number;
    const sums =
      kind === 2
        ? { valueType: 'VARIABLE', debitorMinimumAmount: [10, 12, 15][price] as number }
        : { recurrenceAmount };
    const isImmediate = kind !== 1;
    return {
      referenceCode: key,
      currency: 'BRL',
      ...(isImmediate && { amount }),
      ...(this.setup.seed % 3 === 0 && { maxAge: 60 }),
      recurrence: { immediatePayment: isImmediate, amount: sums },
    };
  }

  #journeys(key: string): Journey[] {
    return this.world.journeys.filter(
      ({ referenceCode }) => referenceCode === key || referenceCode.startsWith(`${key}-`),
    );
  }

  /** Of a journey without an immediate payment: the service charges by sales of their own, or by its own, not both. */
  #isChargedOnly({ request }: Journey, _id: number): boolean {
    return !request.recurrence.immediatePayment && this.setup.seed % 8 !== 1;
  }

  #date(later = 0): string {
    return new Date(this.state().now + later - 3 * HOUR_MS).toISOString().slice(0, 19).replace('T', ' ');
  }

  #payment(sale: Sale, { noAmount = false, noReference = false, isUpper = false } = {}): Note {
    const { uuid, referenceCode, amount, currency } = sale;
    const body = {
      saleToken: isUpper ? uuid.toUpperCase() : uuid,
      ...(referenceCode !== undefined && !noReference && { referenceCode }),
      ...(!noAmount && { amount }),
      currency,
      date: this.#date(),
      newStatus: 'PAID',
    };
    return { kind: 'payment', query: '', body };
  }

  #authorization({ referenceCode }: Journey, isSecond = false): Authorization {
    const idRec = `RR${uuidOf(referenceCode).replaceAll(/\D/g, '').padEnd(20, '0').slice(0, 20)}${isSecond ? '2' : '1'}`;
    const known = this.world.authorizations.get(idRec);
    if (known !== undefined) return known;
    const made = { idRec, referenceCode, status: 'APPROVED', schedules: [] };
    this.world.authorizations.set(idRec, made);
    return made;
  }

  #eventBody(
    { referenceCode, request }: Journey,
    { idRec, status }: Authorization,
    eventType: string,
    more: object,
  ) {
    return {
      eventType,
      idRec,
      externalId: referenceCode,
      status,
      periodicity: 'MONTHLY',
      amount: request.recurrence.amount?.recurrenceAmount,
      eventDate: this.#date(),
      ...more,
    };
  }

  *#charge(
    id: number,
    key: string,
    draws: readonly number[],
    deliver: (note: Note) => Action,
    plainly: (note: Note) => Action,
  ): Generator<Action> {
    const [, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = draws;
    const journeys = this.#journeys(key);
    const isPaid = (journey: Journey) => this.world.sales.get(journey.uuid)?.situation === 'PAID';
    const journey = b < 0.8 ? (journeys.find(isPaid) ?? journeys.at(-1)) : pick(journeys, c);
    if (journey === undefined) return;
    const { recurrence, amount: first } = journey.request;
    const { recurrenceAmount, debitorMinimumAmount } = recurrence.amount ?? {};
    const right =
      debitorMinimumAmount === undefined
        ? (recurrenceAmount ?? first ?? 10)
        : debitorMinimumAmount + Math.floor(d * 5);
    const amount = d < 0.88 ? right : right - 1;
    const form = (['event', 'event', 'payment', 'both', 'lost'] as const)[Math.floor(e * 5)];
    const referenceCode = [journey.referenceCode, undefined, `charge-${id}`][
      this.setup.seed % 5 < 3 ? 0 : this.setup.seed % 5 === 3 ? 1 : 2
    ];
    const sale = this.world.sale(uuidOf(`charge ${this.setup.seed} ${id}`), {
      referenceCode,
      amount,
      currency: 'BRL',
      situation: 'PAID',
    });
    const authorization = this.#authorization(journey);
    const dueDate = this.#date();
    if (f < 0.9)
      authorization.schedules.push({
        sale: sale.uuid,
        dueDate: dueDate.slice(0, 10),
        amount,
        status: 'PAID',
      });
    const event: Note = {
      kind: 'charge',
      query: '',
      body: this.#eventBody(journey, authorization, 'RECURRENCE_CHARGE_PAID', {
        saleToken: sale.uuid,
        chargeAmount: amount,
        chargeDueDate: dueDate,
        chargeStatus: 'PAID',
      }),
    };
    const payment = this.#payment(sale);
    if (form === 'payment' || (form === 'both' && g < 0.5)) yield deliver(payment);
    if (form === 'event') yield deliver(event);
    else if (form === 'both') yield plainly(event);
    if (form === 'both' && g >= 0.5) yield plainly(payment);
  }

  *#event(key: string, draws: readonly number[], deliver: (note: Note) => Action): Generator<Action> {
    const [, b = 0, c = 0, d = 0, e = 0, f = 0] = draws;
    const journeys = this.#journeys(key);
    const journey = b < 0.7 ? journeys.at(-1) : pick(journeys, c);
    const authorization = this.#authorization(
      journey ?? { referenceCode: 'of-nobody', uuid: '', request: this.#request(key, 0) },
      d < 0.06,
    );
    const events = [
      'AUTHORIZED',
      'AUTHORIZED',
      'AUTHORIZED',
      'CHARGE_SCHEDULED',
      'CHARGE_SCHEDULED',
      'CHARGE_FAILED',
      'REJECTED',
      'EXPIRED',
      'CANCELLED',
      'CONCLUDED',
    ] as const;
    const event = pick(events, e) as (typeof events)[number];
    const isCharge = event.startsWith('CHARGE');
    if (!isCharge) authorization.status = event === 'AUTHORIZED' ? 'APPROVED' : event;
    const sale = uuidOf(`charge ${this.setup.seed} ${Math.floor(f * 30)}`);
    const charge = isCharge && {
      saleToken: f < 0.8 ? sale : undefined,
      chargeAmount: 29.9,
      chargeDueDate: this.#date(3 * DAY_MS),
      chargeStatus: event.slice(7),
    };
    const failure = event === 'CHARGE_FAILED' && {
      rejectionCode: 'AM04',
      rejectionReason: 'saldo',
      retryScheduled: f < 0.5,
    };
    const of = journey ?? { referenceCode: 'of-nobody', uuid: '', request: this.#request(key, 0) };
    yield deliver({
      kind: 'recurrence',
      query: '',
      body: this.#eventBody(of, authorization, `RECURRENCE_${event}`, { ...charge, ...failure }),
    });
  }

  *#giveBack(
    id: number,
    key: string,
    draws: readonly number[],
    deliver: (note: Note, isDown?: boolean, trouble?: 'throws' | 'needsPerson') => Action,
    trouble: 'throws' | 'needsPerson' | undefined,
  ): Generator<Action> {
    const [, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = draws;
    const ours = this.#journeys(key).map(({ uuid }) => uuid);
    const charges = [...this.world.sales.values()].filter(
      ({ situation, uuid }) => situation === 'PAID' && !ours.includes(uuid),
    );
    const uuid =
      b < 0.65
        ? (ours.find((each) => this.world.sales.get(each)?.situation === 'PAID') ?? ours.at(-1))
        : pick([...ours, ...charges.map((each) => each.uuid)], c);
    const sale = this.world.sales.get(uuid ?? '');
    if (sale === undefined) return;
    const before = this.sent.filter(({ kind }) => kind === 'refund' || kind === 'reversal').at(-1);
    const known =
      before?.kind === 'refund'
        ? (before.body['refund'] as { uuid: string }).uuid
        : (before?.body['uuid'] as string | undefined);
    const isKnown = d < 0.12 && known !== undefined;
    const back = isKnown ? known : uuidOf(`back ${this.setup.seed} ${id}`);
    const rest = sale.amount - sale.refunds.reduce((sum, { total }) => sum + total, 0);
    const amount = Math.round((e < 0.4 ? sale.amount : e < 0.9 ? 5 : sale.amount + 1) * 100) / 100;
    const isReversal = f < 0.4;
    if (g < 0.5 && !isKnown && amount <= rest) sale.refunds.push({ uuid: back, total: amount });
    if (isReversal) {
      const reversal = (status: string): Note => ({
        kind: 'reversal',
        query: '?reversing=true&type=reversing',
        body: {
          uuid: back,
          currency: 'BRL',
          originalAmount: sale.amount,
          reversedAmount: amount,
          status,
          sale: { uuid: sale.uuid },
          creation: this.#date(),
        },
      });
      const states = pick(
        [['PENDING', 'PAID'], ['PAID', 'PENDING'], ['PAID'], ['PENDING', 'CANCELLED'], ['PENDING']],
        g,
      ) as string[];
      for (const [index, status] of states.entries())
        yield deliver(reversal(status), false, index === 0 ? trouble : undefined);
      return;
    }
    const other = c < 0.05 ? amount + 1 : amount;
    yield deliver(
      {
        kind: 'refund',
        query: '?refund=true&type=refund',
        body: {
          saleToken: sale.uuid,
          ...(sale.referenceCode !== undefined && { referenceCode: sale.referenceCode }),
          currency: 'BRL',
          originalAmount: sale.amount,
          reversedAmount: other,
          status: 'PAID',
          refund: { uuid: back, status: 'PAID', amount },
          date: this.#date(),
        },
      },
      false,
      trouble,
    );
  }

  *#decide(draws: readonly number[]): Generator<Action> {
    const [, b = 0, c = 0, d = 0] = draws;
    const found = pick(Object.values(this.state().cases), b);
    if (found === undefined) return;
    const { id, kind, reason, order } = found;
    const mayBook =
      kind === 'payment'
        ? !['returned_in_full', 'other_order', 'needs_person'].includes(reason)
        : reason === 'unclear_amount' || reason === 'callback_failed';
    if (kind === 'recurrence' && c < 0.3) return void (yield { do: 'decide', id, decision: 'book' });
    if (!mayBook || c < 0.45) {
      yield { do: 'decide', id, decision: 'dismiss', evenIfPaid: d < 0.7 };
      return;
    }
    const stated = kind === 'payment' && d < 0.7 ? this.world.sales.get(found.sale ?? '')?.amount : undefined;
    const given = order === undefined ? (pick(this.setup.keys, d) as string) : undefined;
    yield {
      do: 'decide',
      id,
      decision: 'book',
      order: given,
      amount: reason === 'unclear_amount' ? (stated ?? 1) : undefined,
    };
  }
}

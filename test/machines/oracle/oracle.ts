import { isDeepStrictEqual } from 'node:util';
import { type Action, DAY_MS, HOUR_MS, MINUTE_MS, type Note, type Setup } from './actions';
import { type Decision, decideCharge, decidePayment, isLaterSum, sameMoney } from './decisions';
import type { Choose, Reading } from './readings';
import type { Attempt, Case, Done, Money, Order, Recurrence, Return, State } from './state';
import { type JourneyRequest, uuidOf, type World } from './world';

/** What one action must come to. */
export interface Outcome {
  /** The status of the answer, or what the call gave. */
  readonly answer: string;
  /** The callbacks that ran. */
  readonly effects: readonly string[];
}

/** The state of a charge that was done as money of no order before its event led it to one. */
const STRAY = 'PAID~event';

/** The cases of payments that only a person ends. */
const PERSONS = ['paid_twice', 'other_order', 'unclear_amount', 'returned_in_full', 'needs_person'];

/** In place of the reason of a case, where a dismissal is taken back. */
const REVOKED = '';

type Fields = Readonly<Record<string, unknown>>;

/** A payment as the oracle reads it off a body. */
interface Told {
  readonly sale: string;
  readonly amount: number | undefined;
  readonly currency: string | undefined;
  readonly reference: string | undefined;
  /** Of an event; `undefined` of an ordinary payment. */
  readonly idRec?: string | undefined;
  readonly dueDate?: string | undefined;
  readonly date?: string | undefined;
}

/** An event of a recurrence that moves no money. */
interface ToldEvent {
  readonly id: string;
  readonly idRec: string;
  readonly event: string;
  readonly date: string | undefined;
  readonly charge: { readonly sale: string | undefined; readonly dueDate: string | undefined } | undefined;
}

const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : undefined);
const ENDS: Readonly<Record<string, string>> = {
  RECURRENCE_REJECTED: 'rejected',
  RECURRENCE_EXPIRED: 'expired',
  RECURRENCE_CANCELLED: 'cancelled',
  RECURRENCE_CONCLUDED: 'concluded',
};
const EVENTS: Readonly<Record<string, string>> = {
  ...ENDS,
  RECURRENCE_AUTHORIZED: 'authorized',
  RECURRENCE_CHARGE_SCHEDULED: 'charge_scheduled',
  RECURRENCE_CHARGE_FAILED: 'charge_failed',
};

/** What the design says must happen, for one action. It changes `state`, and leaves the world as it is. */
export class Oracle {
  readonly #effects: string[] = [];
  #isDown = false;
  #trouble: 'throws' | 'needsPerson' | undefined;

  constructor(
    readonly state: State,
    readonly setup: Setup,
    readonly world: World,
    readonly choose: Choose,
  ) {}

  step(action: Action): Outcome {
    return { answer: this.#act(action), effects: this.#effects };
  }

  #act(action: Action): string {
    switch (action.do) {
      case 'advance':
        this.state.now += action.ms;
        return 'done';
      case 'open':
        this.#isDown = action.isDown;
        return this.#open(this.#order(action.key), action.request, action.replace);
      case 'close':
        for (const each of this.#order(action.key).attempts) if (each.state !== 'paid') each.state = 'closed';
        return 'done';
      case 'deliver':
        this.#isDown = action.isDown;
        this.#trouble = action.trouble;
        return action.note.isForeignPair ? '401' : String(this.#deliver(action.note));
      case 'decide':
        return this.#decide(action);
      case 'cancel':
        return this.#cancel(this.#order(action.key));
      case 'maintain':
        this.#maintain();
        return 'done';
    }
  }

  #order(key: string): Order {
    return this.state.orders[key] as Order;
  }

  #orders(): Order[] {
    return Object.values(this.state.orders);
  }

  /** Follows a decision of the library, which is counted. */
  #takes(about: Reading): true {
    return this.choose(about, [true]);
  }

  // Finding

  #byReference(reference: string | undefined): { order: Order; attempt: Attempt } | undefined {
    for (const order of this.#orders()) {
      const attempt = order.attempts.find((each) => each.reference === reference);
      if (attempt !== undefined) return { order, attempt };
    }
    return undefined;
  }

  #bySale(sale: string): Order | undefined {
    return this.#orders().find(
      ({ attempts, payments, known }) =>
        attempts.some(({ uuid }) => uuid === sale) ||
        payments.some((each) => each.sale === sale) ||
        known.includes(sale),
    );
  }

  // Delivering

  #deliver(note: Note): number {
    switch (note.kind) {
      case 'payment':
      case 'charge':
        return this.#payment(note);
      case 'saleStatus':
        return this.#saleStatus(note);
      case 'refund':
      case 'reversal':
        return this.#return(note);
      case 'payout':
        return this.#once(
          note,
          `payout:${note.body['uuid']}`,
          `${note.body['success']}:${note.body['status']}`,
          () => {
            this.#effects.push(`payout ${note.body['uuid']} ${note.body['status']}`);
          },
        );
      case 'recurrence':
        return this.#event(note);
      case 'unrecognized':
      case 'invalid':
        return this.#unrecognized(note);
    }
  }

  #once(note: Note, subject: string, state: string, act: () => void): number {
    const done = this.state.done[`${subject}|${state}`];
    if (done !== undefined) return this.#repeat(done, note, subject);
    act();
    this.#finish(note, subject, state, 'acted');
    return 200;
  }

  #unrecognized(note: Note): number {
    const id = `${note.kind}:${JSON.stringify(note.body)}`;
    const done = this.state.done[id];
    if (done !== undefined && this.state.now - done.at < HOUR_MS) return 200;
    if (this.setup.hasUnrecognized) {
      this.#effects.push('unrecognized');
      this.#finish(note, id, '', 'acted', id);
      return 200;
    }
    const isInvalid = note.kind === 'invalid';
    this.#case(id, isInvalid ? 'invalid_notification' : 'unhandled', { kind: 'unrecognized', note });
    return isInvalid ? 400 : 200;
  }

  /** A delivery of what is done. */
  #repeat(done: Done, note: Note, subject: string): number {
    const content = contentOf(note);
    const body = JSON.stringify(note.body);
    if (note.kind === 'charge' && done.body !== body) this.#learn(toldIn(note));
    const differs = Object.entries(content).some(
      ([name, value]) =>
        done.content[name] != null && value != null && !isDeepStrictEqual(done.content[name], value),
    );
    let isLate = this.state.now - done.at > HOUR_MS;
    if (done.isSettled) isLate = false;
    if (isLate && done.body === body && /\d{4}-\d\d-\d\d \d\d:/.test(body)) isLate = false;
    if (done.isSettled && !differs) {
      const given = Object.entries(content).filter(([, value]) => value != null);
      const merged = { ...done.content, ...Object.fromEntries(given) };
      Object.assign(done, { isSettled: false, body, content: merged, at: this.state.now });
    }
    if (!differs && !isLate) return 200;
    if (this.choose('decided repeat', [false, this.state.decided[`${subject}|repeat`]?.note === body]))
      return 200;
    this.#case(`${subject}|repeat`, 'unexpected_repeat', {
      kind: note.kind,
      note,
      sale: saleOf(note),
      order: (this.#bySale(saleOf(note) ?? '') ?? this.#byReference(referenceOf(note))?.order)?.key,
    });
    return 200;
  }

  #finish(
    /** `Told`: the service was asked. */
    note: Note | Told,
    subject: string,
    state: string,
    how: Done['how'],
    id = `${subject}|${state}`,
  ): void {
    this.state.done[id] = {
      at: this.state.now,
      content: 'kind' in note ? contentOf(note) : contentOfTold(note),
      body: 'kind' in note ? JSON.stringify(note.body) : undefined,
      isSettled: !('kind' in note),
      how,
    };
    delete this.state.cases[id];
    // What was dismissed unconfirmed is booked by a delivery.
    const decided = this.state.decided[id];
    if (decided !== undefined && how === 'acted') decided.status = 'booked';
    for (const order of this.#orders()) order.review = order.review.filter((each) => each.id !== id);
  }

  #case(id: string, reason: string, about: Partial<Case> & Pick<Case, 'kind'>, own?: Order): void {
    const before = this.state.cases[id];
    this.state.cases[id] = { ...about, id, reason, since: before?.since ?? this.state.now };
    if (own === undefined) return;
    const sale = about.sale as string;
    if (!own.known.includes(sale)) own.known.push(sale);
    const entry = { id, reason, sale, amount: about.amount };
    own.review = [...own.review.filter((each) => each.id !== id), entry];
  }

  // Payments

  #payment(note: Note): number {
    const told = toldIn(note);
    const subject = `payment:${told.sale}`;
    const done = this.state.done[`${subject}|PAID`];
    let state = 'PAID';
    if (note.kind === 'charge') this.state.sawEvent = true;
    const found = this.#findFor(told);
    if (done?.isUnconfirmed && this.setup.confirms) {
      this.#takes('unconfirmed dismissal');
      const isDenied = !this.#isDown && this.#confirm(told, found.named?.reference, found.order) !== 'yes';
      if (isDenied) return this.#repeat(done, note, subject);
    } else if (done !== undefined) {
      if (note.kind !== 'charge' || !this.#isOverlooked(done, told)) return this.#repeat(done, note, subject);
      if (this.setup.foreign === 'function') {
        this.#case(`${subject}|repeat`, 'unexpected_repeat', {
          kind: 'payment',
          note,
          sale: told.sale,
          order: found.order?.key,
        });
        return 200;
      }
      state = STRAY;
      const again = this.state.done[`${subject}|${STRAY}`];
      if (again !== undefined) return this.#repeat(again, note, subject);
    }
    return this.#decidePayment(note, told, 'delivery', state);
  }

  /** An event that repeats a charge which its ordinary form has booked says which recurrence its order has. */
  #learn(told: Told): void {
    const named = this.#byReference(told.reference);
    if (named === undefined || this.#bySale(told.sale) !== named.order) return;
    const isKnown = named.order.recurrences.some((each) => each.idRec === told.idRec);
    if (!isKnown) this.#rememberCharge(named.order, told, named.attempt);
  }

  /** Done as money of no order, and an event leads it to one. */
  #isOverlooked(done: Done, told: Told): boolean {
    return (
      done.how === 'foreign' &&
      this.#bySale(told.sale) === undefined &&
      this.#byEvent(told.reference, told.idRec).order !== undefined
    );
  }

  #findFor(told: Told): { order: Order | undefined; named: Attempt | undefined; isOthers: boolean } {
    const { order, named } = this.#byEvent(told.reference, told.idRec);
    const pointed = this.state.orders[this.state.recurrences[told.idRec ?? ''] ?? ''];
    const found = this.#bySale(told.sale) ?? order;
    return {
      order: found,
      named,
      isOthers: pointed !== undefined && found !== undefined && pointed !== found,
    };
  }

  /** By the reference, else by the recurrence. */
  #byEvent(reference: string | undefined, idRec: string | undefined) {
    const byReference = this.#byReference(reference);
    const order = byReference?.order ?? this.state.orders[this.state.recurrences[idRec ?? ''] ?? ''];
    const known = order?.recurrences.find((each) => each.idRec === idRec);
    const named = byReference?.attempt ?? order?.attempts.find((each) => each.reference === known?.reference);
    return { order, named };
  }

  /** Asks the service, and acts by the tables. */
  #decidePayment(
    note: Note | undefined,
    told: Told,
    by: 'delivery' | 'replay' | 'settle',
    state = 'PAID',
  ): number {
    const id = `payment:${told.sale}|${state}`;
    const { order: found, named, isOthers } = this.#findFor(told);
    const kept = by === 'replay' ? this.state.orders[this.state.cases[id]?.order ?? ''] : undefined;
    const order = kept ?? found;
    const isEvent = told.idRec !== undefined;
    const about = {
      kind: 'payment',
      note: note ?? told,
      sale: told.sale,
      order: order?.key,
      amount: told.amount,
    };
    const confirmed = this.#confirm(told, isEvent ? named?.reference : undefined, order);
    const decide = (amount: number, currency: string): Decision | undefined => {
      if (order === undefined) return undefined;
      const claimed = { sale: told.sale, amount, currency };
      return isEvent ? decideCharge(order, claimed, named) : decidePayment(order, claimed, told.reference);
    };
    if (confirmed !== 'yes') {
      if (by === 'settle') return 500;
      const before = this.state.cases[id];
      // What was confirmed before stays, with its body.
      if (before !== undefined && this.choose('kept reason', [false, true]))
        this.#case(id, before.reason, before);
      else this.#case(id, confirmed, about);
      return 500;
    }
    const transaction = this.world.sales.get(told.sale);
    const amount = told.amount ?? transaction?.amount ?? 0;
    const currency = told.currency ?? transaction?.currency ?? 'BRL';
    about.amount = amount;
    if (order === undefined) return this.#foreign(note ?? told, `payment:${told.sale}`, state, about);
    const others = this.#byReference(transaction?.referenceCode)?.order;
    if (isEvent && (isOthers || (others !== undefined && others !== order))) {
      this.#case(id, 'other_order', about);
      return 200;
    }
    const isUnclear = told.amount === undefined && !this.setup.confirms && by !== 'settle';
    const decision = this.#unclear(decide(amount, currency) as Decision, isUnclear);
    if (decision.is === 'booked') {
      this.#finish(note ?? told, `payment:${told.sale}`, state, 'acted');
      return 200;
    }
    if (decision.reading !== undefined) this.#takes(decision.reading);
    if (decision.is === 'case') {
      // What has been own money stays that, until it is decided.
      const isKnown = by === 'replay' && order.review.some((each) => each.id === id);
      // Without confirmation nobody has confirmed that it is the order's own.
      const isConfirmed = this.setup.confirms || by === 'settle';
      this.#case(
        id,
        this.choose('fitting row', decision.reasons),
        about,
        (decision.isOwn && isConfirmed) || isKnown ? order : undefined,
      );
      return 200;
    }
    const isFirst = order.payments.length === 0;
    const isAsked = this.setup.confirms || by === 'settle';
    return this.#book(
      order,
      { ...about, amount },
      state,
      currency,
      decision.attempt,
      isFirst,
      decision.is === 'first',
      isAsked,
    );
  }

  /** Where neither states an amount. */
  #unclear(decision: Decision, isUnclear: boolean): Decision {
    if (!isUnclear || decision.is === 'booked') return decision;
    const reasons = decision.is === 'case' ? decision.reasons : [];
    return { is: 'case', reasons: ['unclear_amount', ...reasons], isOwn: false };
  }

  /** Whether the service says so. */
  #confirm(
    told: Told,
    journeysReference: string | undefined,
    order: Order | undefined,
    isAlways = false,
  ): 'yes' | 'not_confirmed' | 'confirm_failed' {
    if (!this.setup.confirms && !isAlways) return 'yes';
    if (this.#isDown) return 'confirm_failed';
    const sale = this.world.sales.get(told.sale);
    if (sale === undefined) return this.#takes('unknown sale') && 'confirm_failed';
    if (sale.situation !== 'PAID') return 'not_confirmed';
    if (told.amount !== undefined && told.amount !== sale.amount) return 'not_confirmed';
    if (told.currency !== undefined && told.currency !== sale.currency) return 'not_confirmed';
    if (told.idRec === undefined) {
      return told.reference !== undefined && told.reference !== sale.referenceCode ? 'not_confirmed' : 'yes';
    }
    const carries = order?.attempts.some(({ reference }) => reference === sale.referenceCode) === true;
    if (carries || order === undefined || journeysReference === undefined) return 'yes';
    if (this.#byReference(sale.referenceCode) !== undefined) return 'yes';
    if (!this.world.hasPublicCalls) return 'yes';
    const schedules = this.world.authorizations.get(told.idRec)?.schedules ?? [];
    return schedules.some((each) => each.sale === told.sale) ? 'yes' : 'not_confirmed';
  }

  #book(
    order: Order,
    about: Case | (Omit<Case, 'id' | 'reason' | 'since'> & { amount: number }),
    state: string,
    currency: string,
    attempt: Attempt | undefined,
    isFirst: boolean,
    isFirstRow: boolean,
    isAsked: boolean,
  ): number {
    const sale = about.sale as string;
    const amount = about.amount as number;
    const id = `payment:${sale}|${state}`;
    const refunds = isAsked ? (this.world.sales.get(sale)?.refunds ?? []) : [];
    if (refunds.reduce((sum, { total }) => sum + cents(total), 0) >= cents(amount)) {
      // What has been own money stays that, until it is decided.
      const isOwn = isFirstRow || order.review.some((each) => each.id === id);
      this.#case(id, 'returned_in_full', about, isOwn ? order : undefined);
      return 200;
    }
    const told = refunds
      .filter(({ uuid }) => !order.returns.some((each) => each.id === uuid))
      .map(({ uuid, total }) => this.#untold(uuid, sale, total));
    if (this.#trouble !== undefined) {
      if (told.length > 0 && this.choose('failed refunds', [true, false])) order.returns.push(...told);
      const isOwn = order.attempts.some(({ uuid }) => uuid === sale);
      const isFirstCharge = !isOwn && isFirstRow && this.#takes('own charge');
      return this.#troubled(id, about, isOwn || isFirstCharge ? order : undefined);
    }
    order.returns.push(...told);
    this.#effects.push(`paid ${order.key} ${sale} ${amount} ${isFirst ? 'first' : 'later'}`);
    order.payments.push({ sale, amount, currency });
    if (attempt !== undefined) attempt.state = 'paid';
    this.#rememberCharge(order, toldOf(about.note as Note | Told), attempt);
    this.#finish(about.note as Note | Told, `payment:${sale}`, state, 'acted');
    this.#runEarly(sale);
    return 200;
  }

  /** The ordinary form of a charge names no recurrence: it is that of its attempt, if that has one alone. */
  #rememberCharge(
    order: Order,
    { idRec, dueDate, date, reference }: Told,
    attempt: Attempt | undefined,
  ): void {
    const named = attempt ?? this.#byEvent(reference, idRec).named;
    const live = order.recurrences.filter(
      (each) => each.end === undefined && each.reference === named?.reference,
    );
    let known =
      idRec === undefined
        ? live.length === 1
          ? live[0]
          : undefined
        : order.recurrences.find((each) => each.idRec === idRec);
    if (known === undefined) {
      if (idRec === undefined) return;
      known = { idRec, reference: named?.reference };
      order.recurrences.push(known);
      this.state.recurrences[idRec] ??= order.key;
    }
    if (!isBefore(date, known.paid?.date)) known.paid = { dueDate, date };
  }

  #untold(id: string, sale: string, amount: number): Return {
    return { id, sale, amount, status: 'PAID', at: this.state.now, isUntold: true };
  }

  /** The callback threw, or left it to a person. */
  #troubled(id: string, about: Omit<Case, 'id' | 'reason' | 'since'>, own: Order | undefined): number {
    const isPersons = this.#trouble === 'needsPerson';
    this.#trouble = undefined;
    this.#case(id, isPersons ? 'needs_person' : 'callback_failed', about, own);
    return isPersons ? 200 : 500;
  }

  #foreign(
    note: Note | Told,
    subject: string,
    state: string,
    about: Omit<Case, 'id' | 'reason' | 'since'>,
  ): number {
    if (this.setup.foreign === undefined) {
      this.#case(`${subject}|${state}`, 'no_order', about);
      return 200;
    }
    if (this.setup.foreign === 'function') this.#effects.push(`foreign ${about.kind} ${about.sale}`);
    this.#finish(note, subject, state, 'foreign');
    return 200;
  }

  #saleStatus(note: Note): number {
    const sale = saleOf(note) as string;
    const state = String(note.body['newStatus']);
    const done = this.state.done[`payment:${sale}|${state}`];
    if (done !== undefined) return this.#repeat(done, note, `payment:${sale}`);
    const order = this.#bySale(sale) ?? this.#byReference(note.body['referenceCode'] as string)?.order;
    this.#case(`sale_status:${sale}`, 'sale_status', { kind: 'saleStatus', note, sale, order: order?.key });
    return 200;
  }

  // Returns

  #return(note: Note): number {
    const { id, sale, status } = returnIn(note);
    const subject = `${note.kind}:${id}`;
    const done = this.state.done[`${subject}|${status}`];
    if (done !== undefined) return this.#repeat(done, note, subject);
    return this.#decideReturn(note, this.#orderOfReturn(note, sale));
  }

  #orderOfReturn(note: Note, sale: string): Order | undefined {
    const found = this.#bySale(sale) ?? this.#byReference(referenceOf(note))?.order;
    const { order } =
      this.state.cases[`payment:${sale}|PAID`] ?? this.state.cases[`payment:${sale}|${STRAY}`] ?? {};
    return found ?? (order && this.#takes('sale of a case') ? this.#order(order) : undefined);
  }

  #isLate(id: string): boolean {
    const { since } = this.state.cases[id] ?? {};
    return since !== undefined && this.state.now - since > HOUR_MS && !this.#mayBeFound(since);
  }

  /** Its sale may be a charge whose event was lost: the next search would lead it to its order. */
  #mayBeFound(since: number): boolean {
    const { sawEvent, listedAt, hasNoCalls, now } = this.state;
    const isOn = sawEvent || (this.setup.listsRecurrences && listedAt !== undefined);
    if (!isOn || hasNoCalls || now - since >= 2 * DAY_MS) return false;
    return (listedAt === undefined || listedAt <= since) && this.#takes('return of a lost charge');
  }

  #decideReturn(note: Note, order: Order | undefined, given?: number): number {
    const { id, sale, amount: told, currency, status } = returnIn(note);
    const amount = given ?? told;
    const subject = `${note.kind}:${id}`;
    const about = { kind: note.kind, note, sale, order: order?.key, amount };
    const payments = order?.payments.filter((each) => each.sale === sale) ?? [];
    const [payment] = payments;
    if (order === undefined && this.#isLate(`${subject}|${status}`))
      return this.#foreign(note, subject, status, about);
    if (order === undefined || payment === undefined) {
      const before = this.state.cases[`${subject}|${status}`];
      if (before?.reason === 'early_return' && before.order !== order?.key)
        about.order = this.choose('order of an early return', [order?.key, before.order]);
      this.#case(`${subject}|${status}`, 'early_return', about);
      return 200;
    }
    const known = order.returns.find((each) => each.id === id);
    const isOver = known !== undefined && !known.isUntold && known.status !== 'PENDING';
    const isUnclear = amount === undefined && status === 'PAID';
    const isOtherMoney =
      known?.sale !== sale || isUnclear || (amount !== undefined && known.amount !== amount);
    const isContradicted = isOver && status !== 'PENDING' && (known.status !== status || isOtherMoney);
    if (isContradicted && given === undefined && this.#takes('contradicted return')) {
      this.#case(`${subject}|${status}`, 'unclear_amount', about);
      return 200;
    }
    if (isOver && !isContradicted) {
      this.#finish(note, subject, status, 'acted');
      return 200;
    }
    if (status !== 'PAID') {
      if (known === undefined) order.returns.push({ id, sale, amount, status });
      else if (!known.isUntold) Object.assign(known, { status, amount });
      this.#finish(note, subject, status, 'acted');
      return 200;
    }
    const others = order.returns.filter(
      (each) => each.id !== id && each.sale === sale && each.status === 'PAID',
    );
    const left =
      payments.reduce((sum, each) => sum + cents(each.amount), 0) -
      others.reduce((sum, each) => sum + cents(each.amount ?? 0), 0) -
      cents(amount ?? 0);
    const isOther = currency !== undefined && currency !== payment.currency;
    const isByPerson = given !== undefined && isOther && this.#takes('currency of a return');
    if (amount === undefined || (isOther && !isByPerson) || left < 0) {
      this.#case(`${subject}|${status}`, 'unclear_amount', about);
      return 200;
    }
    const recorded = { id, sale, amount, status };
    if (this.#trouble !== undefined) {
      const isKept = this.choose('failed return', [false, true]);
      if (isKept)
        order.returns = [...order.returns.filter((each) => each.id !== id), { ...recorded, isUntold: true }];
      return this.#troubled(`${subject}|${status}`, about, undefined);
    }
    order.returns = [...order.returns.filter((each) => each.id !== id), recorded];
    this.#effects.push(`returned ${order.key} ${sale} ${amount} left ${left / 100}`);
    this.#finish(note, subject, status, 'acted');
    return 200;
  }

  /** Returns that came before their sale was booked. */
  #runEarly(sale: string): void {
    const early = Object.values(this.state.cases).filter(
      (each) =>
        /^(refund|reversal)/.test(each.kind) &&
        /^(early_return|no_order)$/.test(each.reason) &&
        each.sale === sale,
    );
    const orders = ordersOf(early.sort((one, other) => (one.id < other.id ? -1 : 1)));
    for (const each of early.length > 1 ? this.choose('order of early returns', orders) : early) {
      this.#decideReturn(each.note as Note, this.#bySale(sale));
    }
  }

  // The life of a recurrence

  #event(note: Note): number {
    const { eventType, idRec, externalId, saleToken, chargeDueDate, eventDate, retryScheduled } =
      note.body as Record<string, string>;
    this.state.sawEvent = true;
    const event = EVENTS[eventType as string] as string;
    const isCharge = event.startsWith('charge_');
    const due = isCharge ? ` ${chargeDueDate?.slice(0, 10)}` : '';
    const tried = event === 'charge_failed' ? ` ${eventDate?.slice(0, 10)} ${retryScheduled}` : '';
    const subject = `recurrence:${idRec}${isCharge ? `/${lower(saleToken) ?? chargeDueDate}` : ''}`;
    const state = `${eventType}${due}${tried}`;
    if (this.state.done[`${subject}|${state}`] !== undefined) return this.#takes('event again') && 200;
    const { order } = this.#byEvent(externalId, idRec);
    if (order === undefined) {
      if (this.setup.foreign === 'function') this.#effects.push(`foreign recurrence ${idRec}`);
      this.#finish(note, subject, state, 'foreign');
      return 200;
    }
    this.#decideEvent(order, note, subject, state);
    return 200;
  }

  /** A delivery, or its case decided again. */
  #decideEvent(order: Order, note: Note, subject: string, state: string): void {
    const { eventType, idRec, externalId, saleToken, chargeDueDate, eventDate } = note.body as Record<
      string,
      string
    >;
    const event = EVENTS[eventType as string] as string;
    const told = { id: `${subject}|${state}`, idRec: idRec as string, event, date: eventDate };
    const charge = event.startsWith('charge_')
      ? { sale: lower(saleToken), dueDate: chargeDueDate?.slice(0, 10) }
      : undefined;
    const reason = this.#tellEvent(order, this.#byEvent(externalId, idRec).named, { ...told, charge });
    if (reason === undefined) this.#finish(note, subject, state, 'acted');
    else this.#case(told.id, reason, { kind: 'recurrence', note, order: order.key, sale: lower(saleToken) });
  }

  /** @returns the reason of a case, where one is made */
  #tellEvent(
    order: Order,
    attempt: Attempt | undefined,
    { id, idRec, event, date, charge }: ToldEvent,
  ): string | undefined {
    const before = order.recurrences.find((each) => each.idRec === idRec);
    const isSecond = this.#isSecond(order, attempt, idRec);
    const hadEnd = before?.end;
    const isEnd = Object.values(ENDS).includes(event);
    if (isEnd ? hadEnd !== undefined : event === 'authorized' && hadEnd !== undefined) return undefined;
    const recurrence: Recurrence = before ?? { idRec, reference: attempt?.reference };
    if (before === undefined) order.recurrences.push(recurrence);
    this.state.recurrences[idRec] ??= order.key;

    if (isEnd) {
      recurrence.end = event;
      if (isSecond || recurrence.refused?.reason === 'authorized_twice') return undefined;
      this.#run(order, event, idRec);
      delete recurrence.refused;
      const stillLives = order.recurrences.some(
        (each) => each.reference === attempt?.reference && each.end === undefined,
      );
      if (stillLives || attempt === undefined) return undefined;
      if (attempt.state === 'authorized') attempt.state = 'expired';
      else if (attempt.state === 'created') attempt.isOver = true;
      return undefined;
    }

    const reason = isSecond ? 'authorized_twice' : this.#refusal(order, attempt);
    if (reason !== undefined) {
      const { refused } = recurrence;
      const isOther = refused !== undefined && refused.id !== id && this.#takes('refused once');
      if (hadEnd !== undefined || isOther) return undefined;
      recurrence.refused = { reason, id };
      return reason;
    }
    const { paid } = recurrence;
    const isOvertaken =
      charge !== undefined &&
      (order.payments.some(({ sale }) => sale === charge.sale) ||
        (paid?.dueDate !== undefined && paid.dueDate === charge.dueDate) ||
        isBefore(date, paid?.date));
    if (isOvertaken) return undefined;
    delete recurrence.refused;
    this.#run(order, event, idRec);
    if (hadEnd !== undefined) this.#takes('after the end');
    else if (attempt !== undefined && attempt.state !== 'paid') attempt.state = 'authorized';
    return undefined;
  }

  #refusal(order: Order, attempt: Attempt | undefined): string | undefined {
    if (attempt === undefined || attempt.state === 'paid') return undefined;
    if (attempt.state === 'closed') return 'closed';
    if (sameMoney(attempt.money, order.newest)) return undefined;
    return attempt.state === 'authorized' && this.#takes('approved before') ? undefined : 'other_amount';
  }

  /** Whether two would be charged. */
  #isSecond(order: Order, attempt: Attempt | undefined, idRec: string): boolean {
    const live = order.recurrences.filter((each) => each.end === undefined);
    if (live.length > 0 && live[0]?.idRec !== idRec && live.findIndex((each) => each.idRec === idRec) !== 0)
      return true;
    return order.attempts.some((each) => {
      if (each === attempt || (each.state !== 'paid' && each.state !== 'authorized')) return false;
      const own = order.recurrences.filter(({ reference }) => reference === each.reference);
      const isOver = each.state === 'paid' && own.length > 0 && own.every(({ end }) => end !== undefined);
      return !(isOver && this.#takes('paid and over'));
    });
  }

  #run(order: Order, event: string, idRec: string): void {
    if (this.setup.hasRecurrence) this.#effects.push(`recurrence ${order.key} ${event} ${idRec}`);
  }

  #cancel(order: Order): string {
    const live = order.recurrences.filter((each) => each.end === undefined);
    if (live.length > 0 && !this.world.hasPublicCalls) return 'failed';
    return live
      .map(({ idRec }) => idRec)
      .sort()
      .join(' ');
  }

  // Opening

  #open(order: Order, request: JourneyRequest, replace: boolean): string {
    const money = moneyOf(request);
    const atRest = this.#atRest(order, money);
    if (atRest !== undefined) return atRest;
    const live = order.attempts.find(({ state }) => state === 'created');
    if (live === undefined) return this.#begin(order, money, request);
    const isOver = live.isOver === true || (live.expiresAt !== undefined && this.state.now >= live.expiresAt);
    const isSame = sameMoney(money, live.money);
    if (!isSame && !replace)
      return isOver ? this.#takes('over and same price') && 'order_conflict' : 'order_conflict';
    if (isSame && !isOver)
      return replace ? this.#takes('replace by the same') && `open ${live.uuid}` : `open ${live.uuid}`;
    if (this.#isDown) return 'failed';
    const transaction = this.world.sales.get(live.uuid);
    if (transaction?.situation === 'PAID') {
      this.#decidePayment(undefined, settled(live, transaction), 'settle');
      return this.#atRest(order, money) ?? 'review';
    }
    if (transaction?.situation === 'CANCELLED') this.#takes('cancelled and replaced');
    live.state = 'expired';
    return this.#begin(order, money, request);
  }

  /** What an order gives that shows no QR code. */
  #atRest(order: Order, money: Money): string | undefined {
    if (order.payments.length > 0) {
      const paid = order.attempts.find(({ state }) => state === 'paid') ?? order.attempts.at(-1);
      return paid === undefined || sameMoney(money, paid.money) ? 'paid' : 'order_conflict';
    }
    if (order.review.length > 0) return 'review';
    const live = order.recurrences.find((each) => each.end === undefined);
    const authorized = order.attempts.find(({ state }) => state === 'authorized');
    if (authorized === undefined && live === undefined) return undefined;
    const attempt = authorized ?? order.attempts.find(({ reference }) => reference === live?.reference);
    return attempt === undefined || sameMoney(money, attempt.money) ? 'authorized' : 'order_conflict';
  }

  #begin(order: Order, money: Money, { maxAge }: JourneyRequest): string {
    const number = order.attempts.length + 1;
    const reference = number === 1 ? order.key : `${order.key}-${number}`;
    const uuid = uuidOf(reference);
    const expiresAt = maxAge === undefined ? undefined : this.state.now + (maxAge + 1) * MINUTE_MS;
    order.newest = money;
    order.attempts.push({ reference, uuid, money, expiresAt, state: 'created' });
    return `open ${uuid}`;
  }

  // Deciding

  #decide({ id, decision, order: given, amount, evenIfPaid }: Action & { do: 'decide' }): string {
    const decided = this.state.decided[id];
    const found = this.state.cases[id];
    if (found === undefined) {
      if (decided === undefined) return 'failed';
      const since = this.state.done[id]?.at ?? this.state.now;
      if (decided.kind === 'unrecognized' && this.state.now - since >= HOUR_MS) return 'failed';
      if (decided.status === 'booked' || decision === 'dismiss')
        return `${decided.status} was ${decided.status}`;
      if (decided.kind !== 'payment' || id.endsWith('repeat')) return 'failed';
      const order = this.state.orders[decided.order ?? given ?? ''];
      if (order === undefined) return 'failed';
      // The service is asked for the money.
      const note: Told = {
        sale: decided.sale as string,
        amount: undefined,
        currency: undefined,
        reference: undefined,
      };
      const result = this.#bookCase(
        { ...decided, id, reason: REVOKED, since: 0, note },
        order,
        amount,
        given,
      );
      return result === 'booked' ? 'booked was dismissed' : result;
    }
    const order = this.state.orders[found.order ?? given ?? ''];
    const was = this.state.done[id]?.isUnconfirmed ? ' was dismissed' : '';
    if (decision === 'dismiss') {
      const result = this.#dismiss(found, order, evenIfPaid === true);
      return result === 'failed' ? result : result + was;
    }
    if (found.kind === 'recurrence' && order !== undefined) {
      this.#takes('book of an event');
      this.#again(found);
      if (this.state.cases[id] !== undefined) return 'failed';
      this.#settled(found, order, 'booked');
      return 'booked';
    }
    if (order === undefined) return 'failed';
    const result = this.#bookCase(found, order, amount, given);
    return result === 'booked' ? result + was : result;
  }

  #bookCase(found: Case, order: Order, amount: number | undefined, given: string | undefined): string {
    const note = found.note as Note | Told;
    if (found.kind === 'refund' || found.kind === 'reversal') {
      delete this.state.cases[found.id];
      this.#decideReturn(note as Note, order, amount);
      if (this.state.cases[found.id] !== undefined) return 'failed';
      this.#settled(found, order, 'booked');
      return 'booked';
    }
    const told = 'kind' in note ? toldIn(note) : note;
    const named = this.#findFor(told).named;
    const isRepeat = found.reason === 'unexpected_repeat';
    const asked = {
      ...told,
      ...(given !== undefined && { reference: undefined }),
      // The service knows the amount of a sale's first payment only.
      ...(isRepeat && { amount: undefined }),
    };
    // Its schedules are not asked about.
    const confirmed = this.#confirm(asked, undefined, order, true);
    if (confirmed !== 'yes') {
      const isSame = found.reason === confirmed && found.order === undefined;
      if (isSame && this.#takes('order of a failed booking')) found.order = order.key;
      return 'failed';
    }
    if (told.idRec !== undefined) this.#takes('proof by a person');
    const transaction = this.world.sales.get(told.sale);
    // Asked for its money, the service states another sum.
    if (!isRepeat && amount !== undefined && amount !== transaction?.amount) return 'failed';
    const sum = amount ?? told.amount ?? transaction?.amount ?? 0;
    const currency = told.currency ?? transaction?.currency ?? 'BRL';
    if (isRepeat && amount === undefined && told.amount === undefined) return 'failed';
    if (isRepeat && amount === undefined && sum !== transaction?.amount) {
      const paidBy = order.attempts.find(({ state }) => state === 'paid');
      const isLater = paidBy && isLaterSum(order, paidBy.money, { sale: told.sale, amount: sum, currency });
      if (!isLater || !this.#takes('sum of a repeat')) return 'failed';
    }
    if (
      isRepeat &&
      cents((transaction?.refunds ?? []).reduce((all, { total }) => all + total, 0)) >=
        cents(transaction?.amount ?? 0)
    )
      return 'failed';
    const isAgain = isRepeat && order.payments.some(({ sale }) => sale === told.sale);
    // As if it were expected, where it is.
    const expected = decidePayment(order, { sale: told.sale, amount: sum, currency }, told.reference);
    const firstOf = expected.is === 'first' ? expected.attempt : undefined;
    const isFirst =
      order.payments.length === 0 &&
      found.reason !== 'paid_twice' &&
      (!isRepeat || this.#takes('first of an order'));
    this.#effects.push(`paid ${order.key} ${told.sale} ${sum} ${isFirst ? 'first' : 'later'}`);
    order.payments.push({
      sale: told.sale,
      amount: sum,
      currency,
    });
    const own = order.attempts.find(({ uuid }) => uuid === told.sale);
    const attempt = own ?? (told.idRec === undefined ? firstOf : named);
    if (attempt !== undefined && !order.attempts.some(({ state }) => state === 'paid'))
      attempt.state = 'paid';
    if (found.reason !== 'unexpected_repeat') this.#rememberCharge(order, told, attempt);
    for (const { uuid, total } of transaction?.refunds ?? []) {
      if (order.returns.some((each) => each.id === uuid)) continue;
      if (isAgain) this.#takes('refunds of a repeat');
      else order.returns.push(this.#untold(uuid, told.sale, total));
    }
    this.#settled(found, order, 'booked');
    this.#runEarly(told.sale);
    return 'booked';
  }

  #settled(
    found: Case,
    order: Order | undefined,
    status: 'booked' | 'dismissed',
    isUnconfirmed = false,
  ): void {
    const [subject, state] = found.id.split('|') as [string, string];
    const note = found.note as Note;
    if (state === 'repeat') delete this.state.cases[found.id];
    else if (found.reason === 'sale_status') {
      delete this.state.cases[found.id];
      this.#finish(note, `payment:${found.sale}`, String(note.body['newStatus']), status);
    } else this.#finish(note, subject, state ?? '', status, found.id);
    const done = this.state.done[found.id];
    // A decision is no settlement, save of what was settled: what comes again long after it is looked at.
    const isSettled = !('kind' in note) && found.reason !== REVOKED;
    if (done !== undefined) Object.assign(done, { isSettled, isUnconfirmed });
    if (
      order !== undefined &&
      found.sale !== undefined &&
      status === 'dismissed' &&
      /^(payment|sale_status):/.test(found.id)
    )
      order.known.push(found.sale);
    this.state.decided[found.id] = {
      ...found,
      order: order?.key,
      status,
      note: state === 'repeat' ? JSON.stringify(note.body) : note,
    };
  }

  #dismiss(found: Case, order: Order | undefined, evenIfPaid: boolean): string {
    const isPayment = found.kind === 'payment' && found.reason !== 'unexpected_repeat';
    let isUnconfirmed = isPayment && ['not_confirmed', 'confirm_failed'].includes(found.reason);
    const own = order?.attempts.find(({ uuid }) => uuid === found.sale);
    const isKnown = order?.review.some(({ id }) => id === found.id) === true;
    const isBooked = order?.payments.some(({ sale }) => sale === found.sale) === true;
    if (isPayment && !isBooked && (own !== undefined || isKnown)) {
      const isPaid = this.world.sales.get(found.sale ?? '')?.situation === 'PAID';
      if (isPaid && !evenIfPaid) return 'failed';
      const closes = isPaid || isKnown || !isUnconfirmed;
      isUnconfirmed = !isPaid && !(evenIfPaid && !isUnconfirmed);
      if (closes && own !== undefined && own.state !== 'paid') {
        own.state = 'closed';
        own.isAnswered = true;
      }
    }
    this.#settled(found, order, 'dismissed', isUnconfirmed);
    return 'dismissed';
  }

  // Every hour

  #maintain(): void {
    this.#trouble = undefined;
    for (const order of this.#orders()) this.#reconcile(order);
    for (const each of Object.values(this.state.cases).sort((one, other) => (one.id < other.id ? -1 : 1)))
      this.#again(each);
    for (const order of this.#orders()) this.#tellReturns(order);
    if (this.setup.listsRecurrences || this.state.sawEvent) this.#listRecurrences();
  }

  #reconcile(order: Order): void {
    const asked = order.attempts.filter(
      ({ uuid, isAnswered }) =>
        !isAnswered && ![...order.payments, ...order.review].some(({ sale }) => sale === uuid),
    );
    const isBackwards = asked.length > 1 && this.choose('order of questions', [false, true]);
    for (const attempt of isBackwards ? asked.reverse() : asked) {
      const transaction = this.world.sales.get(attempt.uuid);
      if (transaction?.situation === 'PAID') {
        const done = this.state.done[`payment:${attempt.uuid}|PAID`];
        if (done === undefined || done.isUnconfirmed)
          this.#decidePayment(undefined, settled(attempt, transaction), 'settle');
        else attempt.isAnswered = true;
      }
      if (transaction?.situation !== 'CANCELLED') continue;
      attempt.isAnswered = true;
      if (attempt.state === 'paid' || attempt.state === 'authorized') continue;
      const mayBeApproved = !attempt.money.isImmediate && attempt.state !== 'closed';
      attempt.state = mayBeApproved && this.#takes('cancelled without payment') ? 'expired' : 'closed';
    }
  }

  #again(each: Case): void {
    if (this.state.cases[each.id] === undefined) return;
    if (each.kind === 'payment' && each.reason !== 'unexpected_repeat') {
      const retries = [
        'callback_failed',
        'not_confirmed',
        'confirm_failed',
        'other_sale',
        'authorized_twice',
        'no_order',
        'other_amount',
        'closed',
        'other_order',
      ];
      if (!retries.includes(each.reason)) return;
      const note = each.note as Note | Told;
      const told = 'kind' in note ? toldIn(note) : note;
      this.#decidePayment('kind' in note ? note : undefined, told, 'replay', each.id.split('|')[1]);
      return;
    }
    if (each.kind === 'recurrence') {
      const [subject, state] = each.id.split('|') as [string, string];
      this.#decideEvent(this.#order(each.order as string), each.note as Note, subject, state);
      return;
    }
    const isReturn = each.kind === 'refund' || each.kind === 'reversal';
    if (!isReturn || !['callback_failed', 'early_return', 'no_order'].includes(each.reason)) return;
    const note = each.note as Note;
    const { id, sale, status } = returnIn(note);
    const order = this.#orderOfReturn(note, sale);
    if (order === undefined && each.reason === 'no_order') return;
    if (order === undefined && this.#isLate(each.id)) {
      const { kind, amount } = each;
      this.#foreign(note, `${note.kind}:${id}`, status, { kind, note, sale, amount });
    } else this.#decideReturn(note, order);
  }

  /** Refunds that the confirmation told of, and no notification. */
  #tellReturns(order: Order): void {
    for (const each of order.returns.filter(({ isUntold }) => isUntold)) {
      const id = `refund:${each.id}|PAID`;
      const found = this.state.cases[id];
      const payments = order.payments.filter(({ sale }) => sale === each.sale);
      const isDue = each.at !== undefined && this.state.now - each.at > HOUR_MS;
      if (!isDue || payments.length === 0 || found?.reason === 'needs_person') continue;
      // A person has dismissed it, in either form.
      const isDismissed = this.state.done[`reversal:${each.id}|PAID`]?.how === 'dismissed';
      if (this.state.done[id] !== undefined || isDismissed) continue;
      if (found !== undefined) this.#takes('stated refund');
      delete each.isUntold;
      const paid = order.returns.filter(({ sale, status }) => sale === each.sale && status === 'PAID');
      const sum = payments.reduce((all, { amount }) => all + cents(amount), 0);
      const left = sum - paid.reduce((sum, { amount }) => sum + cents(amount ?? 0), 0);
      this.#effects.push(`returned ${order.key} ${each.sale} ${each.amount} left ${left / 100}`);
      this.#finish(NOTHING_TOLD, `refund:${each.id}`, 'PAID', 'acted');
    }
  }

  #listRecurrences(): void {
    if (!this.world.hasPublicCalls) {
      this.state.hasNoCalls = true;
      return;
    }
    this.state.listedAt = this.state.now;
    for (const { idRec, schedules } of this.world.authorizations.values()) {
      for (const { sale, status, dueDate } of schedules) {
        const transaction = this.world.sales.get(sale);
        const subject = `payment:${sale}`;
        const done = this.state.done[`${subject}|PAID`];
        const state = done?.how === 'foreign' ? STRAY : 'PAID';
        if (status !== 'PAID' || transaction === undefined || this.#bySale(sale) !== undefined) continue;
        if (done !== undefined && done.how !== 'foreign' && !done.isUnconfirmed) continue;
        const { amount, currency, referenceCode: reference } = transaction;
        const told: Told = { sale, amount, currency, reference, idRec, dueDate };
        const { order } = this.#findFor(told);
        if (order === undefined) continue;
        if (done !== undefined && this.setup.foreign === 'function') {
          this.#case(`payment:${sale}|repeat`, 'unexpected_repeat', {
            kind: 'payment',
            note: told,
            sale,
            order: order.key,
          });
          continue;
        }
        const { reason } = this.state.cases[`${subject}|${state}`] ?? {};
        if (reason === undefined || !PERSONS.includes(reason))
          this.#decidePayment(undefined, told, 'settle', state);
      }
    }
    for (const order of this.#orders()) {
      for (const { idRec, reference, end } of order.recurrences) {
        const attempt = order.attempts.find((each) => each.reference === reference);
        const status = this.world.authorizations.get(idRec)?.status ?? '';
        const ended = ENDS[`RECURRENCE_${status}`];
        if (attempt?.state === 'authorized' && end === undefined && ended !== undefined) {
          const event = { id: '', idRec, event: ended, date: undefined, charge: undefined };
          this.#tellEvent(order, attempt, event);
          this.#finish(NOTHING_TOLD, `recurrence:${idRec}`, `RECURRENCE_${status}`, 'acted');
        }
      }
    }
  }
}

/** All orders of a few things. */
function ordersOf<Each>([first, ...rest]: readonly Each[]): readonly [Each[], ...Each[][]] {
  if (first === undefined) return [[]];
  const all = ordersOf(rest).flatMap((others) =>
    Array.from({ length: others.length + 1 }, (_, at) => [
      ...others.slice(0, at),
      first,
      ...others.slice(at),
    ]),
  );
  return all as [Each[], ...Each[][]];
}

const cents = (amount: number) => Math.round(amount * 100);

function moneyOf({ currency, amount, recurrence }: JourneyRequest): Money {
  const { recurrenceAmount, valueType, debitorMinimumAmount } = recurrence.amount ?? {};
  return {
    currency,
    amount,
    recurring: recurrenceAmount,
    isImmediate: recurrence.immediatePayment,
    least: valueType === 'VARIABLE' ? debitorMinimumAmount : undefined,
  };
}

function settled(
  { uuid, reference }: Attempt,
  { amount, currency }: { amount: number; currency: string },
): Told {
  return { sale: uuid, amount, currency, reference };
}

function toldOf(note: Note | Told): Told {
  return 'kind' in note ? toldIn(note) : note;
}

function toldIn({ kind, body }: Note): Told {
  const isEvent = kind === 'charge';
  return {
    sale: lower(body['saleToken']) as string,
    amount: (isEvent ? body['chargeAmount'] : body['amount']) as number | undefined,
    currency: (isEvent ? undefined : body['currency']) as string | undefined,
    reference: (isEvent ? body['externalId'] : body['referenceCode']) as string | undefined,
    date: (isEvent ? body['eventDate'] : body['date']) as string | undefined,
    ...(isEvent && {
      idRec: body['idRec'] as string,
      dueDate: (body['chargeDueDate'] as string | undefined)?.slice(0, 10),
    }),
  };
}

function returnIn({ kind, body }: Note) {
  if (kind === 'reversal') {
    const { uuid, sale, reversedAmount, currency, status } = body as Record<string, never>;
    return {
      id: lower(uuid) as string,
      sale: lower(sale?.['uuid']) as string,
      amount: reversedAmount as number | undefined,
      currency: currency as string | undefined,
      status: String(status),
    };
  }
  const { saleToken, refund, reversedAmount, amountRefunded, currency, status } = body as Record<
    string,
    never
  >;
  const amounts = [refund?.['amount'], reversedAmount, amountRefunded].filter(
    (amount) => amount !== undefined,
  ) as number[];
  const amount = new Set(amounts).size === 1 ? amounts[0] : undefined;
  return {
    id: lower(refund?.['uuid']) as string,
    sale: lower(saleToken) as string,
    amount,
    currency: currency as string | undefined,
    status: String(status),
  };
}

function isBefore(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one < other;
}

function referenceOf({ kind, body }: Note): string | undefined {
  return (kind === 'charge' ? body['externalId'] : body['referenceCode']) as string | undefined;
}

function saleOf(note: Note): string | undefined {
  return note.kind === 'refund' || note.kind === 'reversal'
    ? returnIn(note).sale
    : lower(note.body['saleToken']);
}

const NOTHING_TOLD: Told = { sale: '', amount: undefined, currency: undefined, reference: undefined };

/** What is settled leaves what the service has said of the money. */
function contentOfTold({
  amount,
  currency,
  reference: referenceCode,
  idRec,
  dueDate: chargeDueDate,
}: Told): Fields {
  return idRec === undefined ? { amount, currency, referenceCode } : { amount, chargeDueDate };
}

/** What a repeat is compared by. */
function contentOf({ kind, body }: Note): Fields {
  const {
    amount,
    currency,
    referenceCode,
    chargeAmount,
    chargeDueDate,
    originalAmount,
    reversedAmount,
    amountRefunded,
    refund,
  } = body as Record<string, unknown>;
  if (kind === 'charge') return { amount: chargeAmount, chargeDueDate: String(chargeDueDate).slice(0, 10) };
  if (kind === 'refund')
    return {
      currency,
      referenceCode,
      originalAmount,
      reversedAmount,
      amountRefunded,
      refunded: (refund as Fields)?.['amount'],
    };
  if (kind === 'reversal') return { currency, originalAmount, reversedAmount };
  return { amount, currency, referenceCode };
}

/** What `find` and `cases` must show. */
export function viewOf(state: State) {
  const orders = Object.values(state.orders).map((order) => {
    const isAuthorized =
      order.attempts.some((each) => each.state === 'authorized') ||
      order.recurrences.some((each) => each.end === undefined);
    const isOpen = order.attempts.some((each) => each.state === 'created');
    const rest = isAuthorized ? 'authorized' : isOpen ? 'open' : 'none';
    return {
      key: order.key,
      state: order.payments.length > 0 ? 'paid' : order.review.length > 0 ? 'review' : rest,
      attempts: order.attempts.map((each) => `${each.reference} ${each.state}`),
      payments: order.payments.map(({ sale, amount, currency }) => `${sale} ${amount} ${currency}`),
      returns: order.returns
        .map(({ id, sale, amount, status }) => `${id} ${sale} ${amount} ${status}`)
        .sort(),
      review: order.review.map(({ reason, sale }) => `${reason} ${sale}`).sort(),
      recurrences: order.recurrences
        .map(({ idRec, end }) => `${idRec} ${end === undefined ? 'lives' : 'ended'}`)
        .sort(),
    };
  });
  const cases = Object.values(state.cases).map(
    ({ reason, order, sale }) => `${reason} of ${order ?? 'no order'}, sale ${sale ?? '-'}`,
  );
  return { orders, cases: cases.sort() };
}

export type View = ReturnType<typeof viewOf>;

import { randomUUID } from 'node:crypto';
import { type Action, HOUR_MS, MINUTE_MS, type Note, type Setup } from './actions';
import { MortalProcess, type Trouble } from './mortal';
import { type Anything, type Fault, Shop } from './shop';
import { drawing } from './stage';
import type { Database } from './stores';
import { type Sale, uuidOf, World } from './world';

// Two processes over one store, which die or lose their connection at any statement. The service delivers again; in the
// end, all money is booked or a case.

export class Figures {
  answered = 0;
  kills = 0;
  cuts = 0;
  /** Answered 200 or paid, and neither booked nor a case. */
  silent = 0;
  /** Ran twice: in a transaction at all; else without a trouble that explains it. */
  doubled = 0;
  /** Ran twice after a trouble, over a store without transactions. */
  repeated = 0;
  /** Booked at another sum than the service states. */
  wrong = 0;
  /** Orders in `review` without a case. */
  stuck = 0;
  readonly found: string[] = [];
}

const ORDERS = 4;

/** Some orders of one shop, from their journeys to rest. */
export async function suffer(
  seed: number,
  database: Database,
  figures: Figures,
  fault?: Fault,
): Promise<void> {
  const draw = drawing(seed);
  const keys = Array.from({ length: ORDERS }, (_, index) => `c${seed}-${index}`);
  const setup: Setup = {
    seed,
    keys,
    foreign: 'function',
    hasUnrecognized: false,
    hasRecurrence: true,
    confirms: true,
    hasPublicCalls: true,
    listsRecurrences: draw() < 0.5,
  };
  const world = new World();
  const namespace = `c-${randomUUID()}`;
  let offset = 0;
  const lines: string[] = [];
  /** The journeys whose QR code somebody has seen. */
  const shown = new Set<string>();
  const inFlight = new Map<string, number>();
  const troubled = new Set<string>();
  const processes: { process: MortalProcess; shop: Shop }[] = [];
  const start = (slot: number, trouble: Trouble | undefined) => {
    const process = new MortalProcess(trouble, (what) => {
      figures[what.startsWith('cut') ? 'cuts' : 'kills'] += 1;
      for (const id of inFlight.keys()) troubled.add(id);
    });
    const place = database.open(namespace, () => offset, process);
    const shop = new Shop(
      setup,
      world,
      place,
      (line) => process.outside(async () => void lines.push(line)),
      fault,
    );
    shop.showsIds = true;
    processes[slot] = { process, shop };
    return processes[slot] as { process: MortalProcess; shop: Shop };
  };
  const TROUBLES = ['killed before', 'killed after', 'cut before', 'cut after'] as const;
  const using = (slot: number) => {
    const known = processes[slot];
    if (known !== undefined && !known.process.isDead && !known.process.hasHit) return known;
    known?.process.end();
    const trouble =
      draw() < 0.75
        ? { at: 1 + Math.floor(draw() * 60), what: TROUBLES[Math.floor(draw() * 4)] as Trouble['what'] }
        : undefined;
    return start(slot, trouble);
  };
  const act = async (slot: number, action: Action): Promise<string | undefined> => {
    const { process, shop } = using(slot);
    return Promise.race([
      shop
        .act(action, async (id) => id)
        .then(
          ({ answer }) => answer,
          (error) => `failed ${error}`,
        ),
      process.died,
    ]);
  };

  /** As the service: six times, a minute apart; now and then two deliveries at once. */
  const send = async (notes: readonly Note[]): Promise<string[]> => {
    const answered: string[] = [];
    let left = notes.map((note, index) => ({ note, id: `${index} ${JSON.stringify(note.body)}` }));
    for (let tries = 0; tries < 6 && left.length > 0; tries += 1) {
      const results = await Promise.all(
        left.map(async ({ note }) => {
          const subject = subjectOf(note);
          inFlight.set(subject, (inFlight.get(subject) ?? 0) + 1);
          const slots = draw() < 0.3 ? [0, 1] : [draw() < 0.5 ? 0 : 1];
          const answers = await Promise.all(
            slots.map((slot) => act(slot, { do: 'deliver', note, isDown: false })),
          );
          const times = (inFlight.get(subject) as number) - 1;
          if (times === 0) inFlight.delete(subject);
          else inFlight.set(subject, times);
          return answers.includes('200');
        }),
      );
      figures.answered += results.filter((isDone) => isDone).length;
      for (const [index, isDone] of results.entries()) if (isDone) answered.push(left[index]?.id as string);
      left = left.filter((_, index) => !results[index]);
      offset += MINUTE_MS;
    }
    return answered;
  };

  const date = () => new Date(Date.now() + offset - 3 * HOUR_MS).toISOString().slice(0, 19).replace('T', ' ');
  const payment = ({ uuid, referenceCode, amount, currency }: Sale): Note => ({
    kind: 'payment',
    query: '',
    body: { saleToken: uuid, referenceCode, amount, currency, date: date(), newStatus: 'PAID' },
  });
  const refund = (sale: Sale, part: number, isReversal: boolean): Note => {
    const uuid = uuidOf(`back ${sale.uuid} ${part}`);
    const amounts = { currency: 'BRL', originalAmount: sale.amount, reversedAmount: 10 };
    return isReversal
      ? {
          kind: 'reversal',
          query: '?reversing=true&type=reversing',
          body: { uuid, ...amounts, status: 'PAID', sale: { uuid: sale.uuid } },
        }
      : {
          kind: 'refund',
          query: '?refund=true&type=refund',
          body: {
            saleToken: sale.uuid,
            referenceCode: sale.referenceCode,
            ...amounts,
            status: 'PAID',
            refund: { uuid, status: 'PAID', amount: 10 },
            date: date(),
          },
        };
  };

  // Each order gets its journey, or two; some are paid, twice at the same moment too.
  const batches: Note[][] = [[], [], []];
  for (const [index, key] of keys.entries()) {
    const isImmediate = draw() < 0.7;
    const request = {
      referenceCode: key,
      currency: 'BRL',
      ...(isImmediate && { amount: 59.7 }),
      recurrence: { immediatePayment: isImmediate, amount: { recurrenceAmount: 29.9 } },
    };
    const open = async (replace: boolean) => {
      for (let tries = 0; tries < 8; tries += 1) {
        const answer = await act(draw() < 0.5 ? 0 : 1, { do: 'open', key, request, replace, isDown: false });
        if (answer?.startsWith('open ')) return void shown.add(answer.slice(5));
        offset += 3 * MINUTE_MS;
      }
    };
    await open(false);
    if (draw() < 0.4) await open(true);
    const journeys = world.journeys.filter(
      ({ referenceCode }) => referenceCode === key || referenceCode.startsWith(`${key}-`),
    );
    const idRec = `RR${seed}${index}`;
    for (const [at, { uuid }] of journeys.entries()) {
      const sale = world.sales.get(uuid) as Sale;
      if (!isImmediate || (at > 0 && draw() < 0.4)) continue;
      sale.situation = 'PAID';
      if (draw() < 0.15) continue;
      batches[0]?.push(payment(sale));
      if (draw() < 0.5) batches[draw() < 0.3 ? 0 : 1]?.push(refund(sale, 1, draw() < 0.4));
      if (draw() < 0.3) batches[1]?.push(refund(sale, 2, draw() < 0.4));
    }
    const reference = journeys.at(-1)?.referenceCode;
    if (reference === undefined) continue;
    const authorization = { idRec, referenceCode: reference, status: 'APPROVED', schedules: [] as never[] };
    world.authorizations.set(idRec, authorization);
    const event = (eventType: string, more: object): Note => ({
      kind: eventType === 'RECURRENCE_CHARGE_PAID' ? 'charge' : 'recurrence',
      query: '',
      body: { eventType, idRec, externalId: reference, status: 'APPROVED', eventDate: date(), ...more },
    });
    if (draw() < 0.6) batches[0]?.push(event('RECURRENCE_AUTHORIZED', {}));
    for (let month = 0; month < 2; month += 1) {
      if (draw() < 0.3) continue;
      const uuid = uuidOf(`charge ${key} ${month}`);
      const sale = world.sale(uuid, {
        referenceCode: draw() < 0.5 ? reference : undefined,
        amount: 29.9,
        currency: 'BRL',
        situation: 'PAID',
      });
      authorization.schedules.push({
        sale: uuid,
        dueDate: date().slice(0, 10),
        amount: 29.9,
        status: 'PAID',
      } as never);
      const batch = batches[1 + month] as Note[];
      batch.push(
        event('RECURRENCE_CHARGE_PAID', { saleToken: uuid, chargeAmount: 29.9, chargeDueDate: date() }),
      );
      if (sale.referenceCode !== undefined && draw() < 0.3) batch.push(payment(sale));
      if (draw() < 0.25) batch.push(refund(sale, 1, false));
    }
  }
  const told: Note[] = [];
  for (const batch of batches) {
    const answered = new Set(await send(batch));
    told.push(...batch.filter((note, index) => answered.has(`${index} ${JSON.stringify(note.body)}`)));
    if (draw() < 0.5) {
      offset += 25 * HOUR_MS;
      await act(draw() < 0.5 ? 0 : 1, { do: 'maintain' });
    }
  }

  // Then without trouble, until all is at rest.
  for (const { process } of processes.filter((each) => each !== undefined)) process.end();
  const { shop, process } = start(0, undefined);
  for (let round = 0; round < 4; round += 1) {
    offset += 25 * HOUR_MS;
    const answer = await act(0, { do: 'maintain' });
    if (answer !== 'done') figures.found.push(`seed ${seed}: maintain gave ${answer}`);
  }
  await judge(seed, database, { shop, world, told, troubled, lines, keys, shown }, figures);
  process.end();
}

interface Rest {
  readonly shop: Shop;
  readonly world: World;
  readonly told: readonly Note[];
  readonly troubled: ReadonlySet<string>;
  readonly lines: readonly string[];
  readonly keys: readonly string[];
  readonly shown: ReadonlySet<string>;
}

async function judge(
  seed: number,
  database: Database,
  { shop, world, told, troubled, lines, keys, shown }: Rest,
  figures: Figures,
): Promise<void> {
  const effects = (await shop.place.written?.()) ?? lines;
  const cases: Anything[] = await shop.allCases();
  const complain = (what: 'silent' | 'doubled' | 'wrong' | 'stuck', about: string) => {
    figures[what] += 1;
    figures.found.push(`seed ${seed}, ${what}: ${about}`);
  };
  const times = new Map<string, number>();
  for (const effect of effects) {
    // What is left may have been counted anew; the rest is the identity of an effect.
    const id = effect
      .replace(/ (first|later)$/, '')
      .replace(/ left .*/, (left) => (left.includes(' by ') ? left.replace(/^.* by /, ' by ') : ''));
    times.set(id, (times.get(id) ?? 0) + 1);
  }
  for (const [id, count] of times) {
    if (count === 1) continue;
    const isExplained = !database.isTransactional && [...troubled].some((subject) => id.includes(subject));
    if (isExplained) figures.repeated += 1;
    else complain('doubled', `${id}, ${count} times`);
  }
  for (const effect of effects.filter((each) => each.startsWith('paid '))) {
    const [, , sale = '', amount] = effect.split(' ');
    if (String(world.sales.get(sale)?.amount) !== amount) complain('wrong', effect);
  }
  const isBooked = (sale: string) =>
    effects.some((effect) => effect.startsWith('paid ') && effect.includes(sale));
  const isCase = (id: string) => cases.some((each) => String(each.id).includes(id) || each.sale === id);
  for (const note of told) {
    const subject = subjectOf(note);
    if (note.kind === 'payment' || note.kind === 'charge') {
      if (
        !isBooked(subject) &&
        !isCase(subject) &&
        !effects.some((effect) => effect.startsWith('foreign') && effect.includes(subject))
      )
        complain('silent', `answered 200: ${note.kind} of ${subject}`);
    } else if (note.kind === 'refund' || note.kind === 'reversal') {
      if (!effects.some((effect) => effect.includes(subject)) && !isCase(subject))
        complain(
          'silent',
          `answered 200: ${note.kind} ${subject} of ${note.body['saleToken'] ?? (note.body['sale'] as { uuid: string }).uuid}`,
        );
    }
  }
  // Nobody pays a code that was never shown; only a notification could tell of that.
  for (const { uuid } of world.journeys.filter((each) => shown.has(each.uuid))) {
    if (world.sales.get(uuid)?.situation === 'PAID' && !isBooked(uuid) && !isCase(uuid))
      complain('silent', `paid, of a journey of ours: ${uuid}`);
  }
  for (const key of keys) {
    const { state, payments, attempts } = await shop.find(key);
    if (state === 'review' && !cases.some(({ order }) => order === key))
      complain('stuck', `${key} ${attempts.map((each: Anything) => each.state)}`);
    for (const { sale } of payments)
      if (!isBooked(sale)) complain('silent', `recorded as paid, and never written: ${sale}`);
    const recorded = payments.map(({ sale }: Anything) => sale);
    for (const effect of effects.filter((each) => each.startsWith(`paid ${key} `))) {
      if (!recorded.includes(effect.split(' ')[2]))
        complain('silent', `written, and not recorded: ${effect}`);
    }
    const firsts = new Set(
      effects
        .filter((each) => each.startsWith(`paid ${key} `) && each.endsWith('first'))
        .map((each) => each.split(' ')[2]),
    );
    if (firsts.size > 1) complain('doubled', `${key} had ${firsts.size} first payments`);
  }
}

function subjectOf({ kind, body }: Note): string {
  if (kind === 'refund') return (body['refund'] as { uuid: string }).uuid;
  if (kind === 'reversal') return String(body['uuid']);
  if (kind === 'recurrence') return String(body['idRec']);
  return String(body['saleToken']).toLowerCase();
}

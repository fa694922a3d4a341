import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Action, Setup } from './actions';
import { Oracle, type Outcome, type View, viewOf } from './oracle';
import type { Reading } from './readings';
import { type Fault, Shop } from './shop';
import { generate, Stage, type Step } from './stage';
import { newState, type State } from './state';
import type { Database } from './stores';
import { World } from './world';

// Random sequences over one store: after each step, what happened is compared with what the design says.

export interface Difference {
  readonly seed: number;
  readonly store: string;
  /** Which step of the sequence, and what it did. */
  readonly step: number;
  readonly action: Action;
  readonly lines: readonly string[];
  /** The lines without identities: two differences with equal ones have the same cause. */
  readonly signature: string;
  /** Every action of the sequence, the last one being that of the difference. */
  readonly history: readonly string[];
  readonly reports: readonly string[];
}

export interface Played {
  readonly notifications: number;
  readonly difference: Difference | undefined;
  /** Readings of the design that were not the likely one, and how often each was taken. */
  readonly readings: ReadonlyMap<Reading, number>;
}

export async function play(
  setup: Setup,
  steps: readonly Step[],
  database: Database,
  fault?: Fault,
): Promise<Played> {
  const world = new World();
  world.hasPublicCalls = setup.hasPublicCalls;
  const begun = Date.now();
  let state = newState(setup.keys, begun);
  const shop = new Shop(
    setup,
    world,
    database.open(`s-${randomUUID()}`, () => state.now - begun),
    undefined,
    fault,
  );
  const stage = new Stage(setup, world, () => state);
  const history: string[] = [];
  const realIds = new Map<string, string>();
  const readings = new Map<Reading, number>();
  const money = new Money(world, setup);
  let notifications = 0;
  for (const step of steps) {
    for (const action of stage.actions(step)) {
      if (action.do === 'deliver') notifications += 1;
      history.push(describeAction(action, state));
      const before = state;
      const given = await shop.act(action, (id) => realCase(shop, before, id, realIds));
      // The clock of the shop's store is the oracle's.
      const seen: Seen = { ...given, view: await viewed(shop, before, action, (moved) => (state = moved)) };
      const wrong = money.wrong(action, given);
      const explained = wrong.length > 0 ? { lines: wrong } : explain(before, action, setup, world, seen);
      if ('lines' in explained) {
        const { lines } = explained;
        const signature = masked(
          [action.do === 'deliver' ? `deliver ${action.note.kind}` : action.do, ...lines].join('; '),
          setup,
        );
        const difference = {
          seed: setup.seed,
          store: database.name,
          step: step.id,
          action,
          lines,
          signature,
          history,
          reports: shop.reports.slice(-5),
        };
        return { notifications, difference, readings };
      }
      state = explained.state;
      for (const reading of explained.taken) readings.set(reading, (readings.get(reading) ?? 0) + 1);
    }
  }
  return { notifications, difference: undefined, readings };
}

/** What no reading of the design may explain: money that is booked twice, or at another sum than the service states. */
class Money {
  readonly #booked = new Set<string>();

  constructor(
    readonly world: World,
    readonly setup: Setup,
  ) {}

  wrong(action: Action, { effects }: Outcome): string[] {
    return effects.flatMap((effect) => {
      const [what, , sale = '', amount] = effect.split(' ');
      if (what !== 'paid') return [];
      const stated = this.world.sales.get(sale);
      const isAgain = this.#booked.has(sale);
      this.#booked.add(sale);
      // A person may book a repeat, and says how much it is. Without confirmation, what is delivered counts.
      if (action.do === 'decide') return [];
      if (isAgain) return [`booked twice: ${effect}`];
      if (!this.setup.confirms) return [];
      const isRight = stated?.situation === 'PAID' && String(stated.amount) === amount;
      return isRight
        ? []
        : [`booked, and the service states ${stated?.situation} ${stated?.amount}: ${effect}`];
    });
  }
}

interface Seen extends Outcome {
  readonly view: View;
}

async function viewed(
  shop: Shop,
  before: State,
  action: Action,
  move: (state: State) => void,
): Promise<View> {
  if (action.do === 'advance') move({ ...before, now: before.now + action.ms });
  const view = await shop.view();
  move(before);
  return view;
}

/** The library's id of a case of the oracle's. */
async function realCase(shop: Shop, state: State, id: string, realIds: Map<string, string>): Promise<string> {
  const [subject, part] = id.split('|');
  const found = state.cases[id];
  const all = await shop.cases();
  if (found !== undefined) {
    const text = `${found.reason} of ${found.order ?? 'no order'}, sale ${found.sale ?? '-'}`;
    const alike = all.filter((each) => each.text === text);
    const exact = alike.find(
      (each) =>
        each.id.startsWith(`${subject}`) &&
        (part === undefined || each.id.includes(part.split(' ')[0] as string)),
    );
    const real = (exact ?? alike[0])?.id;
    if (real !== undefined) {
      realIds.set(id, real);
      return real;
    }
  }
  // One that is decided, and listed no more.
  return realIds.get(id) ?? `${subject}:${part}`;
}

/** Tries each reading of the design, and takes the first that explains what was seen. */
function explain(
  before: State,
  action: Action,
  setup: Setup,
  world: World,
  seen: Seen,
): { state: State; taken: Reading[] } | { lines: string[] } {
  let vector: number[] = [];
  let first: string[] | undefined;
  for (let tries = 0; tries < 500; tries += 1) {
    const state = structuredClone(before);
    const choices: { about: Reading; index: number; count: number }[] = [];
    const choose = <Taken>(about: Reading, options: readonly [Taken, ...Taken[]]): Taken => {
      const index = Math.min(vector[choices.length] ?? 0, options.length - 1);
      choices.push({ about, index, count: options.length });
      return options[index] as Taken;
    };
    const lines = compare(new Oracle(state, setup, world, choose).step(action), viewOf(state), seen);
    if (lines.length === 0)
      return {
        state,
        taken: choices.filter(({ index, count }) => index > 0 || count === 1).map(({ about }) => about),
      };
    first ??= lines;
    vector = choices.map(({ index }) => index);
    for (;;) {
      const last = vector.length - 1;
      if (last < 0) return { lines: first };
      if ((vector[last] as number) + 1 < (choices[last]?.count as number)) {
        (vector[last] as number) += 1;
        break;
      }
      vector.pop();
    }
  }
  return { lines: first ?? [] };
}

function compare(expected: Outcome, view: View, seen: Seen): string[] {
  const lines: string[] = [];
  const check = (what: string, want: string | readonly string[], got: string | readonly string[]) => {
    if (isDeepStrictEqual(want, got)) return;
    if (typeof want === 'string' || typeof got === 'string')
      lines.push(`${what}: expected ${want}, got ${got}`);
    else {
      const [missing, more] = [without(want, got), without(got, want)];
      const order =
        missing.length + more.length === 0 ? [`in the order ${want.join(', ')}, got ${got.join(', ')}`] : [];
      lines.push(
        `${what}: ${[...missing.map((each) => `missing ${each}`), ...more.map((each) => `not expected ${each}`), ...order].join(', ')}`,
      );
    }
  };
  check(
    'answer',
    expected.answer,
    expected.answer === 'failed' && seen.answer.startsWith('failed') ? 'failed' : seen.answer,
  );
  check('callbacks', [...expected.effects].sort(), [...seen.effects].sort());
  for (const [index, want] of view.orders.entries()) {
    const got = seen.view.orders[index] as View['orders'][number];
    for (const name of Object.keys(want) as (keyof typeof want)[]) {
      const [wanted, gotten] = [want[name], got[name]];
      if (typeof wanted === 'string' || typeof gotten === 'string') {
        if (!String(wanted).split(' or ').includes(String(gotten))) check(name, wanted, gotten);
        continue;
      }
      const known =
        name === 'recurrences'
          ? gotten.filter((each) => wanted.some((other) => other.split(' ')[0] === each.split(' ')[0]))
          : gotten;
      const loose = known.map((each, at) => {
        const [likely, other] = wanted[at]?.split(' or ') ?? [];
        return other !== undefined && each === likely?.replace(/\S+$/, other)
          ? (wanted[at] as string)
          : each === likely
            ? (wanted[at] as string)
            : each;
      });
      check(`find ${name}`, wanted, loose);
    }
  }
  check('cases', view.cases, seen.view.cases);
  return lines;
}

/** What is left of a list without what is in another one. */
function without(all: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return all.filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function masked(text: string, { keys }: Setup): string {
  let plain = text;
  for (const [index, key] of keys.entries()) plain = plain.replaceAll(key, `order ${index + 1}`);
  const names = new Map<string, string>();
  const name = (kind: string) => (found: string) => {
    if (!names.has(found)) names.set(found, `${kind}${names.size + 1}`);
    return names.get(found) as string;
  };
  return plain
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, name('u'))
    .replace(/RR\d+/g, name('r'))
    .replace(/\d+\.\d\d?|\b\d\d?\b/g, 'n');
}

function describeAction(action: Action, state: State): string {
  switch (action.do) {
    case 'open':
      return `open ${action.key} ${JSON.stringify({ ...action.request, referenceCode: undefined })}${action.replace ? ' replace' : ''}${action.isDown ? ' (service down)' : ''}`;
    case 'deliver':
      return `deliver ${action.note.kind}${action.note.isForeignPair ? ' (wrong pair)' : ''}${action.isDown ? ' (service down)' : ''}${action.trouble ? ` (callback ${action.trouble})` : ''} ${JSON.stringify(action.note.body)}`;
    case 'decide':
      return `decide ${action.decision} ${state.cases[action.id]?.reason ?? 'decided before'} ${action.id}${action.order ? ` order ${action.order}` : ''}${action.evenIfPaid ? ' evenIfPaid' : ''}`;
    default:
      return JSON.stringify(action);
  }
}

/** The shortest sequence found that ends in the same difference. */
export async function shrink(difference: Difference, database: Database): Promise<Difference> {
  const { setup, steps } = generate(difference.seed);
  let best = difference;
  let left: readonly Step[] = steps.filter(({ id }) => id <= difference.step);
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length; ) {
      const fewer = [...left.slice(0, from), ...left.slice(from + size)];
      const played = await play(setup, fewer, database);
      if (played.difference?.signature === difference.signature) {
        left = fewer;
        best = played.difference;
      } else from += size;
    }
  }
  return best;
}

import { accidents } from './accidents';
import { STARTED } from './seat';
import type { Choice, Delivery, Process, Request, Run, Timer } from './types';
import type { World } from './world';

/** What may go wrong in a scenario, and how often in one path. */
export interface Hazards {
  readonly faults: number;
  readonly crash?: boolean;
  readonly stop?: boolean;
  /** A connection is lost during a step, which may or may not be carried out. */
  readonly lose?: boolean;
  /** The store takes longer than the handler waits. */
  readonly slow?: boolean;
  readonly throw?: boolean;
  readonly hang?: boolean;
  /** A process is cut off from the store until it gives up. */
  readonly cut?: boolean;
  /** The process's wall clock is set forward or back by an hour. */
  readonly clock?: boolean;
}

/**
 * All choices of what can happen next, always in the same order.
 *
 * Once nothing more may go wrong, a waiting answer is delivered first. That loses no interleaving: other processes
 * cannot tell when it was delivered, time cannot pass before it, and a callback that starts earlier overlaps with
 * more.
 */
export function choicesOf(world: World, hazards: Hazards): Choice[] {
  const maySuffer = world.faults < hazards.faults;
  const steps = world.requests.flatMap((request) =>
    fates(world, request, maySuffer && hazards.lose === true),
  );
  const answered = steps.find(({ isAnswer }) => isAnswer);
  if (answered !== undefined && !maySuffer) return [answered];
  return [
    ...deliveries(world),
    ...steps,
    ...world.ledger.runs.flatMap((run) => ends(world, run, maySuffer && hazards.throw === true)),
    ...passing(world, maySuffer, hazards),
    ...world.processes.flatMap((process) => accidents(world, process, maySuffer, hazards)),
  ];
}

/** Takes the choice with this text. */
export async function take(world: World, hazards: Hazards, text: string): Promise<void> {
  const choice = choicesOf(world, hazards).find((other) => other.text === text);
  if (choice === undefined)
    throw new Error(`Not the same world twice: nothing is called "${text}" this time.`);
  await takeChoice(world, choice);
}

export async function takeChoice(world: World, choice: Choice): Promise<void> {
  world.faults += choice.faults;
  await world.step(choice.text, choice.take);
}

function deliveries(world: World): Choice[] {
  const waiting = world.deliveries.filter(({ arrivedAt }) => arrivedAt === undefined);
  return (
    waiting
      .filter((delivery) => runs(delivery.process))
      // Of two deliveries that are alike, only the first may come first: the other order would be the same under
      // other names.
      .filter((delivery) => delivery === waiting.find((other) => alike(world, other, delivery)))
      .map((delivery) =>
        choice(`${delivery.name} arrives at ${delivery.process.name}: ${delivery.state}`, 0, () =>
          world.deliver(delivery),
        ),
      )
  );
}

function alike(world: World, a: Delivery, b: Delivery): boolean {
  const untouched = ({ process }: Delivery) =>
    world.deliveries.filter((other) => other.process === process).length === 1;
  if (a === b) return true;
  return a.state === b.state && (a.process === b.process || (untouched(a) && untouched(b)));
}

function fates(world: World, request: Request, mayLose: boolean): Choice[] {
  const { delivery, name } = request;
  const waits = isAwaited(request) && runs(delivery.process);
  const choices: Choice[] = [];
  if (request.state === 'sent') {
    choices.push(choice(`the store carries out ${name}`, 0, () => carryOut(world, request)));
  }
  if (waits && request.state === 'carried out') {
    choices.push({ ...choice(`${name} is answered`, 0, () => answer(world, request)), isAnswer: true });
  }
  if (waits && mayLose) choices.push(choice(`the answer to ${name} is lost`, 1, () => lose(world, request)));
  return choices;
}

export async function carryOut(world: World, request: Request): Promise<void> {
  request.state = 'running';
  const sentAt = world.storeNow;
  const run = () =>
    request.run().then(
      (value) => {
        request.state = 'carried out';
        request.outcome = { value };
        request.carriedOut(value, sentAt);
      },
      (error: unknown) => {
        request.state = 'carried out';
        request.outcome = { error };
        world.note(`the store fails: ${error}`);
      },
    );
  await world.turn(request.delivery, run, world.exact ? 0 : SERVER_PATIENCE_MS);
}

export async function answer(world: World, request: Request): Promise<void> {
  const { outcome, delivery } = request;
  if (outcome === undefined) throw new Error(`${request.name} has no answer yet.`);
  request.state = 'answered';
  delivery.seen.push(`${request.step}: ${summary(outcome)}`);
  await world.turn(delivery, () => {
    if ('value' in outcome) request.resolve(outcome.value);
    else request.reject(outcome.error);
  });
}

export async function lose(world: World, request: Request): Promise<void> {
  request.late = true;
  request.delivery.seen.push(`${request.step}: lost`);
  world.shared.connectionLost?.(request.delivery);
  await world.turn(request.delivery, () => request.reject(new Error('the connection was lost')));
}

/** The parts of an answer that the code can tell apart. */
function summary(outcome: { readonly value: unknown } | { readonly error: unknown }): string {
  if ('error' in outcome) return 'failed';
  const { value } = outcome;
  if (typeof value !== 'object' || value === null) return String(value);
  const { status, handledStates } = value as { status?: string; handledStates?: readonly string[] };
  return handledStates === undefined ? String(status) : `${status} [${handledStates}]`;
}

function ends(world: World, run: Run, mayThrow: boolean): Choice[] {
  const { delivery } = run;
  if (run.ended || run.finishing || !runs(delivery.process)) return [];
  const returns = choice(`${delivery.name}'s callback returns, its effect is there`, 0, async () => {
    run.finishing = true;
    delivery.seen.push('callback returned');
    await world.turn(delivery, run.finish);
  });
  if (!mayThrow) return [returns];
  const throws = choice(`${delivery.name}'s callback throws`, 1, async () => {
    delivery.seen.push('callback threw');
    await world.turn(delivery, () => run.fail(new Error('callback')));
  });
  return [returns, throws];
}

function passing(world: World, maySuffer: boolean, hazards: Hazards): Choice[] {
  const next = nextTimer(world);
  const choices = [...world.timers]
    .filter(({ due, delivery }) => due === next && runs(delivery.process))
    .flatMap((timer) => {
      const reason = next < world.now ? 'overdue' : reasonOf(world, timer);
      const isFault = reason === 'slow' || reason === 'hang';
      if (isFault && !(maySuffer && hazards[reason])) return [];
      return [choice(fired(world, timer), isFault ? 1 : 0, () => fire(world, timer))];
    });
  const { lease } = world.ledger;
  if (
    lease !== undefined &&
    world.ledger.leaseLives(world.storeNow) &&
    (lease.until <= next || !world.exact)
  ) {
    choices.push(
      choice(`time passes until ${lease.delivery.name}'s lease is over`, 0, async () => {
        await world.shared.outlast?.(lease.until);
        if (world.exact) world.now = lease.until;
      }),
    );
  }
  return choices;
}

/** The time of the next timer of a running process. */
export function nextTimer(world: World): number {
  const timers = [...world.timers].filter(({ delivery }) => runs(delivery.process));
  return Math.min(...timers.map(({ due }) => due));
}

/** Whether time runs out for a store step or a callback, or the handler only waits before its next try. */
function reasonOf(world: World, { delivery }: Timer): 'slow' | 'hang' | 'wait' {
  if (delivery.status !== undefined) return 'wait';
  if (world.requests.some((request) => request.delivery === delivery && isAwaited(request))) return 'slow';
  return world.ledger.runs.some((run) => run.delivery === delivery && !run.ended) ? 'hang' : 'wait';
}

function fired(world: World, timer: Timer): string {
  const { name } = timer.delivery;
  const reason = reasonOf(world, timer);
  const at = ((timer.due - STARTED) / 1000).toFixed(1);
  if (reason === 'slow') return `the store takes longer than ${name} waits (${at} s)`;
  return reason === 'hang' ? `${name}'s callback takes too long (${at} s)` : `${name} has waited (${at} s)`;
}

export async function fire(world: World, timer: Timer): Promise<void> {
  const { delivery } = timer;
  const reason = reasonOf(world, timer);
  world.now = Math.max(world.now, timer.due);
  world.timers.delete(timer);
  delivery.seen.push(reason);
  if (reason === 'hang') {
    for (const run of world.ledger.runs) if (run.delivery === delivery && !run.ended) run.overdue = true;
    trouble(world, (other) => other === delivery, 'hung');
  }
  await world.turn(delivery, timer.action);
}

/** Notes, for the deliveries and their claims, a trouble that may make an effect happen twice. */
export function trouble(world: World, isMeant: (delivery: Delivery) => boolean, what: string): void {
  for (const delivery of world.deliveries) {
    if (delivery.arrivedAt !== undefined && isMeant(delivery)) delivery.trouble ??= what;
  }
  for (const grant of world.ledger.grants) {
    if (!grant.completed && isMeant(grant.delivery)) grant.excuse ??= what;
  }
}

/** Whether a delivery does nothing more unless the world makes it. */
export function isSettled(world: World, delivery: Delivery): boolean {
  if (!delivery.process.alive) return true;
  if (delivery.status === undefined) return false;
  return !world.requests.some((request) => request.delivery === delivery && isAwaited(request));
}

export function isAwaited({ state, late }: Request): boolean {
  return state !== 'answered' && !late;
}

function runs({ alive, stoppedAt }: Process): boolean {
  return alive && stoppedAt === undefined;
}

export function choice(text: string, faults: 0 | 1, act: () => Promise<void>): Choice {
  return { text, faults, take: act };
}

const SERVER_PATIENCE_MS = 3_000;

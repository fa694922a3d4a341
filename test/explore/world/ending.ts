import { answer, carryOut, isSettled } from './choices';
import { STARTED } from './seat';
import type { Grant } from './types';
import type { World } from './world';

/**
 * Describes a world as text, so that worlds with the same text continue in the same way. The code of a delivery
 * depends only on what it has seen and on its timers; the store’s answers depend on its record; the remaining checks
 * depend on the grants that can still be acted on or doubled. Everything that is over is left out.
 */
export function fingerprint(world: World): string {
  const { ledger, now, deliveries } = world;
  const { lease } = ledger;
  const open = new Set(deliveries.filter((delivery) => !isSettled(world, delivery)));
  const runs = ledger.runs.filter(({ ended, delivery }) => !ended || open.has(delivery));
  const requests = world.requests.filter(
    ({ state, late }) => state === 'sent' || (state === 'carried out' && !late),
  );
  const matters = (grant: Grant) =>
    grant === lease ||
    open.has(grant.delivery) ||
    ledger.effects.includes(grant) ||
    runs.some((run) => run.grant === grant);
  return JSON.stringify([
    world.faults,
    deliveries.map((delivery) => {
      const { process, arrivedAt, seen, trouble } = delivery;
      const isAtWork = open.has(delivery) || runs.some((run) => run.delivery === delivery);
      return [
        isAtWork && process.stoppedAt !== undefined && now - process.stoppedAt,
        isAtWork && process.wallClockOffset,
        open.has(delivery) ? [arrivedAt === undefined ? undefined : now - arrivedAt, seen, trouble] : 'over',
        lease?.delivery === delivery && ledger.leaseLives(now) ? seen : undefined,
      ];
    }),
    [...world.timers].map(({ delivery, due }) => [delivery.name, due - now]),
    requests.map(({ name, state, late, outcome }) => [name, state, late, state === 'sent' || plain(outcome)]),
    ledger.leaseLives(now) ? lease?.delivery.name : undefined,
    ledger.done,
    runs.map(({ delivery, ended, overdue, finishing }) => [delivery.name, ended, overdue, finishing]),
    ledger.grants
      .filter(matters)
      .map((grant) => [
        grant.delivery.name,
        grant.state,
        Math.max(0, grant.until - now),
        grant.completed,
        grant.excuse,
        ledger.effects.filter((effect) => effect === grant).length,
      ]),
    world.shared.fingerprint?.(),
  ]);
}

/** An answer without the parts that differ in each world. */
function plain(outcome: unknown): string {
  return JSON.stringify(outcome, (key, value) => (key === 'fence' || key === 'token' ? undefined : value));
}

/** Whether all deliveries have arrived, and do nothing more unless the world makes them. */
export function isOver(world: World): boolean {
  return world.deliveries.every(
    (delivery) => (delivery.arrivedAt !== undefined || !delivery.process.alive) && isSettled(world, delivery),
  );
}

/** Asks the store itself whether its record agrees with the ledger. The world cannot be used afterwards. */
export async function checkRecord(world: World): Promise<void> {
  const { ledger, shared } = world;
  if (shared.look === undefined) return;
  const { lease } = ledger;
  const lives = ledger.leaseLives(world.now);
  const { held, done } = await shared.look();
  if (held !== lives) {
    world.violated(
      'store contract',
      held ? 'the subject is held, and nobody has it' : 'a lease that lives is gone',
    );
  }
  if (done.join() !== ledger.done.join()) {
    world.violated('store contract', `the record has [${done}] as done where [${ledger.done}] is`);
  }
  if (!lives || lease === undefined) return;
  world.now = lease.until;
  if ((await shared.look()).held) world.violated('store contract', 'the subject is held beyond its lease');
}

/** Checks that a claim whose answer came too late was released, unless a fault prevented that. */
export function checkLateClaims(world: World): void {
  const { lease } = world.ledger;
  if (lease === undefined || !world.ledger.leaseLives(world.storeNow) || lease.excuse !== undefined) return;
  const { delivery } = lease;
  const { seen } = delivery;
  const claimed = seen.findIndex((event) => event.startsWith('claim: claimed'));
  const answered = seen.findIndex((event) => event.startsWith('answered'));
  const hindered = seen.slice(claimed).some((event) => event === 'slow' || event === 'release: lost');
  if (!delivery.process.alive || answered === -1 || claimed < answered || hindered) return;
  const left = (lease.until - world.storeNow) / 1000;
  world.violated(
    'late claim',
    `${delivery.name}'s claim came after its answer, and holds the subject for ${left} s more`,
  );
}

/**
 * Delivers each notification once more, after the end of all leases and without faults, and checks that it succeeds.
 */
export async function checkNothingLost(world: World): Promise<void> {
  const leaseEnds = world.ledger.grants.map((grant) => grant.until).filter(Number.isFinite);
  const until = Math.max(0, ...leaseEnds);
  for (const request of world.requests) {
    if (request.unattended && request.state === 'sent') await carryOut(world, request);
  }
  await world.shared.outlast?.(until);
  world.now = Math.max(world.now, until, STARTED) + 60_000;
  for (const run of world.ledger.runs) run.ended = true;
  world.isEnding = true;
  const states = [...new Set(world.deliveries.map(({ state }) => state))];
  for (const { name, state, status } of world.deliveries) {
    const effects = (await world.shared.effectsOf?.(state)) ?? world.ledger.effectsOf(state);
    if (status === 200 && effects === 0)
      world.violated('recorded before 200', `${name}: ${state} has no effect`);
  }
  for (const state of states) {
    const delivery = world.addDelivery(state, FINAL_PROCESS);
    await world.step(`at last, ${delivery.name} arrives at ${delivery.process.name}: ${state}`, () =>
      undisturbed(world, delivery),
    );
    if (delivery.status !== 200) {
      const what = delivery.status === undefined ? 'was not answered' : `was answered ${delivery.status}`;
      world.violated('nothing lost', `the last delivery of ${state} ${what}`);
    }
    const effects = (await world.shared.effectsOf?.(state)) ?? world.ledger.effectsOf(state);
    if (effects === 0) world.violated('nothing lost', `the effect of ${state} never happened`);
    if (effects > 1 && world.shared.write !== undefined) {
      world.violated('exactly once', `the effect of ${state} is there ${effects} times`);
    }
  }
}

async function undisturbed(world: World, delivery: (typeof world.deliveries)[number]): Promise<void> {
  await world.deliver(delivery);
  for (let steps = 0; steps < MOST_STEPS && delivery.status === undefined; steps += 1) {
    const request = world.requests.find((other) => other.delivery === delivery && other.state !== 'answered');
    const run = world.ledger.runs.find((other) => other.delivery === delivery && !other.finishing);
    if (request !== undefined) {
      if (request.state === 'sent') await carryOut(world, request);
      if (request.state === 'carried out') await answer(world, request);
    } else if (run !== undefined) {
      run.finishing = true;
      await world.turn(delivery, run.finish);
    } else {
      return;
    }
  }
}

const FINAL_PROCESS = 9;
const MOST_STEPS = 50;

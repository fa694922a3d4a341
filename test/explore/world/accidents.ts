import { choice, fire, type Hazards, isAwaited, isSettled, lose, nextTimer, trouble } from './choices';
import type { Choice, Delivery, Process, Request } from './types';
import type { World } from './world';

/** The accidents that may happen to a process. */
export function accidents(world: World, process: Process, maySuffer: boolean, hazards: Hazards): Choice[] {
  const { name } = process;
  const isAtWork = world.deliveries.some(
    (delivery) =>
      delivery.process === process && delivery.arrivedAt !== undefined && !isSettled(world, delivery),
  );
  if (process.stoppedAt !== undefined) {
    if (process.stoppedAt < world.now) {
      return [choice(`${name} goes on`, 0, async () => goOn(process))];
    }
    // Time does not pass beyond the next timer of a running process.
    if (nextTimer(world) < world.now + A_MINUTE_MS) return [];
    return [choice(`a minute passes for ${name}`, 0, async () => passMinute(world))];
  }
  if (!maySuffer || !process.alive || !isAtWork) return [];
  const choices: Choice[] = [];
  if (hazards.crash) choices.push(choice(`${name} crashes`, 1, () => crash(world, process)));
  if (hazards.stop) choices.push(choice(`${name} stops`, 1, () => stop(world, process)));
  const completes = ({ step, delivery }: Request) => step === 'completion' && delivery.process === process;
  // The cut lasts for a lease, so no other process may have a timer in that time.
  const othersWait = [...world.timers].every(({ delivery }) => delivery.process === process);
  if (
    hazards.cut &&
    othersWait &&
    world.requests.some((request) => completes(request) && isAwaited(request))
  ) {
    choices.push(choice(`${name} is cut off from the store until it gives up`, 1, () => cut(world, process)));
  }
  for (const hours of hazards.clock ? [1, -1] : []) {
    const set = () => setWallClock(process, hours);
    choices.push(choice(`${name}'s wall clock is set by ${hours} h`, 1, async () => set()));
  }
  return choices;
}

async function crash(world: World, process: Process): Promise<void> {
  process.alive = false;
  for (const request of world.requests) if (request.delivery.process === process) request.late = true;
  for (const timer of world.timers) if (timer.delivery.process === process) world.timers.delete(timer);
  for (const run of world.ledger.runs) if (run.delivery.process === process) run.ended = true;
  for (const delivery of world.deliveries)
    if (delivery.process === process) world.shared.connectionLost?.(delivery);
  trouble(world, (delivery) => delivery.process === process, 'crashed');
}

function goOn(process: Process): void {
  process.stoppedAt = undefined;
}

function passMinute(world: World): void {
  world.now += A_MINUTE_MS;
}

function setWallClock(process: Process, hours: number): void {
  process.wallClockOffset += hours * 3_600_000;
}

async function stop(world: World, process: Process): Promise<void> {
  process.stoppedAt = world.now;
  trouble(world, (delivery) => delivery.process === process, 'stopped');
}

/** Fails every store step of the process until each of its deliveries has been answered. */
async function cut(world: World, process: Process): Promise<void> {
  trouble(world, (delivery) => delivery.process === process, 'cut off');
  const isIts = ({ delivery }: { readonly delivery: Delivery }) => delivery.process === process;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const asked = world.requests.filter((request) => isIts(request) && isAwaited(request));
    for (const request of asked) {
      await lose(world, request);
      // Steps sent before the cut may still arrive; later ones do not.
      if (tries > 0) request.state = 'answered';
    }
    if (asked.length > 0) continue;
    const [timer] = [...world.timers].filter(isIts).sort((a, b) => a.due - b.due);
    const isDone = world.deliveries.every(
      (delivery) => delivery.process !== process || isSettled(world, delivery),
    );
    if (isDone || timer === undefined) return;
    await fire(world, timer);
  }
  throw new Error(`${process.name} never gives up.`);
}

const MOST_TRIES = 200;
const A_MINUTE_MS = 60_000;

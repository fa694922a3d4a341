import { choicesOf, type Hazards, take } from './world/choices';
import { checkLateClaims, checkNothingLost, checkRecord, fingerprint, isOver } from './world/ending';
import type { Violation } from './world/ledger';
import type { Seat } from './world/seat';
import { type Plan, World } from './world/world';

export interface Scenario extends Plan {
  readonly name: string;
  readonly hazards: Hazards;
}

export interface Finding {
  readonly scenario: string;
  readonly violation: Violation;
  readonly trace: readonly string[];
}

export interface Explored {
  readonly states: number;
  readonly steps: number;
  /** The number of complete interleavings that the states represent. */
  readonly paths: number;
  /** The number of worlds that were followed to their end. */
  readonly ends: number;
  readonly longest: number;
  readonly ms: number;
  /** Whether everything was explored before the time was over. */
  readonly isComplete: boolean;
  readonly finding: Finding | undefined;
}

interface State {
  readonly parent: State | undefined;
  readonly text: string;
  readonly depth: number;
  readonly choices: readonly string[];
  readonly next: State[];
  paths: number | undefined;
}

/**
 * Explores a scenario breadth first, so that a violation is found on a shortest path. Running code cannot be put back
 * into an earlier state, so each step starts a new world and repeats all choices. Of worlds that are alike, only one
 * is continued.
 */
export async function explore(
  scenario: Scenario,
  seat: Seat,
  { budgetMs }: { readonly budgetMs: number },
): Promise<Explored> {
  const started = processorMs();
  const known = new Map<string, State>();
  let steps = 0;
  let ends = 0;
  let longest = 0;
  let finding: Finding | undefined;

  const visit = async (parent: State | undefined, text: string): Promise<State> => {
    // Lets the event loop deliver signals and unhandled rejections.
    await new Promise((resolve) => setImmediate(resolve));
    const world = new World(scenario, seat);
    const path = parent === undefined ? [] : [...pathTo(parent), text];
    for (const choice of path) await take(world, scenario.hazards, choice);
    steps += 1;
    const print = fingerprint(world);
    const same = known.get(print);
    const state: State = same ?? {
      parent,
      text,
      depth: path.length,
      choices: choicesOf(world, scenario.hazards).map((choice) => choice.text),
      next: [],
      paths: undefined,
    };
    if (same === undefined || world.violations.length > 0) {
      known.set(print, state);
      longest = Math.max(longest, path.length);
      const over = isOver(world);
      if (over) checkLateClaims(world);
      await checkRecord(world);
      if (over) {
        ends += 1;
        await checkNothingLost(world);
      }
    }
    const [violation] = world.violations;
    if (violation !== undefined) finding = { scenario: scenario.name, violation, trace: world.trace };
    return state;
  };

  const root = await visit(undefined, '');
  const queue = [root];
  let head = 0;
  while (head < queue.length && finding === undefined && processorMs() < started + budgetMs) {
    const state = queue[head] as State;
    head += 1;
    for (const text of state.choices) {
      const before = known.size;
      const next = await visit(state, text);
      state.next.push(next);
      if (known.size > before) queue.push(next);
      if (finding !== undefined) break;
    }
  }
  return {
    states: known.size,
    steps,
    paths: countPaths(root),
    ends,
    longest,
    ms: processorMs() - started,
    isComplete: head === queue.length && finding === undefined,
    finding,
  };
}

/** The processor time of this search, however busy the machine is. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function pathTo(state: State): string[] {
  const path: string[] = [];
  for (let at: State | undefined = state; at?.parent !== undefined; at = at.parent) path.unshift(at.text);
  return path;
}

/** No step leads back to an earlier state, so this ends. */
function countPaths(state: State): number {
  if (state.paths !== undefined) return state.paths;
  state.paths = 0;
  const paths = state.next.reduce((sum, next) => sum + countPaths(next), 0);
  state.paths = state.next.length === 0 ? 1 : paths;
  return state.paths;
}

import type { Incarnation } from './fleet';
import { isOvertaken, rankOf } from './notifications';
import type { Delivered, Outcome } from './sender';

/** What is left of a run. */
export interface Evidence {
  readonly delivered: readonly Delivered[];
  readonly incarnations: readonly Incarnation[];
  /**
   * How long a claim holds its subject at least, while its owner lives. In one transaction that is as long as callbacks
   * may take: one that takes longer is rolled back, and can write nothing more.
   */
  readonly leaseMs: number;
  /** The merchant's tables, where effects are written in the store's transaction: each effect once or not at all. */
  readonly written?: {
    /** How often each effect is there, by key. */
    readonly effects: ReadonlyMap<string, number>;
    /** By subject. */
    readonly states: ReadonlyMap<string, string>;
  };
}

export interface Verdict {
  readonly figures: Readonly<Record<string, number>>;
  /** What must not have happened. */
  readonly violations: readonly string[];
}

/** A callback that ran. */
interface Run {
  readonly subject: string;
  readonly state: string;
  readonly key: string;
  readonly fence: number;
  readonly handledStates: readonly string[];
  readonly begin: number;
  /** When its own end or its process' kill ended it. */
  readonly end: number;
  readonly finished: boolean;
  /** Until then nobody else may have the subject. */
  readonly leasedUntil: number;
}

/** Whether the listeners kept what they promise. */
export function judge({ delivered, incarnations, leaseMs, written }: Evidence): Verdict {
  const violations: string[] = [];
  const runs = incarnations.flatMap((incarnation) => runsOf(incarnation, leaseMs));
  const runsByKey = groupBy(runs, ({ key }) => key);
  const runsBySubject = groupBy(runs, ({ subject }) => subject);

  for (const { diedByItself, stderr } of incarnations) {
    if (diedByItself) violations.push(`a listener died without being killed: ${stderr}`);
  }

  const exhausted = delivered.filter(({ acknowledgedAt }) => acknowledgedAt === undefined);
  let effects = 0;
  for (const { notification, acknowledgedAt } of delivered) {
    const key = keyOf(notification);
    const finished = (runsByKey.get(key) ?? []).filter((run) => run.finished).length;
    const taken = written === undefined ? finished : (written.effects.get(key) ?? 0);
    effects += taken;
    if (acknowledgedAt !== undefined && taken === 0) {
      violations.push(`${key} was answered 200, and has not taken effect`);
    }
    if (written !== undefined && taken > 1) violations.push(`${key} has taken effect ${taken} times`);

    const late = (runsByKey.get(key) ?? []).filter(({ begin }) => begin > (acknowledgedAt ?? Infinity));
    if (late.length > 0) violations.push(`${key} ran again after it had been answered 200`);
  }

  const { overlaps, overruns } = countOverlaps(runsBySubject, violations, written === undefined);

  const bySubject = groupBy(delivered, ({ notification }) => notification.subject);
  for (const [subject, deliveries] of bySubject) {
    // Without all of its notifications, a subject has no right state.
    if (deliveries.some(({ acknowledgedAt }) => acknowledgedAt === undefined)) continue;
    const expected = latestState(deliveries.map(({ notification }) => notification.state));
    const state =
      written === undefined ? lastState(runsBySubject.get(subject) ?? []) : written.states.get(subject);
    if (state !== expected) violations.push(`${subject} ended as ${state}, not as ${expected}`);
  }

  const lines = incarnations.flatMap((incarnation) => incarnation.lines);
  const keys = [...runsByKey.values()];
  return {
    figures: {
      notifications: delivered.length,
      deliveries: delivered.reduce((sum, { answers }) => sum + answers.length, 0),
      answered503: count(delivered, 503),
      answered500: count(delivered, 500),
      noListener: count(delivered, 'no listener'),
      timedOut: count(delivered, 'timed out'),
      connectionLost: count(delivered, 'connection lost'),
      kills: incarnations.filter(({ killedAt }) => Number.isFinite(killedAt)).length,
      killsAtPoints: lines.filter(({ type }) => type === 'killed').length,
      callbacksCutOff: runs.filter(({ finished }) => !finished).length,
      exhausted: exhausted.length,
      effects,
      repeatedCallbacks: keys.reduce((sum, { length }) => sum + length - 1, 0),
      overlaps,
      overruns,
    },
    violations,
  };
}

function runsOf({ lines, killedAt }: Incarnation, leaseMs: number): Run[] {
  const ends = new Map<number, number>();
  for (const line of lines) if (line.type === 'end') ends.set(line.run, line.at);
  return lines.flatMap((line) => {
    if (line.type !== 'begin') return [];
    const { run, subject, state, fence, handledStates, claimAsked, at } = line;
    const end = ends.get(run);
    return {
      subject,
      state,
      key: keyOf(line),
      fence,
      handledStates,
      begin: at,
      end: end ?? killedAt,
      finished: end !== undefined,
      leasedUntil: claimAsked + leaseMs,
    };
  });
}

/**
 * Two callbacks at a time for one subject. Where the first's lease was over when the second began, no store could
 * have told: its process was paused for longer. That is counted apart, and its fence must be the smaller one.
 */
function countOverlaps(
  runsBySubject: ReadonlyMap<string, readonly Run[]>,
  violations: string[],
  fencesGrow: boolean,
) {
  let overlaps = 0;
  let overruns = 0;
  for (const [subject, runs] of runsBySubject) {
    const inOrder = [...runs].sort((a, b) => a.begin - b.begin);
    for (const [index, first] of inOrder.entries()) {
      for (const second of inOrder.slice(index + 1)) {
        // One that began after its lease was over may come late. In one transaction, what is rolled back leaves no fence.
        if (fencesGrow && second.begin < second.leasedUntil && second.fence <= first.fence) {
          violations.push(`${subject} was claimed with the fence ${second.fence} after ${first.fence}`);
        }
        if (second.begin >= first.end) continue;
        if (second.begin >= first.leasedUntil) {
          overruns += 1;
        } else {
          overlaps += 1;
          violations.push(`${subject} had two callbacks at a time: ${first.state} and ${second.state}`);
        }
      }
    }
  }
  return { overlaps, overruns };
}

/** What a merchant has stored who does not let a state be overtaken by an earlier one that comes later. */
function lastState(runs: readonly Run[]): string | undefined {
  return runs
    .filter(({ finished, state, handledStates }) => finished && !isOvertaken(state, handledStates))
    .sort((a, b) => a.end - b.end)
    .at(-1)?.state;
}

function latestState(states: readonly string[]): string | undefined {
  return [...states].sort((a, b) => rankOf(a) - rankOf(b)).at(-1);
}

function keyOf({ subject, state }: { readonly subject: string; readonly state: string }): string {
  return `${subject}:${state}`;
}

function count(delivered: readonly Delivered[], answer: Outcome): number {
  return delivered.flatMap(({ answers }) => answers).filter((given) => given === answer).length;
}

function groupBy<Item>(items: readonly Item[], keyOfItem: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOfItem(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

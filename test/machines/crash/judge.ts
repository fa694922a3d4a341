import type { Incarnation } from './fleet';
import { isOvertaken, rankOf } from './notifications';
import type { Delivered, Outcome } from './sender';

/** A span of time, by the clock of `now()`. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The evidence of a run. */
export interface Evidence {
  readonly delivered: readonly Delivered[];
  readonly incarnations: readonly Incarnation[];
  /**
   * The shortest time for which a claim holds its subject while its owner lives. In a transaction that is the time
   * limit of a callback: a slower one is rolled back, and can write nothing more.
   */
  readonly leaseMs: number;
  /** The times when the store could not be used or reached. */
  readonly outages?: readonly Interval[];
  /** Whether the store may have lost acknowledged writes, as when a replica takes over. */
  readonly mayLoseWrites?: boolean;
  /**
   * The merchant’s tables, where the store’s transaction writes the effects: each effect must be there exactly once.
   */
  readonly written?: {
    /** How often each effect is in the tables, by key. */
    readonly effects: ReadonlyMap<string, number>;
    /** The state in the tables, by subject. */
    readonly states: ReadonlyMap<string, string>;
  };
}

export interface Verdict {
  readonly figures: Readonly<Record<string, number>>;
  /** The promises that were broken, in words. */
  readonly violations: readonly string[];
}

/** One run of a callback. */
interface Run {
  readonly subject: string;
  readonly state: string;
  readonly key: string;
  readonly fence: number;
  readonly handledStates: readonly string[];
  readonly begin: number;
  /** The time at which it returned, or at which its process was killed. */
  readonly end: number;
  readonly finished: boolean;
  /** The store’s answer about its record, and when it came. */
  readonly record: { readonly recorded: boolean; readonly at: number } | undefined;
  readonly claimAsked: number;
  readonly killedAt: number;
  readonly pauses: readonly Interval[];
  /** Until then, no other owner may have the subject. */
  readonly leasedUntil: number;
}

/** Judges whether the listeners kept their promises. */
export function judge(evidence: Evidence): Verdict {
  const { delivered, incarnations, leaseMs, written, outages = [], mayLoseWrites = false } = evidence;
  const violations: string[] = [];
  const runs = incarnations.flatMap((incarnation) => runsOf(incarnation, leaseMs));
  const runsByKey = groupBy(runs, ({ key }) => key);
  const runsBySubject = groupBy(runs, ({ subject }) => subject);

  for (const { diedByItself, stderr } of incarnations) {
    if (diedByItself) violations.push(`a listener died without being killed: ${stderr}`);
  }

  const exhausted = delivered.filter(({ acknowledgedAt }) => acknowledgedAt === undefined);
  let effects = 0;
  let lost = 0;
  let doubled = 0;
  for (const { notification, acknowledgedAt } of delivered) {
    const key = keyOf(notification);
    const finished = (runsByKey.get(key) ?? []).filter((run) => run.finished).length;
    const taken = written === undefined ? finished : (written.effects.get(key) ?? 0);
    effects += taken;
    if (taken === 0) {
      lost += 1;
      violations.push(
        acknowledgedAt === undefined
          ? `${key} is lost: none of its deliveries has taken effect`
          : `${key} was answered 200, and has not taken effect`,
      );
    }
    doubled += Math.max(0, taken - 1);
    if (written !== undefined && taken > 1) violations.push(`${key} has taken effect ${taken} times`);
    if (written === undefined)
      violations.push(...unexcused(runsByKey.get(key) ?? [], outages, mayLoseWrites));
    if (mayLoseWrites) continue;

    // A callback whose process was stopped after the claim begins late, and the store cannot prevent that.
    const late = (runsByKey.get(key) ?? []).filter(
      ({ begin, claimAsked, pauses }) =>
        begin > (acknowledgedAt ?? Infinity) && !touches(pauses, { from: claimAsked, to: begin }),
    );
    if (late.length > 0) violations.push(`${key} ran again after it had been answered 200`);
  }

  const { overlaps, overruns } = countOverlaps(runsBySubject, violations, {
    fencesGrow: written === undefined,
    mayLoseWrites,
    // In a transaction the server holds the lock: its crash frees the lock, and rolls back the first callback’s
    // writes.
    lockLost: written === undefined ? [] : outages,
  });

  const bySubject = groupBy(delivered, ({ notification }) => notification.subject);
  for (const [subject, deliveries] of bySubject) {
    // A failover that lost a record lets an older state run again after the newer one.
    if (mayLoseWrites) continue;
    // The right state of a subject is known only when all its notifications were acknowledged.
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
      pauses: incarnations.reduce((sum, { pauses }) => sum + pauses.length, 0),
      outages: outages.length,
      exhausted: exhausted.length,
      effects,
      lost,
      doubled,
      repeatedCallbacks: keys.reduce((sum, { length }) => sum + length - 1, 0),
      overlaps,
      overruns,
    },
    violations,
  };
}

function runsOf({ lines, killedAt, pauses }: Incarnation, leaseMs: number): Run[] {
  const ends = new Map<number, number>();
  const records = new Map<number, { recorded: boolean; at: number }>();
  for (const line of lines) {
    if (line.type === 'end') ends.set(line.run, line.at);
    if (line.type === 'recorded') records.set(line.run, { recorded: line.recorded, at: line.at });
  }
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
      record: records.get(run),
      claimAsked,
      killedAt,
      pauses,
      leasedUntil: claimAsked + leaseMs,
    };
  });
}

/**
 * Effects that came twice without an excuse: between the first and its record, there was neither a crash nor a pause
 * of its process, no outage of the store, and no end of its lease.
 */
function unexcused(
  runs: readonly Run[],
  outages: readonly Interval[],
  mayLoseWrites: boolean,
): readonly string[] {
  const finished = runs.filter((run) => run.finished).sort((a, b) => a.begin - b.begin);
  return finished.slice(1).flatMap((second, index) => {
    const first = finished[index] as Run;
    if (mayLoseWrites) return [];
    if (first.record?.recorded === true && first.record.at <= second.claimAsked) {
      return [`${second.key} has taken effect again after it had been recorded`];
    }
    const between = { from: first.claimAsked, to: second.begin };
    const excused =
      first.killedAt <= second.begin ||
      touches(first.pauses, between) ||
      touches(outages, between) ||
      first.end >= first.leasedUntil ||
      (first.record?.recorded === false && first.record.at >= first.leasedUntil);
    return excused ? [] : [`${second.key} has taken effect twice without a crash or a pause in between`];
  });
}

function touches(intervals: readonly Interval[], { from, to }: Interval): boolean {
  return intervals.some((interval) => interval.from <= to && interval.to >= from);
}

/**
 * Counts two callbacks of a subject at a time. If the first one’s lease was over when the second began, no store
 * could have prevented it: the first one’s process was paused for longer. Those are counted as overruns, and the
 * first must have the smaller fence.
 */
function countOverlaps(
  runsBySubject: ReadonlyMap<string, readonly Run[]>,
  violations: string[],
  {
    fencesGrow,
    mayLoseWrites,
    lockLost,
  }: {
    readonly fencesGrow: boolean;
    readonly mayLoseWrites: boolean;
    readonly lockLost: readonly Interval[];
  },
) {
  let overlaps = 0;
  let overruns = 0;
  for (const [subject, runs] of runsBySubject) {
    const inOrder = [...runs].sort((a, b) => a.begin - b.begin);
    for (const [index, first] of inOrder.entries()) {
      for (const second of inOrder.slice(index + 1)) {
        // A callback that began after its own lease was over may come late. In a transaction, a rollback leaves no
        // fence.
        if (fencesGrow && second.begin < second.leasedUntil && second.fence <= first.fence) {
          violations.push(`${subject} was claimed with the fence ${second.fence} after ${first.fence}`);
        }
        if (second.begin >= first.end) continue;
        const isFreed = touches(lockLost, { from: first.begin, to: second.begin });
        if (second.begin >= first.leasedUntil || mayLoseWrites || isFreed) {
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

/**
 * The state that a merchant has stored who ignores states that were overtaken, and writes of former owners by their
 * smaller fence.
 */
function lastState(runs: readonly Run[]): string | undefined {
  return runs
    .filter(({ finished, state, handledStates }) => finished && !isOvertaken(state, handledStates))
    .sort((a, b) => a.fence - b.fence)
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

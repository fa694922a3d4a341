import { CliFailure, failure } from '../failure';
import { say } from '../language';
import type { SandboxClient } from '../sandbox-client';
import type { TextKey } from '../texts';
import { type Effects, isSame, type Ledger } from './effects';
import { type Booking, isAbout, judge } from './judge';
import { madeUpSales, sandboxSales } from './sales';
import { script } from './script';
import { type Exchange, Sender, type SenderOptions } from './send';
import { Outcome, type Step, type StepResult } from './step';
import type { Hold } from './without-trace';
import type { World } from './world';

/** The default of `--limit`: how long a response may take, in milliseconds. Our choice: the service documents no limit. */
export const DEFAULT_LIMIT_MS = 5_000;

/** What verify is run with. */
export interface VerifyOptions extends SenderOptions {
  /** Without it, nothing shows whether the listener acted. */
  readonly effects: Effects | undefined;
  /** Where real sales are made; without it they are made up. */
  readonly sandbox: SandboxClient | undefined;
  /** Creates the orders of real sales; without it, the merchant has no orders for them. */
  readonly shop?: URL | undefined;
  /** The kinds that the listener books. Default: those that it is seen to book. */
  readonly kinds?: readonly string[] | undefined;
  /** Does what an interrupted run must wait for. Default: it is just done. */
  readonly hold?: Hold | undefined;
  /** Asks for a restart of the listener. Without it, none is asked for. */
  readonly restart?: (() => Promise<void>) | undefined;
}

/** Gets to know how a run goes on. */
export interface Progress {
  under?(title: string, number: number): void;
  ended?(result: StepResult): void;
}

/** What came of a run. */
export interface Report {
  readonly steps: readonly StepResult[];
  /** Why it ended early. */
  readonly ended: string | undefined;
  /** What a run cannot see. */
  readonly notSeen: readonly string[];
  /** How many notifications were sent. */
  readonly sent: number;
}

const NOTHING: Ledger = { rows: [], inbox: 0, claimed: [] };

/** Runs the script. @throws `CliFailure` with exit code 2 if it cannot begin */
export async function runVerify(options: VerifyOptions, progress: Progress = {}): Promise<Report> {
  const { effects, sandbox, shop, hold = (act) => act() } = options;
  const sender = new Sender(options);
  const outcomes: Outcome[] = [];
  const results: StepResult[] = [];
  const known = new Set<string>();
  let missing: Booking[] = [];
  const seen = new Set<string>(options.kinds);
  let latest = NOTHING;
  const keep = (ledger: Ledger) => {
    latest = ledger;
    for (const kind of [...ledger.claimed, ...ledger.rows.map((row) => row.kind)])
      if (options.kinds === undefined) seen.add(kind);
  };

  const isKept = (kind: string) => kind === 'payment' || seen.has(kind);
  const readRows = async () => {
    if (effects !== undefined) keep(await effects.read());
    return latest.rows;
  };
  const world: World = {
    ...options,
    sales: sandbox === undefined ? madeUpSales() : sandboxSales(sandbox, shop, hold),
    sender,
    outcomes,
    hasEffects: effects !== undefined,
    hold,
    readRows,
  };

  const perform = async (step: Step): Promise<Outcome> => {
    const before = latest;
    const exchanges: Exchange[] = [];
    try {
      if (step.atOnce) exchanges.push(...(await sender.sendAtOnce(step.sends)));
      else for (const send of step.sends) exchanges.push(await sender.send(send));
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      const stopped = new Outcome(step, exchanges, { open: [error.message] });
      throw Object.assign(error, { stopped });
    }
    const broken = exchanges.find(({ reception }) => reception === 'broken' || reception === 'gone');
    if (outcomes.length > 0 && broken !== undefined && (await sender.probe('{}')).reception === 'gone') {
      const stopped = new Outcome(step, exchanges);
      throw Object.assign(failure('run.nobodyLeft'), { stopped });
    }
    if (step.open !== undefined || (step.sends.length === 0 && step.must === undefined))
      return new Outcome(step, exchanges);
    if (effects === undefined) {
      const open = step.byAnswers ? [] : [say('run.withoutEffects')];
      return new Outcome(step, exchanges, { open });
    }
    const isJudged = (one: Booking) => options.kinds === undefined || options.kinds.includes(one.kind);
    const must = (step.must ?? []).filter(isJudged);
    const may = [...(step.may ?? []), ...missing];
    const compare = (now: Ledger) => judge(before.rows, now.rows, must, may, known);
    // What was refused is not waited for.
    const isRefused = exchanges.length > 0 && exchanges.every(({ reception }) => reception !== 'accepted');
    const isComplete = (now: Ledger) => !compare(now).problems.some(({ type }) => type === 'missing');
    const first = await effects.read();
    const isWaitedFor = must.length > 0 && !isRefused;
    const last = await effects.settled(isWaitedFor ? isComplete : undefined);
    const { problems, sameRow, added } = compare(last);
    keep(last);
    for (const { subjects } of must) for (const subject of subjects) known.add(subject);
    // What comes late is no fault of the step that it comes in. Without a subject, nobody can tell.
    const isMissing = (one: Booking) => !added.some((row) => row.subject === undefined || isAbout(row, one));
    missing = [...missing, ...must].filter(isMissing);
    const lacks = step.judges;
    const cannotTell = lacks !== undefined && added.some((row) => row[lacks] === undefined);
    const rows = problems.filter(({ kind }) => options.kinds === undefined || options.kinds.includes(kind));
    return new Outcome(step, exchanges, {
      rows,
      isKept,
      open: [
        ...(cannotTell ? [say('run.withoutField', { field: lacks })] : []),
        ...sameRow.map(({ kind }) => say('run.sameRow', { kind })),
      ],
      isLate:
        isWaitedFor &&
        isComplete(last) &&
        !isComplete(first) &&
        // A row of the inbox may take the place of one that nobody has acted on.
        first.inbox === 0 &&
        !isSame(first, last),
    });
  };

  const flush = () => {
    for (const outcome of outcomes.slice(results.length)) {
      const result = outcome.result();
      results.push(result);
      progress.ended?.(result);
    }
  };

  let ended: string | undefined;
  let notSeen: readonly TextKey[] = [];
  try {
    await readRows();
    const steps = script(world);
    for (let next = await steps.next(); ; ) {
      if (next.done) {
        ({ ended, notSeen } = next.value);
        break;
      }
      const step = next.value;
      if (!step.isProbe) {
        flush();
        progress.under?.(say(`step.${step.id}`, step.values), outcomes.length + 1);
      }
      const outcome = await perform(step);
      if (!step.isProbe) outcomes.push(outcome);
      next = await steps.next(outcome);
    }
  } catch (error) {
    // The sandbox, the shop or `--effects` does not answer any more, or nothing more can be learned.
    if (!(error instanceof CliFailure) || error.exitCode === 2) throw error;
    const { stopped } = error as { stopped?: Outcome };
    if (stopped !== undefined && !stopped.step.isProbe) outcomes.push(stopped);
    const broken = sender.exchanges.findLast(({ reception }) => reception === 'broken');
    ended =
      broken === undefined
        ? error.message
        : `${error.message} ${say('run.thenGone', { what: broken.send.what })}`;
  }
  flush();
  return { steps: results, ended, notSeen: notSeen.map((key) => say(key)), sent: sender.exchanges.length };
}

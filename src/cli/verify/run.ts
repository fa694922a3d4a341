import { CliFailure, failure } from '../failure';
import { listed } from '../format';
import type { SandboxClient } from '../sandbox-client';
import { line } from '../visible';
import { type Effects, effectsForm, isSame, type Ledger } from './effects';
import { steps } from './hints';
import { type Booking, bookingOf, isAbout, judge, type RowProblem } from './judge';
import { madeUpSales, sandboxSales } from './sales';
import { script } from './script';
import { type Exchange, type Send, Sender, type SenderOptions } from './send';
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

const SEVERAL = 'rows of `--effects` come and go from one read to the next';

const NOTHING: Ledger = { rows: [], inbox: 0, claimed: [], others: [] };

/** Runs the script. @throws `CliFailure` with exit code 2 if it cannot begin */
export async function runVerify(options: VerifyOptions, progress: Progress = {}): Promise<Report> {
  const { effects, sandbox, shop, hold = (act) => act() } = options;
  const sender = new Sender(options);
  const outcomes: Outcome[] = [];
  const results: StepResult[] = [];
  const ours = new Set<string>();
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

  /** Each kind may have a URL of its own: this one may refuse those that it does not book. */
  const isElsewhere = ({ notification }: Send) =>
    options.kinds !== undefined &&
    notification.kind !== 'custom' &&
    !options.kinds.includes(bookingOf(notification).kind);
  const perform = async (step: Step): Promise<Outcome> => {
    const before = latest;
    const exchanges: Exchange[] = [];
    try {
      const sends = step.sends.map((send) =>
        isElsewhere(send) ? { accept: 'may' as const, ...send } : send,
      );
      if (step.atOnce) exchanges.push(...(await sender.sendAtOnce(sends)));
      else for (const send of sends) exchanges.push(await sender.send(send));
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      const stopped = new Outcome(step, exchanges, { open: [error.message] });
      throw Object.assign(error, { stopped });
    }
    const broken = exchanges.find(({ reception }) => reception === 'broken' || reception === 'gone');
    if (outcomes.length > 0 && broken !== undefined && (await sender.isGone())) {
      const stopped = new Outcome(step, exchanges);
      throw Object.assign(failure('nothing listens any more.'), { stopped });
    }
    if (step.open !== undefined || (step.sends.length === 0 && step.must === undefined))
      return new Outcome(step, exchanges);
    if (effects === undefined) {
      const open = step.byAnswers ? [] : ['responses do not show what the listener books: pass --effects'];
      return new Outcome(step, exchanges, { open });
    }
    const isJudged = (one: Booking) => options.kinds === undefined || options.kinds.includes(one.kind);
    const must = (step.must ?? []).filter(isJudged);
    const may = [...(step.may ?? []), ...missing];
    const expected = { must, may, none: step.none ?? [] };
    const compare = (now: Ledger) => judge(before.rows, now.rows, expected, ours);
    // What was refused is not waited for.
    const refused = exchanges.flatMap(({ reception, send }) => (reception === 'accepted' ? [] : send));
    const isRefused = exchanges.length > 0 && refused.length === exchanges.length;
    const isComplete = (now: Ledger) => !compare(now).problems.some(({ type }) => type === 'missing');
    const first = await effects.read();
    const isWaitedFor = must.length > 0 && !isRefused;
    const last = await effects.settled(isWaitedFor ? isComplete : undefined);
    const { problems, added } = compare(last);
    keep(last);
    if (outcomes.length === 0) {
      refuseOtherKinds(problems, last);
      if (await effects.comesAndGoes()) {
        const stopped = new Outcome({ ...step, found: [SEVERAL] }, exchanges);
        throw Object.assign(failure('several processes answer, each with rows in a memory of its own.'), {
          stopped,
        });
      }
    }
    if (outcomes.length > 0) refuseOthersRows(problems, sender);
    for (const { subjects } of must) for (const subject of subjects) ours.add(subject);
    // What comes late is no fault of the step that it comes in. Without a subject, nobody can tell.
    const isMissing = (one: Booking) => !added.some((row) => row.subject === undefined || isAbout(row, one));
    missing = [...missing, ...must].filter(isMissing);
    const lacks = step.judges;
    const cannotTell = lacks !== undefined && added.some((row) => row[lacks] === undefined);
    const rows = problems.filter(({ kind }) => options.kinds === undefined || options.kinds.includes(kind));
    return new Outcome(step, exchanges, {
      rows,
      isKept,
      open: cannotTell ? [`the rows of \`--effects\` have no \`${lacks}\``] : [],
      bookedAnyway: refused.filter(
        ({ notification, accept }) =>
          accept === undefined &&
          added.some((row) => isAbout(row, bookingOf(notification))) &&
          !exchanges.some(
            ({ reception, send }) => reception === 'accepted' && send.notification === notification,
          ),
      ),
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
    for (const [index, outcome] of outcomes.entries()) {
      const before = results[index];
      // What no row had come for is missing, once a later one shows that the listener books its kind.
      const isSettled =
        before !== undefined && (before.verdict !== 'not-checked' || outcome.types.length === 0);
      if (isSettled) continue;
      const failed = outcomes.filter(
        (_, earlier) => earlier < index && results[earlier]?.verdict === 'failed',
      );
      const result = outcome.result(failed);
      results[index] = result;
      progress.ended?.(result);
    }
  };

  let ended: string | undefined;
  let notSeen: readonly string[] = [];
  try {
    await readRows();
    const run = script(world);
    for (let next = await run.next(); ; ) {
      if (next.done) {
        ({ ended, notSeen } = next.value);
        break;
      }
      const step = next.value;
      if (!step.isProbe) {
        flush();
        progress.under?.(steps[step.id].title, outcomes.length + 1);
      }
      const outcome = await perform(step);
      if (!step.isProbe) outcomes.push(outcome);
      next = await run.next(outcome);
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
        : `${error.message} ${line`${broken.send.what} ended the connection without an answer.`}`;
  }
  flush();
  return { steps: results, ended, notSeen, sent: sender.exchanges.length };
}

/** @throws `CliFailure` with exit code 2 if the first payment was booked as a kind that nobody knows */
function refuseOtherKinds(problems: readonly RowProblem[], { others }: Ledger): void {
  if (others.length === 0 || !problems.some(({ type }) => type === 'missing')) return;
  throw new CliFailure(
    2,
    `${effectsForm()} ${line`The kind of its rows is ${listed(others.map((kind) => JSON.stringify(kind)))}.`}`,
  );
}

/** @throws `CliFailure` with exit code 2 for a row about something that this run has sent nothing about */
function refuseOthersRows(problems: readonly RowProblem[], { exchanges }: Sender): void {
  if (problems.some(({ type }) => type === 'missing')) return;
  const sent = JSON.stringify(exchanges.map(({ send }) => send.notification.payload));
  const other = problems.find(
    ({ type, subject = '' }) => type === 'unexpected' && IDENTITY.test(subject) && !sent.includes(subject),
  );
  if (other === undefined) return;
  const { kind, subject = '' } = other;
  throw new CliFailure(
    2,
    line`Something else books here: a ${kind} of ${subject.slice(0, 8)}, which verify sent nothing about. Give the listener a database of its own, and no other notifications, while verify runs.`,
  );
}

/** A UUID, an id or an order's reference, and no word such as `undefined`. */
const IDENTITY = /^(?=.*\d).{6,}$/;

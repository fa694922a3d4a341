import { decimal } from '../format';
import { line } from '../visible';
import { hintOf, type StepId, steps } from './hints';
import { type Booking, bookingOf, type RowProblem } from './judge';
import { describe, type Exchange, isRedirect, type Send } from './send';

/** One step of the script: what is sent, and which rows it must add. Anything else that changes is a fault. */
export interface Step {
  readonly id: StepId;
  /** For its title, where several steps have the same. */
  readonly of?: string;
  readonly sends: readonly Send[];
  /** Sends all of them at the same moment. */
  readonly atOnce?: boolean;
  /** The rows that must come. Default: none. */
  readonly must?: readonly Booking[];
  /** The rows that may come. Default: none. */
  readonly may?: readonly Booking[];
  /** The rows that must not be there afterwards, and may go. Default: none. */
  readonly none?: readonly Booking[];
  /** What the rows must have, so that the step can be judged. */
  readonly judges?: 'amount' | 'subject';
  /** The responses alone tell, so that the step runs without `--effects` too. */
  readonly byAnswers?: true;
  /** In no report: the next step tells what it has shown. */
  readonly isProbe?: true;
  /** What the responses of other steps show. */
  readonly found?: readonly string[];
  /** What is worth knowing, and no fault. */
  readonly warning?: string;
  /** If this step failed, nothing else can be expected of the one that names it. */
  readonly follows?: Step;
  /** Why it could not run. */
  readonly open?: string;
  /** Why it is not checked, where all is accepted and no row comes. Default: a row that is missing is a fault. */
  readonly unbooked?: string;
}

/** What a response must not be. `letIn` was accepted, and must not be. */
type AnswerProblem = 'refused' | 'redirected' | 'silent' | 'broken' | 'gone' | 'letIn' | 'notRefused';

export type ProblemType = RowProblem['type'] | AnswerProblem | 'found';

export type Verdict = 'passed' | 'failed' | 'not-checked';

/** The result of a step, as reported. */
export interface StepResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
  /** What was sent, and what the listener answered, save what a problem tells. */
  readonly sent: readonly string[];
  /** What is wrong: an answer, or a row that is missing, doubled, wrong in amount or taken back. */
  readonly problems: readonly string[];
  /** What could not be checked, and why. */
  readonly open: readonly string[];
  /** What is worth knowing, and no fault. */
  readonly warning: string | undefined;
  /** What usually makes a step fail, and what to do. */
  readonly hint: string | undefined;
  /** The title of an earlier step that failed in the same way. It has no hint of its own then. */
  readonly follows: string | undefined;
}

/** What the rows of a step have shown. */
interface Judged {
  readonly rows: readonly RowProblem[];
  readonly open: string[];
  readonly isLate: boolean;
  /** Whether the listener books this kind at all, as far as its rows have shown by now. */
  readonly isKept: (kind: string) => boolean;
  /** What was booked, and not answered with success. */
  readonly bookedAnyway: readonly Send[];
}

/** What a step has found. */
export class Outcome {
  readonly step: Step;
  readonly exchanges: readonly Exchange[];
  readonly #rows: readonly RowProblem[];
  readonly #isKept: (kind: string) => boolean;
  readonly #bookedAnyway: readonly Send[];
  readonly open: string[];
  /** Whether rows came only after the response. */
  readonly isLate: boolean;

  constructor(
    step: Step,
    exchanges: readonly Exchange[] = [],
    { rows = [], open = [], isLate = false, isKept = () => true, bookedAnyway = [] }: Partial<Judged> = {},
  ) {
    this.step = step;
    this.exchanges = exchanges;
    this.#rows = rows;
    this.#isKept = isKept;
    this.#bookedAnyway = bookedAnyway;
    this.open = step.open === undefined ? open : [step.open, ...open];
    this.isLate = isLate;
  }

  /** What is wrong with the rows. */
  get rows(): RowProblem[] {
    return this.#rows.filter((row) => !this.#isOpen(row));
  }

  /** Kinds of which no row has ever come. */
  get notBooked(): string[] {
    return [...new Set(this.#rows.filter((row) => this.#isOpen(row)).map(({ kind }) => kind))];
  }

  #isOpen({ type, kind }: RowProblem): boolean {
    if (type !== 'missing') return false;
    const { unbooked } = this.step;
    const isAccepted = this.exchanges.every(({ reception }) => reception === 'accepted');
    return (unbooked !== undefined && isAccepted) || !this.#isKept(kind);
  }

  /** The types of all problems, each once. */
  get types(): ProblemType[] {
    const answers = this.exchanges.flatMap((exchange) => answerProblem(exchange) ?? []);
    return [
      ...new Set([
        ...this.rows.map(({ type }) => type),
        ...answers,
        ...(this.step.found ? ['found' as const] : []),
      ]),
    ];
  }

  get holds(): boolean {
    return this.types.length === 0 && this.open.length === 0 && this.notBooked.length === 0;
  }

  get title(): string {
    const { id, of } = this.step;
    return of === undefined ? steps[id].title : `${steps[id].title} (${of})`;
  }

  /** How it failed: the rows and the responses that were wrong, whatever they are about. */
  get #ways(): string[] {
    const responses = this.exchanges.flatMap((exchange) => {
      const problem = answerProblem(exchange);
      if (problem === undefined) return [];
      return exchange.reception === 'refused' ? `answered ${exchange.httpStatus}` : problem;
    });
    const rows = this.rows.map(({ type }) => (type === 'again' ? 'doubled' : type));
    // A row of what was refused is missing for that reason.
    const own = responses.length > 0 ? rows.filter((type) => type !== 'missing') : rows;
    return [...own, ...responses, ...(this.#bookedAnyway.length > 0 ? ['booked anyway'] : [])];
  }

  #isLike(earlier: Outcome): boolean {
    const ways = earlier.#ways;
    return this.#ways.every((way) => ways.includes(way));
  }

  /** @param earlier - what the steps before it have found */
  result(earlier: readonly Outcome[]): StepResult {
    const { id, found = [] } = this.step;
    const problems = [
      ...this.exchanges.flatMap((exchange) => {
        const type = answerProblem(exchange);
        return type === undefined ? [] : `${answers[type]}: ${exchange.send.what}: ${describe(exchange)}`;
      }),
      ...this.#bookedAnyway.map(({ what }) => `booked, and the service sends it again: ${what}`),
      ...this.rows.map(describeRow),
      ...found,
    ];
    const open = [
      ...this.open,
      ...this.notBooked.map(
        (kind) =>
          this.step.unbooked ??
          line`no row of kind \`${kind}\` has ever come. If your listener does nothing about it, leave it out of --kinds; else it is lost`,
      ),
    ];
    const verdict = problems.length > 0 ? 'failed' : open.length > 0 ? 'not-checked' : 'passed';
    const { follows: before } = this.step;
    const isAfter = (one: Outcome) => one.step === before && one.types.length > 0;
    const isSame = (one: Outcome) => this.#ways.length > 0 && this.#isLike(one);
    const follows =
      problems.length === 0 ? undefined : earlier.find((one) => isAfter(one) || isSame(one))?.title;
    const wrong = this.exchanges.find((exchange) => answerProblem(exchange) !== undefined);
    const problem = (['found', 'missing'] as const).find((type) => this.types.includes(type));
    const hint =
      this.#bookedAnyway.length > 0 ? BOOKED_ANYWAY : hintOf(id, wrong ?? this.exchanges[0], problem);
    return {
      id,
      title: this.title,
      verdict,
      sent: this.exchanges.flatMap((exchange) =>
        answerProblem(exchange) === undefined ? `${exchange.send.what}: ${describe(exchange)}` : [],
      ),
      problems,
      open,
      warning: this.step.warning,
      hint: verdict === 'failed' && follows === undefined ? hint : undefined,
      follows,
    };
  }
}

const BOOKED_ANYWAY =
  'the booking is done, and what comes after it fails or sets another status. Answer 200 to what is booked.';

/** What was wrong with a response. */
const answers: Readonly<Record<AnswerProblem, string>> = {
  refused: 'refused',
  redirected: 'redirected, which the service does not follow',
  silent: 'no answer',
  broken: 'no answer, and the connection ended',
  gone: 'nothing listens any more',
  letIn: 'accepted, and must not be',
  notRefused: 'answered with another status than 401 or 4xx',
};

function answerProblem(exchange: Exchange): AnswerProblem | undefined {
  const { reception, send, httpStatus = 0 } = exchange;
  if (send.accept === 'may') return reception === 'broken' ? 'broken' : undefined;
  if (send.accept !== 'mustNot') {
    if (reception === 'accepted') return undefined;
    return isRedirect(exchange) ? 'redirected' : reception;
  }
  if (reception === 'refused') return httpStatus >= 400 && httpStatus < 500 ? undefined : 'notRefused';
  return reception === 'accepted' ? (send.method === undefined ? 'letIn' : undefined) : reception;
}

function describeRow({ type, kind, subject = '', amount, got, times }: RowProblem): string {
  const money = (value: number | undefined) => (value === undefined ? '' : decimal(value, 2, 4));
  const about = subject.slice(0, SHOWN);
  const what = [kind, money(amount), about === '' ? '' : `of ${about}`]
    .filter((part) => part !== '')
    .join(' ');
  const words: Readonly<Record<RowProblem['type'], string>> = {
    missing: 'missing',
    doubled: `${times} rows in place of one`,
    amount: `wrong amount, ${money(got)} in place of ${money(amount)}`,
    kind: 'booked as another kind',
    again: 'booked again',
    unexpected: 'booked, and must not be',
    takenBack: 'taken back',
  };
  return line`${words[type]}: ${what}`;
}

/** The beginning of a UUID is enough to find it. */
const SHOWN = 8;

/** A step that sends this notification, and must book it. */
export function books(id: StepId, ...sends: readonly Send[]): Step & { readonly must: readonly Booking[] } {
  return { id, sends, must: sends.map(({ notification }) => bookingOf(notification)) };
}

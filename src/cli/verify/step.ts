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
  /** Why it could not run. */
  readonly open?: string;
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
  /** Whether it failed as the first payment did, and says nothing of its own. */
  readonly follows: boolean;
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
    return type === 'missing' && !this.#isKept(kind);
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

  /** @param first - what the first payment has shown */
  result(first: Outcome): StepResult {
    const { id, of, found = [] } = this.step;
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
          line`no row of kind \`${kind}\` has ever come. If your listener does nothing about it, leave it out of --kinds; else it is lost`,
      ),
    ];
    const verdict = problems.length > 0 ? 'failed' : open.length > 0 ? 'not-checked' : 'passed';
    const follows =
      this !== first && this.types.length > 0 && this.types.every((type) => first.types.includes(type));
    const hint = this.#bookedAnyway.length > 0 ? BOOKED_ANYWAY : hintOf(id, this.exchanges[0]?.httpStatus);
    return {
      id,
      title: of === undefined ? steps[id].title : `${steps[id].title} (${of})`,
      verdict,
      sent: this.exchanges.flatMap((exchange) =>
        answerProblem(exchange) === undefined ? `${exchange.send.what}: ${describe(exchange)}` : [],
      ),
      problems,
      open,
      warning: this.step.warning,
      hint: verdict === 'failed' && !follows ? hint : undefined,
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

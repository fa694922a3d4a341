import { decimal, say } from '../language';
import { hintOf, type StepId, type TextKey } from '../texts';
import { type Booking, bookingOf, type RowProblem } from './judge';
import { describe, type Exchange, isRedirect, type Send } from './send';

type Values = Readonly<Record<string, unknown>>;

/** One step of the script: what is sent, and which rows it must add. Anything else that changes is a fault. */
export interface Step {
  readonly id: StepId;
  /** For its title. */
  readonly values?: Values;
  readonly sends: readonly Send[];
  /** Sends all of them at the same moment. */
  readonly atOnce?: boolean;
  /** The rows that must come. Default: none. */
  readonly must?: readonly Booking[];
  /** The rows that may come. Default: none. */
  readonly may?: readonly Booking[];
  /** What the rows must have, so that the step can be judged. */
  readonly judges?: 'amount' | 'subject';
  /** The responses alone tell, so that the step runs without `--effects` too. */
  readonly byAnswers?: true;
  /** In no report: the next step tells what it has shown. */
  readonly isProbe?: true;
  /** What the responses of other steps show. */
  readonly found?: readonly (readonly [problem: TextKey, values: Values])[];
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
  /** What a step that failed is mostly caused by, and what to do. */
  readonly fix: string | undefined;
}

/** What the rows of a step have shown. */
interface Judged {
  readonly rows: readonly RowProblem[];
  readonly open: string[];
  readonly isLate: boolean;
  /** Whether the listener books this kind at all, as far as its rows have shown by now. */
  readonly isKept: (kind: string) => boolean;
}

/** What a step has found. */
export class Outcome {
  readonly step: Step;
  readonly exchanges: readonly Exchange[];
  readonly #rows: readonly RowProblem[];
  readonly #isKept: (kind: string) => boolean;
  readonly open: string[];
  /** Whether rows came only after the response. */
  readonly isLate: boolean;

  constructor(
    step: Step,
    exchanges: readonly Exchange[] = [],
    { rows = [], open = [], isLate = false, isKept = () => true }: Partial<Judged> = {},
  ) {
    this.step = step;
    this.exchanges = exchanges;
    this.#rows = rows;
    this.#isKept = isKept;
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

  /** Whether it found problems, all of these types. */
  only(...types: ProblemType[]): boolean {
    return this.types.length > 0 && this.types.every((type) => types.includes(type));
  }

  get holds(): boolean {
    return this.types.length === 0 && this.open.length === 0 && this.notBooked.length === 0;
  }

  result(): StepResult {
    const { id, found = [] } = this.step;
    const problems = [
      ...this.exchanges.flatMap((exchange) => {
        const type = answerProblem(exchange);
        const answer = describe(exchange);
        return type === undefined ? [] : [say(`answer.${type}`, { what: exchange.send.what, answer })];
      }),
      ...this.rows.map(describeRow),
      ...found.map(([problem, values]) => say(problem, values)),
    ];
    const open = [...this.open, ...this.notBooked.map((kind) => say('run.kindNotBooked', { kind }))];
    const verdict = problems.length > 0 ? 'failed' : open.length > 0 ? 'not-checked' : 'passed';
    const hint = verdict === 'failed' ? hintOf(id, this.exchanges[0]?.httpStatus) : undefined;
    return {
      id,
      title: say(`step.${id}`, this.step.values),
      verdict,
      sent: this.exchanges.flatMap((exchange) =>
        answerProblem(exchange) === undefined ? `${exchange.send.what}: ${describe(exchange)}` : [],
      ),
      problems,
      open,
      fix: hint && say(hint),
    };
  }
}

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

function describeRow({ type, kind, subject, amount, got, times }: RowProblem): string {
  const money = (value: number | undefined) => (value === undefined ? '' : decimal(value, 2, 4));
  const about = subject === undefined ? '' : subject.slice(0, SHOWN);
  return say(`row.${type}`, { kind, subject: about, amount: money(amount), got: money(got), times });
}

/** The beginning of a UUID is enough to find it. */
const SHOWN = 8;

/** A step that sends this notification, and must book it. */
export function books(id: StepId, ...sends: readonly Send[]): Step & { readonly must: readonly Booking[] } {
  return { id, sends, must: sends.map(({ notification }) => bookingOf(notification)) };
}

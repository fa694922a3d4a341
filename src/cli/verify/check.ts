import { type Sentence, say } from '../language';
import { describeExchange, type Exchange, type Session } from './session';

export type Verdict = 'passed' | 'failed' | 'not-checked';

/** The result of a check, as reported. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
  /** What is wrong. */
  readonly problems: readonly string[];
  /** What could not be checked, and why. */
  readonly open: readonly string[];
  /** Why a failure costs money. */
  readonly why: string | undefined;
  /** What to do about a failure. */
  readonly fix: string | undefined;
}

/** One check of the checklist. Its file is in `checks/`. */
export interface CheckDefinition {
  readonly id: string;
  readonly title: Sentence;
  /** What the check asks, for docs/verify.md. */
  readonly asks: Sentence;
  /** Why a failure costs money. */
  readonly why: Sentence;
  /** What to do about a failure, unless a problem has its own advice. */
  readonly fix: Sentence;
  /** Whether it sees nothing without `--effects`. */
  readonly needsEffects?: true;
  run(findings: Findings, session: Session): Promise<void>;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * What a check has found. A problem fails the check; anything left open keeps it from passing. A check reports only
 * problems of its own subject: a late response, for example, is a problem for `prompt` alone.
 */
export class Findings {
  readonly problems: string[] = [];
  readonly open: string[] = [];
  readonly #fixes = new Set<Sentence>();
  readonly #check: CheckDefinition;

  constructor(check: CheckDefinition) {
    this.#check = check;
  }

  /** @param fix - by default that of the check */
  fail(problem: Sentence | Exchange, values: Values = {}, ...fix: Sentence[]): void {
    this.problems.push(inWords(problem, values));
    for (const one of fix.length === 0 ? [this.#check.fix] : fix) this.#fixes.add(one);
  }

  leaveOpen(reason: Sentence | Exchange, values: Values = {}): void {
    this.open.push(inWords(reason, values));
  }

  /** Whether a notification was accepted. If not, adds that to what was found. */
  expectAccepted(exchange: Exchange, ...fix: Sentence[]): boolean {
    const { reception } = exchange;
    const fixes: Sentence[] = isRedirect(exchange) ? [REDIRECTS] : fix;
    if (reception === 'refused' || reception === 'broken') this.fail(exchange, {}, ...fixes);
    if (reception === 'silent' || reception === 'gone') this.leaveOpen(exchange);
    return reception === 'accepted';
  }

  result(): CheckResult {
    const { problems, open } = this;
    const { id, title, why } = this.#check;
    const verdict = problems.length > 0 ? 'failed' : open.length > 0 ? 'not-checked' : 'passed';
    const fix = verdict === 'failed' ? [...this.#fixes].map((one) => say(one)).join(' ') : undefined;
    return { id, title: say(title), verdict, problems, open, why: fix && say(why), fix };
  }
}

export const REDIRECTS =
  'It redirects, and the service does not follow redirects: the notification is lost. Register the URL that the redirect leads to, with its scheme, host and final slash; keep the query; and put no log-in page in front of it.' satisfies Sentence;

export function isRedirect({ httpStatus = 0 }: Exchange): boolean {
  return httpStatus >= 300 && httpStatus < 400;
}

export const WITHOUT_EFFECTS =
  'responses do not show whether the listener acts: give the address that counts its actions (--effects)' satisfies Sentence;

/** Whether all were accepted that a check compares with. If not, leaves it open: another check reports the refusal. */
export function allAccepted(findings: Findings, exchanges: readonly Exchange[]): boolean {
  const missing = exchanges.filter(({ reception }) => reception !== 'accepted');
  for (const exchange of missing) {
    const sent = describeExchange(exchange);
    findings.leaveOpen('{sent}, so there was nothing to compare with', { sent });
  }
  return missing.length === 0;
}

function inWords(finding: Sentence | Exchange, values: Values): string {
  return typeof finding === 'string' ? say(finding, values) : describeExchange(finding);
}

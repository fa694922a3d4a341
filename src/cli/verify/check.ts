import { say } from '../language';
import type { CheckId, TextKey } from '../texts';
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
  /** `acts` has four texts: `acts.title`, what it asks, why a failure costs money, and what to do about one. */
  readonly id: CheckId;
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
  readonly #fixes = new Set<TextKey>();
  readonly #check: CheckDefinition;

  constructor(check: CheckDefinition) {
    this.#check = check;
  }

  /** @param fix - by default that of the check */
  fail(problem: TextKey | Exchange, values: Values = {}, ...fix: TextKey[]): void {
    this.problems.push(inWords(problem, values));
    const byDefault = `${this.#check.id}.fix` as const;
    for (const one of fix.length === 0 ? [byDefault] : fix) this.#fixes.add(one);
  }

  leaveOpen(reason: TextKey | Exchange, values: Values = {}): void {
    this.open.push(inWords(reason, values));
  }

  /** Whether a notification was accepted. If not, adds that to what was found. */
  expectAccepted(exchange: Exchange, ...fix: TextKey[]): boolean {
    const { reception } = exchange;
    const fixes: TextKey[] = isRedirect(exchange) ? ['reachable.redirects'] : fix;
    if (reception === 'refused' || reception === 'broken') this.fail(exchange, {}, ...fixes);
    if (reception === 'silent' || reception === 'gone') this.leaveOpen(exchange);
    return reception === 'accepted';
  }

  result(): CheckResult {
    const { problems, open } = this;
    const { id } = this.#check;
    const verdict = problems.length > 0 ? 'failed' : open.length > 0 ? 'not-checked' : 'passed';
    const fix = verdict === 'failed' ? [...this.#fixes].map((one) => say(one)).join(' ') : undefined;
    return { id, title: say(`${id}.title`), verdict, problems, open, why: fix && say(`${id}.why`), fix };
  }
}

export function isRedirect({ httpStatus = 0 }: Exchange): boolean {
  return httpStatus >= 300 && httpStatus < 400;
}

/** Whether all were accepted that a check compares with. If not, leaves it open: another check reports the refusal. */
export function allAccepted(findings: Findings, exchanges: readonly Exchange[]): boolean {
  const missing = exchanges.filter(({ reception }) => reception !== 'accepted');
  for (const exchange of missing) {
    const sent = describeExchange(exchange);
    findings.leaveOpen('run.nothingToCompare', { sent });
  }
  return missing.length === 0;
}

function inWords(finding: TextKey | Exchange, values: Values): string {
  return typeof finding === 'string' ? say(finding, values) : describeExchange(finding);
}

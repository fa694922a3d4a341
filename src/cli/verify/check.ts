import { describeExchange, type Exchange } from './exchange';
import type { Session } from './session';

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
  readonly title: string;
  /** What the check asks, for docs/verify.md. */
  readonly asks: string;
  /** Why a failure costs money. */
  readonly why: string;
  /** What to do about a failure, unless a problem has its own advice. */
  readonly fix: string;
  run(findings: Findings, session: Session): Promise<void>;
}

/**
 * What a check has found. A problem fails the check; anything left open keeps it from passing. A check reports only
 * problems of its own subject: a late response, for example, is a problem for `prompt` alone.
 */
export class Findings {
  readonly problems: string[] = [];
  readonly open: string[] = [];
  readonly #fixes = new Set<string>();
  readonly #usualFix: string;

  constructor(usualFix: string) {
    this.#usualFix = usualFix;
  }

  fail(problem: string, fix = this.#usualFix): void {
    this.problems.push(problem);
    this.#fixes.add(fix);
  }

  leaveOpen(reason: string): void {
    this.open.push(reason);
  }

  result({ id, title, why }: Pick<CheckDefinition, 'id' | 'title' | 'why'>): CheckResult {
    const verdict = this.problems.length > 0 ? 'failed' : this.open.length > 0 ? 'not-checked' : 'passed';
    const { problems, open } = this;
    const fix = verdict === 'failed' ? [...this.#fixes].join(' ') : undefined;
    return { id, title, verdict, problems, open, why: fix && why, fix };
  }
}

export const WITHOUT_EFFECTS = 'responses do not show whether the listener acts: pass --effects (see --help)';

/** Whether a notification was accepted. If not, adds that to the findings. */
export function expectAccepted(findings: Findings, exchange: Exchange, fix?: string): boolean {
  const { reception } = exchange;
  if (reception === 'refused' || reception === 'broken') findings.fail(describeExchange(exchange), fix);
  if (reception === 'silent' || reception === 'gone') findings.leaveOpen(describeExchange(exchange));
  return reception === 'accepted';
}

/** Whether all were accepted that a check compares with. If not, leaves it open: another check reports the refusal. */
export function allAccepted(findings: Findings, exchanges: readonly Exchange[]): boolean {
  const missing = exchanges.filter(({ reception }) => reception !== 'accepted');
  for (const exchange of missing) {
    findings.leaveOpen(`${describeExchange(exchange)}, so there was nothing to compare with`);
  }
  return missing.length === 0;
}

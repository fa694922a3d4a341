import type { Session } from './session';

export type Verdict = 'passed' | 'failed' | 'not-checked';

/** What is reported of a check. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
  /** What was seen that is wrong. */
  readonly problems: readonly string[];
  /** What could not be told, and why. */
  readonly open: readonly string[];
  /** What to do about a failure. */
  readonly fix: string | undefined;
}

/** A check of the list. */
export interface CheckDefinition {
  readonly id: string;
  readonly title: string;
  readonly fix: string;
  run(findings: Findings, session: Session): Promise<void>;
}

/**
 * What a check has found. A problem fails it; what is left open keeps it from passing. Each check blames the listener
 * only for its own subject, so that one mistake is one failure: an answer that is late is for the check of promptness.
 */
export class Findings {
  readonly problems: string[] = [];
  readonly open: string[] = [];

  fail(problem: string): void {
    this.problems.push(problem);
  }

  leaveOpen(reason: string): void {
    this.open.push(reason);
  }

  result({ id, title, fix }: Pick<CheckDefinition, 'id' | 'title' | 'fix'>): CheckResult {
    const verdict = this.problems.length > 0 ? 'failed' : this.open.length > 0 ? 'not-checked' : 'passed';
    const { problems, open } = this;
    return { id, title, verdict, problems, open, fix: verdict === 'failed' ? fix : undefined };
  }
}

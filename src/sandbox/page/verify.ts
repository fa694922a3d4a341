/** What a check of a listener found. */
export interface VerifyResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: 'passed' | 'failed' | 'not-checked';
  /** What was seen that is wrong. */
  readonly problems: readonly string[];
  /** What could not be told, and why. */
  readonly open: readonly string[];
  /** What to do about a failure. */
  readonly fix: string | undefined;
}

/** What the checklist found, for the page's button. */
export interface VerifyReport {
  readonly checks: readonly VerifyResult[];
}

/** Runs the checklist against a listener. The command line has it, and passes it in. */
export type Verify = (listenerUrl: string) => Promise<VerifyReport>;

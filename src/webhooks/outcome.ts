import type { ValidationIssue } from '../shared/validation-issue';
import type { AboutMoney } from '../stores/dead-letters';
import type { Identity } from './key';
import type { WebhookReportCode } from './report-texts';
import type { RepeatReason } from './unexpected-repeat';

/** What became of a notification. */
export type Outcome = Ignored | Done | Failure;

/** There is nothing to do about it, and nothing to tell. */
export interface Ignored {
  readonly code: 'ignored';
}

/** It is done. */
export interface Done {
  readonly code: 'done';
  /** It was done before: the callback did not run. */
  readonly isRepeat: boolean;
  /** The letters that waited for it. */
  readonly followUps?: readonly string[] | undefined;
}

/** Whether it was done before, so that its callback did not run. */
export function isRepeated(outcome: Outcome): boolean {
  return 'isRepeat' in outcome && outcome.isRepeat;
}

/** It is not done: what is reported of it, and what is kept. */
export interface Failure extends Problem {
  readonly toKeep?: ToKeep | undefined;
  /** What became of its letter, if that was written in its lease or its transaction. */
  readonly kept?: Kept | undefined;
  /** Set if the callback took too long: whether its late success was recorded. Never rejects. */
  readonly late?: Promise<boolean>;
}

/** What is reported. */
export interface Problem {
  readonly code: WebhookReportCode;
  readonly status: number;
  readonly error?: unknown;
  readonly issues?: readonly ValidationIssue[] | undefined;
  /** Why it is an unexpected repeat. */
  readonly reason?: RepeatReason | undefined;
}

/** What its letter holds besides that. */
export interface ToKeep {
  /** Whose money it is. */
  readonly about?: AboutMoney | undefined;
  /** What the callback said to the person who is to decide. */
  readonly note?: string | undefined;
  /** What it is kept under, if not under its own identity. */
  readonly as?: Identity | undefined;
  /** A hash of the body of an unexpected repeat, which is not kept under its own identity. */
  readonly bodyHash?: string | undefined;
}

/**
 * What became of the letter of a failure: `'unchanged'` if it is there and has failed as before, or if a person has decided
 * about it; `'failed'` if it could not be written; `'none'` if there is to be none.
 */
export type Kept = 'kept' | 'unchanged' | 'failed' | 'none';

import type { DeadLetter } from '../stores/dead-letters';
import type { ReplayResult } from '../webhooks/replay';
import { isRetried } from './case-reasons';

/** What a person, or a fix, must end. **`body` holds personal data**; a case is kept for 30 days. */
export interface Case
  extends Pick<
    DeadLetter,
    | 'kind'
    | 'body'
    | 'credential'
    | 'firstFailedAt'
    | 'lastFailedAt'
    | 'attempts'
    | 'note'
    | 'states'
    | 'repeats'
  > {
  /** For `orders.decide`: the key of its notification. */
  readonly id: string;
  /** Why it is one; `docs/orders.md` lists the reasons. */
  readonly reason: string;
  /** Whether `orders.maintain` tries it again by itself; else only a person ends it. */
  readonly retries: boolean;
  /** Your key of the order, if it is known. */
  readonly order?: string | undefined;
  /** The uuid of the transaction that it is about, if it is known. */
  readonly sale?: string | undefined;
  /** How much it is, in the currency's main unit, if it is known. */
  readonly amount?: number | undefined;
}

/** How many cases were tried again, by what became of them. */
export type CaseCounts = Readonly<Record<ReplayResult['status'], number>>;

/** A letter as a person sees it. */
function caseOf(letter: DeadLetter): Case {
  const { key, subject: _s, state: _state, url: _url, errorName: _name, isSettled: _is, ...rest } = letter;
  const { code, about, ...seen } = rest;
  const { order, sale, amount } = about ?? {};
  return { id: key, reason: code, retries: isRetried(code), order, sale, amount, ...seen };
}

/** The cases that letters are; those of one order, where it is named. */
export async function* casesOf(
  letters: AsyncIterable<DeadLetter>,
  order: string | undefined,
): AsyncGenerator<Case, void, undefined> {
  for await (const letter of letters) {
    if (order === undefined || letter.about?.order === order) yield caseOf(letter);
  }
}

export function countStatuses(results: readonly ReplayResult[]): CaseCounts {
  const counts = { done: 0, busy: 0, failed: 0, unhandled: 0 };
  for (const { status } of results) counts[status] += 1;
  return counts;
}

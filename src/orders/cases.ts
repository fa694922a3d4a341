import { ConfigurationError, InvalidRequestError } from '../errors';
import type { DeadLetter } from '../stores/dead-letters';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import type { Booking } from '../webhooks/cause';
import type { Failure, Outcome } from '../webhooks/outcome';
import type { ReplayResult } from '../webhooks/replay';
import { isRetried } from './case-reasons';
import { OrderBusyError } from './errors';
import { checkOrderKey } from './open';

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
export function caseOf(letter: DeadLetter): Case {
  const { key, subject: _subject, state: _state, url: _url, errorName: _name, code, about, ...seen } = letter;
  const { order, sale, amount } = about ?? {};
  return { id: key, reason: code, retries: isRetried(code), order, sale, amount, ...seen };
}

export function countStatuses(results: readonly ReplayResult[]): CaseCounts {
  const counts = { done: 0, busy: 0, failed: 0, unhandled: 0 };
  for (const { status } of results) counts[status] += 1;
  return counts;
}

/** What `orders.decide` did. */
export interface DecideResult {
  /**
   * - `booked`: its callback has run, and that is recorded
   * - `dismissed`: it is done, and nothing has run
   * - `done`: it was booked or dismissed before
   */
  readonly status: 'booked' | 'dismissed' | 'done';
}

const NAMES: OptionNames<Booking> = { order: true, amount: true };

/** @throws `ConfigurationError` for a decision that is none */
export function readDecision(id: string, decision: string, options: Booking): Booking {
  const { order, amount } = readNamedOptions('decide', options, NAMES, "id, 'book', ");
  const isDecision = decision === 'book' || decision === 'dismiss';
  if (!isDecision || typeof id !== 'string' || id === '') {
    throw new ConfigurationError(
      "Expected `decide(id, 'book')` or `decide(id, 'dismiss')`, with the `id` of one of `orders.cases()`.",
    );
  }
  if (decision === 'dismiss' && (order !== undefined || amount !== undefined)) {
    throw new ConfigurationError("Expected `order` and `amount` with 'book' only: 'dismiss' books nothing.");
  }
  if (order !== undefined) checkOrderKey('decide', order);
  if (amount !== undefined && !(Number.isFinite(amount) && amount > 0)) {
    throw new ConfigurationError('Expected `amount` to be a number above 0, in the main unit.');
  }
  return { order, amount };
}

/** What the result of a decision is to whoever has made it. */
export function decided(decision: 'book' | 'dismiss', result: Outcome): DecideResult {
  if (result.code === 'done') {
    const isRepeat = 'isRepeat' in result && result.isRepeat;
    return { status: isRepeat ? 'done' : decision === 'book' ? 'booked' : 'dismissed' };
  }
  if (result.code === 'busy') throw new OrderBusyError('deciding');
  const { code, error, issues, toKeep } = result as Failure;
  // What the merchant's own callback threw, the client or the store.
  if (error !== undefined) throw error;
  throw new InvalidRequestError('The case', issues ?? [missing(code, toKeep?.note)]);
}

/** What keeps a case from being booked. */
function missing(code: string, note: string | undefined) {
  const problems: Readonly<Record<string, readonly [path: string, message: string]>> = {
    no_order: ['order', 'expected the key of the order that it is for'],
    unclear_amount: ['amount', 'expected how much it is, because nothing else says so clearly'],
    early_return: ['sale', 'expected a sale that is booked: book that one first'],
    needs_person: ['order', `your callback called \`needsPerson\` again: ${note}`],
  };
  const [path, message] = problems[code] ?? ['decision', `nothing runs for this case (${code}): dismiss it`];
  return { path: [path], message };
}

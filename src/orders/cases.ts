import { ConfigurationError, InvalidRequestError } from '../errors';
import type { DeadLetter } from '../stores/dead-letters';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import type { Booking } from '../webhooks/cause';
import { type Failure, isRepeated, type Outcome } from '../webhooks/outcome';
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

/** What `orders.decide` did. */
export interface DecideResult {
  /**
   * What is so now:
   * - `booked`: its callback has run, and that is recorded
   * - `dismissed`: it is done, and nothing has run
   */
  readonly status: Decided;
  /** What it was before this decision; missing if nothing was decided. */
  readonly was?: Decided | undefined;
}

/** What became of a case. */
export type Decided = 'booked' | 'dismissed';

const NAMES: OptionNames<Booking> = { order: true, amount: true, evenIfPaid: true };

/** @throws `ConfigurationError` for a decision that is none */
export function readDecision(id: string, decision: string, options: Booking): Booking {
  const { order, amount, evenIfPaid } = readNamedOptions('decide', options, NAMES, "id, 'book', ");
  const isDecision = decision === 'book' || decision === 'dismiss';
  if (!isDecision || typeof id !== 'string' || id === '') {
    throw new ConfigurationError(
      "Expected `decide(id, 'book')` or `decide(id, 'dismiss')`, with the `id` of one of `orders.cases()`.",
    );
  }
  if (decision === 'dismiss' && (order !== undefined || amount !== undefined)) {
    throw new ConfigurationError("Expected `order` and `amount` with 'book' only: 'dismiss' books nothing.");
  }
  if (decision === 'book' && evenIfPaid !== undefined) {
    throw new ConfigurationError("Expected `evenIfPaid` with 'dismiss' only: 'book' books what is paid.");
  }
  if (typeof (evenIfPaid ?? false) !== 'boolean') {
    throw new ConfigurationError('Expected `evenIfPaid` to be true or false.');
  }
  if (order !== undefined) checkOrderKey('decide', order);
  if (amount !== undefined && !(Number.isFinite(amount) && amount > 0)) {
    throw new ConfigurationError('Expected `amount` to be a number above 0, in the main unit.');
  }
  return { order, amount, evenIfPaid };
}

/** What the result of a decision is to whoever has made it. */
export function decided(
  decision: 'book' | 'dismiss',
  { outcome: result, was }: { readonly outcome: Outcome; readonly was: Decided | undefined },
): DecideResult {
  if (result.code === 'done') {
    const now = decision === 'book' ? 'booked' : 'dismissed';
    return { status: isRepeated(result) ? (was ?? now) : now, ...(was !== undefined && { was }) };
  }
  if (result.code === 'busy') throw new OrderBusyError('deciding');
  const { code, error, issues } = result as Failure;
  // What the merchant's own callback threw, the client or the store.
  if (error !== undefined) throw error;
  throw new InvalidRequestError('The case', issues ?? [missing(code)]);
}

/** What keeps a case from being booked. */
function missing(code: string) {
  const problems: Readonly<Record<string, readonly [path: string, message: string]>> = {
    authorized_twice: [
      'decision',
      'nothing is booked: have one of the two cancelled (`orders.cancelRecurrence`), or dismiss it',
    ],
    other_order: [
      'order',
      'expected the key of the order that it is for, which the reference of its transaction must not contradict',
    ],
    no_order: ['order', 'expected the key of the order that it is for'],
    unclear_amount: [
      'amount',
      'expected how much it is, because nothing else says so clearly: what the service states of the sale, if it does, and ' +
        'at most what is left of it where money goes back',
    ],
    early_return: ['sale', 'expected a sale that is booked: book that one first'],
    // Never the note: it may say anything of a person.
    needs_person: ['order', 'your callback called `needsPerson` again: `note` of the case says why'],
  };
  const [path, message] = problems[code] ?? ['decision', `nothing runs for this case (${code}): dismiss it`];
  return { path: [path], message };
}

import { DAY_MS, HOUR_MS } from '../shared/time';

/** A notification that the handler could not act on, kept so that it is not lost after the sixth delivery. */
export interface DeadLetter {
  /** `notification.key`; of an unexpected repeat with an ending of its own. */
  readonly key: string;
  /** Kind and identity, as the store was asked to claim them. */
  readonly subject: string;
  /** What the notification reports about the subject. */
  readonly state: string;
  /** `notification.kind` when it was delivered last. */
  readonly kind: string;
  /** The JSON text as it was received. **It holds personal data**: names, e-mail addresses, bank accounts. */
  readonly body: string;
  /** Of the URL it was sent to, the query's flags of the documented kinds: `?refund=true`; empty if it has none. */
  readonly url: string;
  /**
   * Which pair of credentials it came with: 8 hexadecimal digits of a hash of the pair. One that came with a pair that is
   * not valid any more is replayed only if you pass it to `handler.replay`.
   */
  readonly credential: string;
  /** When it failed for the first time, in milliseconds since 1970. */
  readonly firstFailedAt: number;
  /** When it failed last, in milliseconds since 1970. */
  readonly lastFailedAt: number;
  /** How many deliveries and replays of it have failed. */
  readonly attempts: number;
  /** Why it failed last: the `code` of the report, such as `callback_failed`. */
  readonly code: string;
  /** The `name` of what was thrown, if anything was; never the message, which can quote anything. */
  readonly errorName?: string | undefined;
  /** Whose money it is, as far as that is known; only of `createOrders`, whose `cases()` have it. */
  readonly about?: AboutMoney | undefined;
  /** What the callback said to the person who is to decide; only of `createOrders`. */
  readonly note?: string | undefined;
  /** Whether `body` is what the service has said when it was asked, and no delivery; only of `createOrders`. */
  readonly isSettled?: boolean | undefined;
  /** Of an unexpected repeat: how many different bodies have come. `body` is the newest. */
  readonly repeats?: number | undefined;
  /** The states that its sale went through, where one letter stands for all; only of `createOrders`. */
  readonly states?:
    | readonly {
        /** As the notification had it in `newStatus`. */
        readonly state: string;
        /** When it came, in milliseconds since 1970, by the database's clock. */
        readonly at: number;
      }[]
    | undefined;
}

/** Whose money a letter is about. */
export interface AboutMoney {
  /** The order's key. */
  readonly order?: string | undefined;
  /** The uuid of the transaction. */
  readonly sale?: string | undefined;
  /** The reference of its journey. */
  readonly referenceCode?: string | undefined;
  /** The recurrence that it is about, or whose charge it is. */
  readonly idRec?: string | undefined;
  /** In the currency's main unit. */
  readonly amount?: number | undefined;
  /** An ISO 4217 code. */
  readonly currency?: string | undefined;
  /** Whether it is the own money of an attempt: the service has confirmed it, or `paid` has failed on it. */
  readonly isOwn?: boolean | undefined;
}

/** A letter as the handler keeps it; the store adds its times and attempts. */
export type NewDeadLetter = Omit<
  DeadLetter,
  'firstFailedAt' | 'lastFailedAt' | 'attempts' | 'states' | 'repeats'
> & {
  /** Whether it stands for all unexpected repeats of its subject: each new body begins its time anew. */
  readonly isRepeat?: boolean | undefined;
  /** Whether it stands for all states of its sale: it keeps the newest 20. */
  readonly hasStates?: boolean | undefined;
};

/** Why a letter has failed. */
export type LetterFailure = Pick<DeadLetter, 'code' | 'errorName' | 'about' | 'note'>;

/**
 * What is told once of a letter.
 *
 * - `'credential'`: it came with a pair that is not valid any more
 * - `'drop'`: it ends within a day
 */
export type LetterNote = 'credential' | 'drop';

/**
 * The record of a letter. It is over so long after the first failure: nothing that happens to a letter keeps its body for
 * longer.
 */
export interface LetterRecord {
  readonly letter: DeadLetter;
  readonly notes?: readonly LetterNote[] | undefined;
}

const MAX_STATES_KEPT = 20;

/** A letter after a delivery has failed. */
export function afterDelivery(
  before: DeadLetter | undefined,
  { hasStates, isRepeat, ...letter }: NewDeadLetter,
  now: number,
): DeadLetter {
  const { attempts = 0, states = [], repeats = 0 } = before ?? {};
  const isNew = before === undefined || (isRepeat && before.body !== letter.body);
  const firstFailedAt = isNew ? now : before.firstFailedAt;
  const counted = isRepeat && { repeats: isNew ? repeats + 1 : repeats };
  const history = hasStates && {
    states: [...states, { state: letter.state, at: now }].slice(-MAX_STATES_KEPT),
  };
  return { ...letter, ...counted, ...history, firstFailedAt, lastFailedAt: now, attempts: attempts + 1 };
}

/** A letter after a replay has failed: everything else of it stays. */
export function afterReplay(
  before: DeadLetter,
  { code, errorName, about = before.about, note = before.note }: LetterFailure,
  now: number,
): DeadLetter {
  return { ...before, about, note, code, errorName, lastFailedAt: now, attempts: before.attempts + 1 };
}

/** When a letter is due: an hour after its first failure, then in doubled steps, and once a day from then on. */
export function nextTryAt({
  firstFailedAt,
  lastFailedAt,
}: Pick<DeadLetter, 'firstFailedAt' | 'lastFailedAt'>): number {
  let [at, stepMs] = [firstFailedAt + HOUR_MS, HOUR_MS];
  while (at <= lastFailedAt) {
    stepMs = Math.min(2 * stepMs, DAY_MS);
    at += stepMs;
  }
  return at;
}

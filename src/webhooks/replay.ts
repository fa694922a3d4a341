import { ConfigurationError } from '../errors/configuration-error';
import { nameOfType } from '../shared/objects';
import { DAY_MS } from '../shared/time';
import { type DeadLetter, type LetterNote, nextTryAt } from '../stores/dead-letters';
import { readPage } from '../values/option-checks';
import type { Listener } from './listener';
import type { Outcome } from './outcome';
import type { Reporter } from './report';
import {
  isDecidedAgain,
  isTrusted,
  NOT_DUE,
  recognizeAgain,
  replayOne,
  reportingThrown,
  TRANSACTION_ENDED,
} from './run-letter';

/** The result of running a dead letter again. */
export interface ReplayResult {
  /** The key of the entry. */
  readonly key: string;
  /**
   * - `done`: its state is done, now or before, and the entry is forgotten
   * - `busy`: its subject is being acted on now, so the entry stays
   * - `failed`: the entry stays; `code` says why
   * - `unhandled`: there is no callback for it, so the entry stays
   */
  readonly status: 'done' | 'busy' | 'failed' | 'unhandled';
  /** The report code that says why it is not done. */
  readonly code?: string | undefined;
}

/** Runs what no request waits for, unless the handler drains. */
export type UnlessDraining = (work: () => Promise<Outcome>) => Promise<Outcome>;

/** The dead letters of a handler. */
export interface DeadLetters {
  /**
   * Lists the letters that have not expired, in a fixed order.
   *
   * @param page - `after`: the key of the last letter of the page before; `limit`: how many at most (100)
   */
  list(page?: {
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
  }): Promise<readonly DeadLetter[]>;
  /** Deletes a letter. Does nothing if there is none. */
  forget(key: string): Promise<void>;
}

/** @throws `ConfigurationError`, each of its methods, for a handler that keeps no dead letters */
export function deadLettersOf({ store, lettersMs, report }: Listener): DeadLetters {
  return {
    async list(query) {
      checkKept(lettersMs);
      const onUnreadable = reportUnreadable(report);
      const page = readPage('deadLetters.list', query, 'the `key` of a letter');
      return store.listLetters({ ...page, onUnreadable });
    },
    async forget(key) {
      checkKept(lettersMs);
      if (typeof key !== 'string') {
        throw new ConfigurationError(`Expected \`deadLetters.forget(letter.key)\`, got ${nameOfType(key)}.`);
      }
      await store.forgetLetter(key);
    },
  };
}

const PAGE = 100;

function checkKept(lettersMs: number | undefined): void {
  if (lettersMs !== undefined) return;
  throw new ConfigurationError('This handler keeps no dead letters: create it with `deadLetters: true`.');
}

/** Reports records that a list has left out. */
export function reportUnreadable(report: Reporter): (count: number) => void {
  return (count) =>
    report('record_unreadable', {
      status: 500,
      fate: count === 1 ? 'There was 1 of them.' : `There were ${count} of them.`,
    });
}

/** Runs dead letters again, one after the other; see `WebhookHandler`. */
export async function replay(
  entries: readonly DeadLetter[] | undefined,
  listener: Listener,
  unlessDraining: UnlessDraining,
): Promise<readonly ReplayResult[]> {
  checkKept(listener.lettersMs);
  if (entries === undefined) return (await replayDue(listener, unlessDraining)).results;
  checkEntries(entries);
  const results: ReplayResult[] = [];
  for (const { key } of entries) results.push(...(await replayLetter(key, listener, unlessDraining)));
  return results;
}

/** How far a run of the letters that are due goes. */
export interface ReplayRun {
  /** The key of the letter after which the run begins; it goes round once. Default: from the first letter. */
  readonly after?: string | undefined;
  /** Asked before each letter: whether the run is to stop. */
  readonly isTimeUp?: (() => boolean) | undefined;
}

/** What a run of the letters that are due came to. */
export interface Replayed {
  readonly results: readonly ReplayResult[];
  /** The last letter that was looked at, if the run was stopped before it came round. */
  readonly stoppedAfter?: string | undefined;
}

/** Runs the letters that are due, and tells of those that it passes over. */
export async function replayDue(
  listener: Listener,
  unlessDraining: UnlessDraining,
  { after: start, isTimeUp = () => false }: ReplayRun = {},
): Promise<Replayed> {
  const { store, report } = listener;
  const onUnreadable = reportUnreadable(report);
  const results: ReplayResult[] = [];
  let hasWrapped = start === undefined;
  for (let after = start; ; ) {
    const page = await store.listLetters({ after, limit: PAGE, onUnreadable });
    const { now } = await store.readRecord('maintain', '');
    const isDue = (letter: DeadLetter) =>
      mayReplay(letter, listener) && (isDecidedAgain(letter, listener) || nextTryAt(letter) <= now);
    for (const letter of page) {
      if (isTimeUp()) return { results, stoppedAfter: after };
      if (isDue(letter) && !(await isAsItWas(letter, listener))) {
        results.push(...(await replayLetter(letter.key, listener, unlessDraining, isDue)));
      }
      await tellOf(letter, now, listener);
      after = letter.key;
      if (hasWrapped && after === start) return { results };
    }
    if (page.length === PAGE) continue;
    if (hasWrapped) return { results };
    hasWrapped = true;
    after = undefined;
  }
}

/** Whether a case that its order decides would come to the same: one read, because most of them wait for weeks. */
async function isAsItWas(letter: DeadLetter, listener: Listener): Promise<boolean> {
  const { orders, store } = listener;
  if (orders === undefined || !isDecidedAgain(letter, listener)) return false;
  try {
    const { notification, identity } = recognizeAgain(letter, listener);
    const cause = { origin: 'replay' as const, letter, isAsked: false };
    return await orders.isAsItWas(store, { notification, identity, cause });
  } catch {
    // Running it reports what is wrong.
    return false;
  }
}

/** @returns nothing for a letter that is not due: another process has tried it since it was listed */
async function replayLetter(
  key: string,
  listener: Listener,
  unlessDraining: UnlessDraining,
  isDue?: (letter: DeadLetter) => boolean,
): Promise<readonly ReplayResult[]> {
  const { code } = await unlessDraining(() =>
    reportingThrown(key, listener, () => replayOne(key, listener, isDue)),
  );
  if (code === NOT_DUE.code) return [];
  return [code === 'done' ? { key, status: 'done' } : { key, status: statusOf(code), code }];
}

/** Whether a letter may be tried again without being asked for, as far as its reason says. */
function mayReplay(letter: DeadLetter, listener: Listener): boolean {
  // What it did has been committed: running it would find it done, and forget that a person has to look.
  if (letter.code === TRANSACTION_ENDED.code) return false;
  // A case that is neither is for a person.
  const { orders } = listener;
  return orders === undefined || isDecidedAgain(letter, listener) || orders.endedBy(letter.code) === 'retry';
}

/** Says once of a letter that it is not tried by itself, and once that it will be deleted before the next day is over. */
async function tellOf(letter: DeadLetter, now: number, listener: Listener): Promise<void> {
  const endsAt = letter.firstFailedAt + (listener.lettersMs ?? 0);
  if (!isTrusted(letter, listener)) await tellOnce('credential', letter, endsAt, listener);
  if (endsAt - now <= DAY_MS) await tellOnce('drop', letter, endsAt, listener);
}

async function tellOnce(
  note: LetterNote,
  { key, kind }: DeadLetter,
  endsAt: number,
  { store, report }: Listener,
): Promise<void> {
  try {
    if (!(await store.noteLetter(key, note))) return;
    const code = note === 'drop' ? 'dead_letter_dropped' : 'dead_letter_credential';
    report(code, { status: 500, key, kind, fate: `It is kept until ${new Date(endsAt).toISOString()}.` });
  } catch (error) {
    report('dead_letters_failed', { status: 500, key, kind, error });
  }
}

/** Refuses anything but entries, such as the key or the selection that earlier versions took. */
function checkEntries(entries: readonly DeadLetter[]): void {
  const isEntry = (entry: Partial<DeadLetter> | null) =>
    [entry?.key, entry?.subject, entry?.state, entry?.body, entry?.url].every(
      (field) => typeof field === 'string',
    );
  if (!Array.isArray(entries) || !entries.every(isEntry)) {
    throw new ConfigurationError(
      'Expected a list of dead letters: `handler.replay(await handler.deadLetters.list({ limit: 10 }))`, or nothing for all.',
    );
  }
}

function statusOf(code: string): 'busy' | 'unhandled' | 'failed' {
  if (code === 'busy') return 'busy';
  return code === 'unhandled' || code === 'invalid_notification' ? 'unhandled' : 'failed';
}

import { ConfigurationError, InvalidNotificationError } from '../errors';
import { nameOfType } from '../shared/objects';
import { DAY_MS, inTime } from '../shared/time';
import { type DeadLetter, type LetterNote, nextTryAt } from '../stores/dead-letters';
import type { Content } from '../stores/steps';
import { readPage } from '../values/option-checks';
import { callbackFor, type Run } from './callback-for';
import type { Decision, Replay, Task } from './cause';
import { conclude } from './conclude';
import type { Identity } from './key';
import type { Listener } from './listener';
import { isRepeated, type Outcome } from './outcome';
import { meant, readJsonObject, recognize } from './recognize';
import type { Reporter } from './report';
import { runOnce } from './run-once';
import { type Comparison, comparisonOf, isStray, settled, stateRepeated } from './unexpected-repeat';

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

const UNEXPECTED_REPEAT = { code: 'unexpected_repeat', status: 200 } as const;
export const UNHANDLED = { code: 'unhandled', status: 200 } as const;
const TRANSACTION_ENDED = { code: 'transaction_ended', status: 200 } as const;
const NOT_DUE = { code: 'ignored' } as const;

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
  readonly isOver?: (() => boolean) | undefined;
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
  { after: start, isOver = () => false }: ReplayRun = {},
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
      if (isOver()) return { results, stoppedAfter: after };
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

/** Whether it came with a pair that is valid now, or the service confirms it whatever it came with. */
function isTrusted(
  { credential, kind }: Pick<DeadLetter, 'credential' | 'kind'>,
  { fingerprints, orders, confirm }: Listener,
): boolean {
  const isConfirmed = orders !== undefined && confirm !== undefined && kind === 'payment';
  return isConfirmed || fingerprints.includes(credential);
}

/** Whether it is looked at whenever there is a replay: it costs a question only once its order has changed. */
export function isDecidedAgain({ code }: DeadLetter, { orders }: Listener): boolean {
  return orders?.endedBy(code)?.startsWith('order') ?? false;
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

/** @param isDue - left out by who was asked to run it, whatever pair it came with */
export async function replayOne(
  key: string,
  listener: Listener,
  isDue?: (letter: DeadLetter) => boolean,
): Promise<Outcome> {
  // What was listed may be done by now: a delivery or another replay has forgotten it.
  const entry = await fromStore(listener.store.readLetter(key));
  if (entry === undefined) return { code: 'done', isRepeat: true };
  if (isDue?.(entry) === false) return NOT_DUE;
  if (entry.code === TRANSACTION_ENDED.code) return TRANSACTION_ENDED;
  return runLetter({ origin: 'replay', letter: entry, isAsked: isDue === undefined }, listener);
}

/** Runs a letter, or books it where a person has decided so. */
export async function runLetter(
  cause: Replay | Omit<Decision, 'isAgain'>,
  listener: Listener,
): Promise<Outcome> {
  const startedAt = performance.now();
  const { letter } = cause;
  const { notification, identity, issues, isMeant } = recognizeAgain(letter, listener);
  const isOwn = isStray(letter) && identity.subject === letter.subject;
  if (cause.origin === 'decision') {
    // What a person books under a state that is done is done under a state of its own.
    const isAgain = stateRepeated(letter) !== undefined && identity.subject === letter.subject;
    const decided = { ...cause, isAgain };
    const task = {
      notification,
      identity: isAgain || isOwn ? letter : identity,
      cause: decided,
      isMeant,
      startedAt,
    };
    return runTask(task, issues, listener);
  }
  // The one check on every way to a letter, by the kind that it is today.
  const { credential } = letter;
  if (!cause.isAsked && !isTrusted({ credential, kind: notification.kind }, listener)) return NOT_DUE;
  const task = { notification, identity: isOwn ? letter : identity, cause, isMeant, startedAt };
  return runTask(task, issues, listener);
}

async function runTask(
  task: Task & { readonly cause: Replay | Decision },
  issues: ReturnType<typeof recognizeAgain>['issues'],
  listener: Listener,
): Promise<Outcome> {
  const { letter } = task.cause;
  const own = callbackFor(task, issues, listener);
  // An entry without a callback stays, and is not reported again. Only if that is why it is kept does it count as a try:
  // another service may have its callback.
  if ('code' in own) {
    const outcome = own.code === 'ignored' ? UNHANDLED : own;
    if (letter.code === outcome.code) await conclude(task, outcome, listener);
    return outcome;
  }
  const again = task.cause.origin === 'replay' ? await decideAgain(letter, own, listener) : undefined;
  if (again?.code === NOT_DUE.code) return again;
  const comparison = comparisonWith(letter, task.notification, listener);
  const outcome = again ?? (await runAgain(letter, { ...own, comparison }, listener));
  await conclude(task, outcome, listener);
  return outcome;
}

/** Decides a case again by what its order is now, and asks nobody. Gives nothing once it may run. */
async function decideAgain(letter: DeadLetter, run: Run, listener: Listener): Promise<Outcome | undefined> {
  const { orders, store } = listener;
  if (orders === undefined || !run.isOfOrder || !isDecidedAgain(letter, listener)) return undefined;
  const found = await fromStore(orders.find(store, run, undefined));
  const { reason, details } = await fromStore(orders.plan(store, run, found, undefined));
  if (reason === undefined) return undefined;
  return reason === letter.code || reason === 'busy'
    ? NOT_DUE
    : { code: reason, status: 200, toKeep: { about: details } };
}

/** Its own definition may need query parameters that were not kept, and is then found by the kind of the entry. */
function recognizeAgain(entry: DeadLetter, listener: Listener) {
  const recognized = meant(recognizeBody(entry, listener), listener);
  if (recognized.failure !== undefined) throw recognized.failure.error;
  return recognized;
}

/** What a later delivery is compared by. Of what was settled, the first one is an ordinary repeat at any age. */
function comparisonWith(
  { body, isSettled }: DeadLetter,
  notification: Task['notification'],
  { kinds }: Listener,
): Comparison | undefined {
  const comparison = comparisonOf(notification, kinds, body);
  return isSettled ? settled(comparison) : comparison;
}

/** What a later delivery is compared by with a letter, once that is done; nothing of one that cannot be read. */
export function contentOf(letter: DeadLetter, listener: Listener): Content {
  try {
    const { notification } = recognizeAgain(letter, listener);
    return comparisonWith(letter, notification, listener)?.content ?? { fields: {} };
  } catch {
    return { fields: {} };
  }
}

function recognizeBody({ kind, body, url }: DeadLetter, { kinds }: Listener) {
  const raw = readJsonObject(body);
  const recognized = recognize(raw, { url }, kinds);
  const definition = kinds.find((each) => each.kind === kind);
  const isNone = recognized.notification.kind === 'unrecognized' && recognized.issues === undefined;
  if (definition === undefined || !isNone) return recognized;
  return recognize(raw, {}, [{ ...definition, match: () => true }]);
}

/**
 * Acts on a letter under the identity that it has today, unless it is done, or at work, under the one that it was kept
 * with.
 */
async function runAgain(letter: Identity, run: Run, listener: Listener): Promise<Outcome> {
  const { subject, state } = letter;
  if (subject === run.identity.subject && state === run.identity.state) return runOnce(run, listener);
  const repeated = stateRepeated(letter);
  // That was done when the letter was kept, also if its record has expired since.
  if (subject === run.identity.subject && repeated === run.identity.state) return UNEXPECTED_REPEAT;
  try {
    const own = await inTime(listener.store.look(subject, state), listener.storeTimeoutMs);
    if (own === 'done') return { code: 'done', isRepeat: true };
    if (own === 'busy') return { code: 'busy', status: 503 };
  } catch (error) {
    return { code: 'store_failed', status: 503, error };
  }
  const outcome = await runOnce(run, listener);
  if (repeated === undefined || !isRepeated(outcome)) return outcome;
  // What it would be under this identity is done: it is still not told apart from that.
  return UNEXPECTED_REPEAT;
}

/** What the store has thrown, to be told from what a merchant's own functions throw. */
class StoreFailure extends Error {
  constructor(override readonly cause: unknown) {
    super();
  }
}

function fromStore<Result>(step: Promise<Result>): Promise<Result> {
  return step.catch((error: unknown) => {
    throw new StoreFailure(error);
  });
}

/** Reports what is thrown, such as by a `match` of an own kind, so that the other entries are run. */
export async function reportingThrown(
  key: string,
  { report }: Listener,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreFailure) {
      report('store_failed', { status: 503, key, error: error.cause, fate: 'It stays, and is run again.' });
      return { code: 'store_failed', status: 503 };
    }
    const code = error instanceof InvalidNotificationError ? 'invalid_body' : 'internal';
    report(code, { status: 500, key, error });
    return { code, status: 500 };
  }
}

function statusOf(code: string): 'busy' | 'unhandled' | 'failed' {
  if (code === 'busy') return 'busy';
  return code === 'unhandled' || code === 'invalid_notification' ? 'unhandled' : 'failed';
}

import { ConfigurationError, InvalidNotificationError } from '../errors';
import { nameOfType } from '../shared/objects';
import { DAY_MS } from '../shared/time';
import { type DeadLetter, type LetterEnd, type LetterNote, nextTryAt } from '../stores/dead-letters';
import { readPage } from '../values/option-checks';
import type { Identity } from './key';
import type { Booking } from './order-link';
import { conclude, type Ended, keeping, type Listener, meant } from './receive';
import { readJsonObject, recognize } from './recognize';
import type { Reporter } from './report';
import { type CallbackRun, callbackFor, type RunResult, runOnce } from './run-once';
import { comparisonOf, stateRepeated } from './unexpected-repeat';

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
export type UnlessDraining = (work: () => Promise<RunResult>) => Promise<RunResult>;

/** A replay and a settlement answer no request, so no credentials came with them. */
export const NO_CREDENTIALS = -1;

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
  if (entries === undefined) return replayDue(listener, unlessDraining);
  checkEntries(entries);
  const results: ReplayResult[] = [];
  for (const { key } of entries) results.push(...(await replayLetter(key, listener, unlessDraining)));
  return results;
}

/**
 * Runs the letters that are due, and tells of those that it passes over.
 *
 * @param signal - ends the run before the next letter
 */
export async function replayDue(
  listener: Listener,
  unlessDraining: UnlessDraining,
  signal?: AbortSignal,
): Promise<readonly ReplayResult[]> {
  const { store, report } = listener;
  const onUnreadable = reportUnreadable(report);
  const results: ReplayResult[] = [];
  const onEnded = (end: LetterEnd) => void ended.push(end);
  const ended: LetterEnd[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.listLetters({ after, limit: PAGE, onUnreadable, onEnded });
    const { now } = await store.readRecord('maintain', '');
    const isDue = (letter: DeadLetter) =>
      mayReplay(letter, listener) && (isDecidedAgain(letter, listener) || nextTryAt(letter) <= now);
    for (const letter of page) {
      if (signal?.aborted) return results;
      if (isDue(letter)) results.push(...(await replayLetter(letter.key, listener, unlessDraining, isDue)));
      await tellOf(letter, now, listener);
      await remark(letter, listener);
    }
    for (const end of ended.splice(0)) await tellOnce('drop', end, listener, 'was');
    if (page.length < PAGE) return results;
    after = page.at(-1)?.key;
  }
}

/** @returns nothing for a letter that is not due: another process has tried it since it was listed */
async function replayLetter(
  key: string,
  listener: Listener,
  unlessDraining: UnlessDraining,
  isDue = (_: DeadLetter) => true,
): Promise<readonly ReplayResult[]> {
  const { code } = await unlessDraining(() =>
    reportingThrown(key, listener, () => replayOne(key, listener, isDue)),
  );
  if (code === NOT_DUE.code) return [];
  return [code === 'done' ? { key, status: 'done' } : { key, status: statusOf(code), code }];
}

/** Whether a letter may be tried again without being asked for. */
function mayReplay(letter: DeadLetter, listener: Listener): boolean {
  // What it did has been committed: running it would find it done, and forget that a person has to look.
  if (letter.code === TRANSACTION_ENDED.code || !isTrusted(letter, listener)) return false;
  // A case that is neither is for a person.
  const { orders } = listener;
  return orders === undefined || isDecidedAgain(letter, listener) || orders.endedBy(letter.code) === 'retry';
}

/** Whether it came with a pair that is valid now, or the service confirms it whatever it came with. */
function isTrusted({ credential, kind }: DeadLetter, { fingerprints, orders, confirm }: Listener): boolean {
  const isConfirmed = orders !== undefined && confirm !== undefined && kind === 'payment';
  return isConfirmed || fingerprints.includes(credential);
}

/** Whether it is looked at whenever there is a replay: it costs a question only once its order has changed. */
function isDecidedAgain({ code }: DeadLetter, { orders }: Listener): boolean {
  return orders?.endedBy(code)?.startsWith('order') ?? false;
}

/** A letter whose mark is missing in its order gets one, as after a crash between the two. */
async function remark({ key, subject, state, code, about }: DeadLetter, listener: Listener): Promise<void> {
  const { store, orders, leaseMs, storeTimeoutMs, report } = listener;
  if (orders === undefined || about?.order === undefined) return;
  const entry = { id: key, reason: code, details: about };
  try {
    if (await orders.isMarked(store, entry)) return;
    // While nobody else can end it.
    const claim = await store.claim(subject, state, { leaseMs, withinMs: storeTimeoutMs });
    if (claim.status !== 'claimed') return;
    if ((await store.readLetter(key)) !== undefined) await orders.mark(store, entry, false);
    await store.release(claim);
  } catch (error) {
    report('dead_letters_failed', { status: 500, key, error });
  }
}

/** Says once of a letter that it is not tried by itself, and once that it will be deleted before the next day is over. */
async function tellOf(letter: DeadLetter, now: number, listener: Listener): Promise<void> {
  const end = { ...letter, at: letter.firstFailedAt + (listener.lettersMs ?? 0) };
  if (!isTrusted(letter, listener)) await tellOnce('credential', end, listener);
  if (end.at - now <= DAY_MS) await tellOnce('drop', end, listener);
}

async function tellOnce(
  note: LetterNote,
  { key, kind, at }: LetterEnd,
  listener: Listener,
  is: 'is' | 'was' = 'is',
): Promise<void> {
  const { store, report } = listener;
  try {
    if (!(await store.noteLetter(key, note))) return;
    const code = note === 'drop' ? 'dead_letter_dropped' : 'dead_letter_credential';
    report(code, { status: 500, key, kind, fate: `It ${is} kept until ${new Date(at).toISOString()}.` });
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

export async function replayOne(
  key: string,
  listener: Listener,
  isDue: (letter: DeadLetter) => boolean,
): Promise<RunResult> {
  // What was listed may be done by now: a delivery or another replay has forgotten it.
  const entry = await listener.store.readLetter(key);
  if (entry === undefined) return { code: 'done', isRepeat: true };
  if (!isDue(entry)) return NOT_DUE;
  if (entry.code === TRANSACTION_ENDED.code) return TRANSACTION_ENDED;
  return runLetter(entry, listener);
}

/**
 * Runs a letter.
 *
 * @param booking - a person has decided that it is booked, whatever its order says
 */
export async function runLetter(
  entry: DeadLetter,
  listener: Listener,
  booking?: Booking | undefined,
): Promise<RunResult> {
  const startedAt = performance.now();
  const { key, subject, state, body, firstFailedAt: since, about: known = {} } = entry;
  const recognized = recognizeAgain(entry, listener);
  const identity = { key, subject, state };
  const { notification } = recognized;
  const keptCode = booking && entry.code;
  const begun = { notification, identity, origin: 'replay', startedAt, keptCode } as const;
  const isRepeat = stateRepeated(identity) !== undefined && recognized.identity.subject === subject;
  const isAgain = booking !== undefined && isRepeat;
  const own = callbackFor(recognized, NO_CREDENTIALS, listener, { since, known, booking, isAgain });
  // An entry without a callback stays, and is not reported again. Only if that is why it is kept does it count as a try:
  // another service may have its callback.
  if ('code' in own) {
    const result = own.code === 'ignored' ? UNHANDLED : own;
    if (entry.code === result.code) await conclude({ ...begun, result }, listener);
    return result;
  }
  if (booking === undefined && isDecidedAgain(entry, listener)) {
    const result = await decideAgain(entry, own, begun, listener);
    if (result !== undefined) return result;
  }
  const comparison = comparisonOf(notification, listener.kinds, body);
  const isByPerson = booking !== undefined;
  const run = keeping({ ...own, comparison, isReplay: true, isByPerson }, begun, listener);
  // What a person books under a state that is done is done under a state of its own.
  const result = isAgain
    ? await runOnce({ ...run, identity, order: run.order && { ...run.order, identity } }, listener)
    : await runAgain(identity, run, listener);
  await conclude({ ...begun, result }, listener);
  return result;
}

/** Decides a case again by what its order is now, and asks nobody. Gives nothing once it may run. */
async function decideAgain(
  { code }: DeadLetter,
  { order }: CallbackRun,
  begun: Omit<Ended, 'result'>,
  listener: Listener,
): Promise<RunResult | undefined> {
  const { orders, store } = listener;
  if (orders === undefined || order === undefined) return undefined;
  const found = await orders.find(store, order, undefined);
  const { reason, details } = await orders.decide(store, order, found, undefined);
  if (reason === undefined) return undefined;
  if (reason === code) return NOT_DUE;
  const result = { code: reason, status: 200, details };
  await conclude({ ...begun, result }, listener);
  return result;
}

/** Its own definition may need query parameters that were not kept, and is then found by the kind of the entry. */
function recognizeAgain(entry: DeadLetter, listener: Listener) {
  const recognized = meant(recognizeBody(entry, listener), listener);
  if (recognized.failure !== undefined) throw recognized.failure.error;
  return recognized;
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
 * Acts on a dead letter under the identity that it has today, unless it is done under the one that it was kept with.
 * That is looked up first, by a claim that is given back, so that no two subjects are claimed at once.
 */
async function runAgain(own: Identity, run: CallbackRun, listener: Listener): ReturnType<typeof runOnce> {
  const repeated = stateRepeated(own);
  // That was done when the letter was kept, also if its record has expired since.
  if (own.subject === run.identity.subject && repeated === run.identity.state) return UNEXPECTED_REPEAT;
  if (own.subject !== run.identity.subject || own.state !== run.identity.state) {
    const callback = () => {
      throw new Error('It is not done.');
    };
    const found = await runOnce(
      { ...run, identity: own, callback, confirm: undefined, order: undefined },
      listener,
    );
    const isUndone = found.code === 'callback_failed' || found.code === 'too_many_states';
    if (!isUndone) return found;
  }
  const result = await runOnce(run, listener);
  if (repeated === undefined || !('isRepeat' in result && result.isRepeat)) return result;
  // What it would be under this identity is done: it is still not told apart from that.
  return UNEXPECTED_REPEAT;
}

/** Reports what is thrown, such as by a `match` of an own kind, so that the other entries are run. */
export async function reportingThrown(
  key: string,
  { report }: Listener,
  work: () => Promise<RunResult>,
): Promise<RunResult> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof InvalidNotificationError ? 'invalid_body' : 'internal';
    report(code, { status: 500, key, error });
    return { code, status: 500 };
  }
}

function statusOf(code: string): 'busy' | 'unhandled' | 'failed' {
  if (code === 'busy') return 'busy';
  return code === 'unhandled' || code === 'invalid_notification' ? 'unhandled' : 'failed';
}

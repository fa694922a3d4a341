import { InvalidNotificationError } from '../errors/listener-errors';
import { inTime } from '../shared/time';
import type { DeadLetter } from '../stores/dead-letters';
import type { Content } from '../stores/steps';
import { callbackFor, type Run } from './callback-for';
import type { Decision, Replay, Task } from './cause';
import { conclude } from './conclude';
import { BUSY, storeFailed } from './failures';
import type { Identity } from './key';
import type { Listener } from './listener';
import { isRepeated, type Outcome } from './outcome';
import { type Meant, readJsonObject, recognize } from './recognize';
import { runOnce } from './run-once';
import { type Comparison, comparisonOf, isStray, settled, stateRepeated } from './unexpected-repeat';

const UNEXPECTED_REPEAT = { code: 'unexpected_repeat', status: 200 } as const;
export const UNHANDLED = { code: 'unhandled', status: 200 } as const;
export const TRANSACTION_ENDED = { code: 'transaction_ended', status: 200 } as const;
export const NOT_DUE = { code: 'ignored' } as const;

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
  const isSame = identity.subject === letter.subject;
  // What a person books under a state that is done is done under a state of its own.
  const isAgain = cause.origin === 'decision' && isSame && stateRepeated(letter) !== undefined;
  const own = isAgain || (isSame && isStray(letter)) ? letter : identity;
  if (cause.origin === 'decision') {
    const decided = { ...cause, isAgain };
    return runTask({ notification, identity: own, cause: decided, isMeant, startedAt }, issues, listener);
  }
  // The one check on every way to a letter, by the kind that it is today.
  const { credential } = letter;
  if (!cause.isAsked && !isTrusted({ credential, kind: notification.kind }, listener)) return NOT_DUE;
  return runTask({ notification, identity: own, cause, isMeant, startedAt }, issues, listener);
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
export function recognizeAgain(entry: DeadLetter, listener: Listener) {
  const read = recognizeBody(entry, listener);
  const recognized = listener.orders?.meant(read) ?? read;
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

function recognizeBody({ kind, body, url }: DeadLetter, { kinds }: Listener): Meant {
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
    if (own === 'busy') return BUSY;
  } catch (error) {
    return storeFailed(error);
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

/** Whether it came with a pair that is valid now, or the service confirms it whatever it came with. */
export function isTrusted(
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

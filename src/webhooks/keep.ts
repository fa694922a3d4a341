import { documentedKinds } from '../service/notifications';
import { isBytes, utf8 } from '../shared/bytes';
import { HOUR_MS, inTime } from '../shared/time';
import type { DeadLetter, LetterFailure, NewDeadLetter } from '../stores/dead-letters';
import type { SubjectRecord } from '../stores/record';
import type { SingleRecords } from '../stores/steps';
import { type Cause, letterIdentity, type Received, type Task } from './cause';
import type { Identity } from './key';
import type { Listener } from './listener';
import type { EndedBy, OrderLink } from './order-link';
import type { Failure, Kept } from './outcome';
import { readQuery } from './recognize';
import type { WebhookReportDetails } from './report';
import type { WebhookReportCode } from './report-texts';
import { repeatIdentity } from './unexpected-repeat';

// What is not done is kept as a letter, and forgotten once it is done. With `createOrders`, its order is told of it.

/** The failures that say nothing of the money: the service does not confirm it, or cannot be asked. */
export const UNCONFIRMED: ReadonlySet<string> = /* @__PURE__ */ new Set(['not_confirmed', 'confirm_failed']);

/** The failures of a listener that are kept, and what ends each. What is not kept needs no more than the next delivery. */
export const KEPT: ReadonlyMap<string, Extract<EndedBy, 'person' | 'retry'>> = /* @__PURE__ */ new Map([
  ['unhandled', 'person'],
  ['invalid_notification', 'person'],
  ['callback_failed', 'retry'],
  ['callback_timeout', 'retry'],
  ['nothing_written', 'retry'],
  ['transaction_ended', 'person'],
  ['not_confirmed', 'retry'],
  ['confirm_failed', 'retry'],
  ['store_failed', 'retry'],
  ['lease_lost', 'retry'],
  ['unexpected_repeat', 'person'],
  ['too_many_states', 'person'],
] satisfies [WebhookReportCode, EndedBy][]);

/**
 * Whether a failure is kept. What is busy, or was never begun because the store failed, needs no more than the next
 * delivery. A failure of the store after the callback has begun (500) may be the callback's own: an SQL error that it
 * swallowed, or a constraint that fails at the commit.
 */
function isKept({ code, status }: Failure, orders: OrderLink | undefined): boolean {
  const isOne = KEPT.has(code) || orders?.endedBy(code) !== undefined;
  return isOne && (code !== 'store_failed' || status === 500);
}

/**
 * Keeps what is not done, in the given records: those of a transaction, or those of the store while the subject is held
 * or after it was given back.
 */
export async function keepIn(
  records: SingleRecords,
  task: Task,
  failure: Failure,
  listener: Listener,
): Promise<Kept> {
  const { lettersMs, orders } = listener;
  const { code, toKeep: { about, as, bodyHash } = {} } = failure;
  if (lettersMs === undefined || !isKept(failure, orders)) return 'none';
  const own =
    bodyHash === undefined
      ? (as ?? letterIdentity(task))
      : await identityOfRepeat(records, task.identity, bodyHash);
  if (own === undefined) return 'unchanged';
  // Its order first: it must show no QR code while its own money is a case, and a letter that is missing is made again.
  // What a person has decided changes nothing of the case until it is done.
  if (orders !== undefined && about !== undefined && task.cause.origin !== 'decision') {
    await orders.note(records, { key: own.key, reason: code, details: about }, failure.late !== undefined);
  }
  return writeLetter(records, task, own, failure, lettersMs);
}

/**
 * Keeps what is not done in the store, within its time: under a lease, while that is held. Reports what it throws, and never
 * rejects.
 */
export async function keep(task: Task, failure: Failure, listener: Listener): Promise<Kept> {
  const status = failure.status === 200 ? 503 : failure.status;
  const kept = await onLetters({ ...toldOf(task), status }, listener, () =>
    keepIn(listener.store, task, failure, listener),
  );
  return kept ?? 'failed';
}

/**
 * Keeps what is not done once its subject was given back, as after a transaction that was rolled back: another process may
 * have done it meanwhile, and then it is no case. Never rejects.
 */
export async function keepAfter(task: Task, failure: Failure, listener: Listener): Promise<Kept> {
  const { store, orders } = listener;
  const { subject, state } = task.identity;
  const kept = await keep(task, failure, listener);
  const { as, bodyHash } = failure.toKeep ?? {};
  const isIts = kept === 'kept' && orders !== undefined && as === undefined && bodyHash === undefined;
  if (isIts && task.cause.origin === 'delivery' && failure.code !== 'transaction_ended') {
    await onLetters({ ...toldOf(task), status: failure.status }, listener, async () => {
      if ((await store.look(subject, state)) === 'done') await forget(task, listener);
    });
  }
  return kept;
}

async function writeLetter(
  records: SingleRecords,
  { notification: { kind }, cause }: Task,
  own: Identity,
  failure: Failure,
  lettersMs: number,
): Promise<Kept> {
  if (cause.origin === 'settlement' || UNCONFIRMED.has(failure.code)) {
    const before = await records.readLetter(own.key);
    // What the service has confirmed stays what it was, whatever is told of it after that.
    if (before?.about?.isOwn && UNCONFIRMED.has(failure.code) && cause.origin === 'delivery') {
      const isSame = before.body === textOf(cause.received.body);
      const failed = { ...letterFailure(failure), about: before.about };
      await records.failLetter(own.key, isSame ? failed : { ...failed, code: before.code });
      return isSame && before.code !== failure.code ? 'kept' : 'unchanged';
    }
    // What is settled replaces what was told, and was not confirmed.
    if (before !== undefined && cause.origin === 'settlement' && !UNCONFIRMED.has(failure.code)) {
      await records.keepLetter(letterOf(own, kind, cause, failure), lettersMs);
      return before.code === failure.code ? 'unchanged' : 'kept';
    }
  }
  if (cause.origin !== 'delivery') {
    // What fails in a person's hands stays the case that it was.
    const { code } = cause.origin === 'decision' ? cause.letter : failure;
    const failed = code === failure.code ? letterFailure(failure) : { code };
    const codeBefore = await records.failLetter(own.key, failed);
    if (codeBefore !== undefined) return codeBefore === failure.code ? 'unchanged' : 'kept';
  }
  if (!('received' in cause)) return 'kept';
  await records.keepLetter(letterOf(own, kind, cause, failure), lettersMs);
  return 'kept';
}

/** Forgets the letter of what is done. */
export async function forget(task: Task, listener: Listener): Promise<void> {
  const { orders, store } = listener;
  const { cause, notification } = task;
  // An equal body without an identity may come on purpose, months later: its letter is another event's.
  const isRecent = notification.kind === 'unrecognized' && cause.origin === 'delivery';
  const { key, state } = letterIdentity(task);
  // Another body of the same repeat may have come meanwhile.
  const isIts = (letter: DeadLetter, now: number) =>
    letter.state === state && (!isRecent || now - letter.lastFailedAt <= HOUR_MS);
  await onLetters({ ...toldOf(task), status: 200 }, listener, async () => {
    const letter = await store.readLetter(key);
    if (letter === undefined || letter.code === 'transaction_ended') return;
    // Its order first, as when it is kept: the letter is what a person finds it by.
    if (letter.about !== undefined) await orders?.end(store, { key, details: letter.about });
    await store.forgetLetter(key, isIts);
  });
}

function toldOf(task: Task): Pick<WebhookReportDetails, 'kind' | 'key'> {
  return { kind: task.notification.kind, key: letterIdentity(task).key };
}

/** Does something to letters within the store's time, and reports a failure. Never rejects. */
async function onLetters<Result>(
  details: Pick<WebhookReportDetails, 'kind' | 'key' | 'status'>,
  { storeTimeoutMs, report }: Listener,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await inTime(work(), storeTimeoutMs);
  } catch (error) {
    report('dead_letters_failed', { ...details, error });
    return undefined;
  }
}

/**
 * What the letter of an unexpected repeat is kept under: one a subject, which holds the newest body. Its state is a body's
 * of today, so that a person's decision ends that one alone. Gives nothing if a person has decided about it today.
 */
async function identityOfRepeat(
  records: SingleRecords,
  identity: Identity,
  bodyHash: string,
): Promise<Identity | undefined> {
  const { value, now } = await records.readRecord<SubjectRecord>('seen:', identity.subject);
  const ending = `~${bodyHash}~${new Date(now).toISOString().slice(0, 10)}`;
  const isDecided = value?.done.some(({ state }) => state.endsWith(ending)) ?? false;
  return isDecided ? undefined : repeatIdentity(identity, ending);
}

/** The letter of a failure. */
function letterOf(
  { key, subject, state }: Identity,
  kind: string,
  { origin, received: { body, url, credential } }: Extract<Cause, { readonly received: Received }>,
  failure: Failure,
): NewDeadLetter {
  const entry = { key, subject, state, kind, body: textOf(body), url: flagsOf(url), credential };
  const hasStates = failure.code === 'sale_status' && { hasStates: true };
  const isRepeat = failure.toKeep?.bodyHash !== undefined && { isRepeat: true };
  const isSettled = origin === 'settlement' && { isSettled: true };
  return { ...entry, ...letterFailure(failure), ...hasStates, ...isRepeat, ...isSettled };
}

/** What a letter says of a failure. */
function letterFailure({ code, error, toKeep: { about, note } = {} }: Failure): LetterFailure {
  return {
    code,
    ...(error !== undefined && { errorName: nameOf(error) }),
    ...(about !== undefined && { about }),
    ...(note !== undefined && { note }),
  };
}

const FLAGS: readonly unknown[] = documentedKinds.map(({ flag }) => flag);

/** Drops all else of a URL: its path and the query parameters that are the merchant's own may be secrets. */
function flagsOf(url: string): string {
  const flags = [...readQuery({ url })].filter(([name, value]) =>
    FLAGS.includes(name === 'type' ? value : value === 'true' && name),
  );
  return flags.length === 0 ? '' : `?${new URLSearchParams(flags)}`;
}

/** Returns the body as received, or, if a parser has read it before the handler, as JSON. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (isBytes(body)) return utf8.decode(body);
  // The merchant's parser may read large numbers as BigInt, which JSON.stringify refuses.
  return JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** Never the message, which may quote personal data. */
function nameOf(error: unknown): string {
  const { name }: { readonly name?: unknown } = Object(error);
  return (typeof name === 'string' && name !== '' ? name : typeof error).slice(0, 100);
}

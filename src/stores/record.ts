import { StoreError } from '../errors/store-error';
import { isDocumentedState } from '../service/states';
import { sha256Of } from '../shared/hash';
import { MINUTE_MS } from '../shared/time';
import type { Content, Dismissed, Done, KeyPrefix } from './steps';

// Every decision of every store: pure functions over one record. All times are milliseconds since 1970, by the
// database's clock.

/** What a store keeps of a subject. */
export interface SubjectRecord {
  readonly lease?: Lease | undefined;
  /** Oldest first. */
  readonly done: readonly DoneState[];
  /** When all its states are over: none is forgotten before the others. Missing while there is none. */
  readonly until?: number | undefined;
}

interface Lease {
  /** The token of the claim that has it. */
  readonly token: string;
  readonly until: number;
  /** How long it was meant to last, to recognize a clock that was set back. */
  readonly ms: number;
}

interface DoneState {
  readonly state: string;
  /** The token of the claim that completed it. */
  readonly token: string;
  /** The time of its claim. */
  readonly at: number;
  readonly content?: Content | undefined;
}

export const NO_RECORD: SubjectRecord = { done: [] };

/**
 * How many states a subject may have beside the documented ones, so that a flood of states never fills a store. None is
 * ever forgotten for another: a captured notification of a state that made room would run again.
 */
export const MAX_OTHER_STATES = 64;

/** What `decideClaim` found. `next` is to be written; it is missing where the claim is in the record already. */
export type ClaimDecision =
  | ({ readonly status: 'done'; readonly handledStates: readonly string[] } & Done)
  | { readonly status: 'busy' }
  /** It would be one state too many of its subject. */
  | { readonly status: 'full' }
  | {
      readonly status: 'claimed';
      readonly handledStates: readonly string[];
      /** Set if the state was dismissed, and that does not count. */
      readonly dismissed?: Done | undefined;
      readonly next?: SubjectRecord | undefined;
    };

/** Decides a claim: done before busy, and a lease that is over does not count. */
export function decideClaim(
  record: SubjectRecord,
  claim: {
    readonly state: string;
    readonly token: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly isByPerson?: boolean | undefined;
    readonly over?: readonly Dismissed[] | undefined;
  },
): ClaimDecision {
  const { token, now, leaseMs, isByPerson = false, over = [] } = claim;
  const { lease, ...live } = withoutExpired(record, now);
  const { done } = live;
  const state = keptState(claim.state);
  const before = done.find((entry) => entry.state === state);
  const how = before?.content?.dismissed;
  const isOverruled = how !== undefined && over.includes(how);
  const handledStates = done
    .filter((entry) => !(isOverruled && entry === before))
    .map((entry) => entry.state);
  const dismissed = isOverruled && before ? { at: before.at, now, content: before.content } : undefined;
  const claimed = { status: 'claimed', handledStates, ...(dismissed && { dismissed }) } as const;
  // This claim's own write whose reply was lost, or that the driver sent twice.
  if (record.lease?.token === token) return claimed;
  if (before !== undefined && !isOverruled) {
    return { status: 'done', handledStates, at: before.at, now, content: before.content };
  }
  if (lease !== undefined) return { status: 'busy' };
  const isOther = !isDocumentedState(state) && !isByPerson;
  if (isOther && countOthers(done) >= MAX_OTHER_STATES) return { status: 'full' };
  return { ...claimed, next: { ...live, lease: { token, until: now + leaseMs, ms: leaseMs } } };
}

function countOthers(done: readonly DoneState[]): number {
  return done.filter(({ state }) => !isDocumentedState(state)).length;
}

/**
 * Decides a completion. The record still has the claim's token: nobody came between, so the state is recorded even
 * where the lease is over. `next` is to be written; it is missing where there is nothing to write.
 */
export function decideComplete(
  record: SubjectRecord,
  claim: {
    readonly state: string;
    readonly token: string;
    readonly now: number;
    readonly retentionMs: number;
    readonly content?: Content | undefined;
  },
): { readonly completed: boolean; readonly next?: SubjectRecord } {
  const { token, now, retentionMs, content } = claim;
  const state = keptState(claim.state);
  const { lease: _lease, ...live } = withoutExpired(record, now);
  const { done, until = 0 } = live;
  if (record.lease?.token !== token) {
    return { completed: done.some((entry) => entry.token === token && entry.state === state) };
  }
  const entry = { state, token, at: now, content };
  // A dismissal that the claim was over.
  const others = done.filter((each) => each.state !== state);
  return {
    completed: true,
    next: { ...live, done: [...others, entry], until: Math.max(until, now + retentionMs) },
  };
}

/** Decides a release. `next` is missing where the claim has no lease to give up. */
export function decideRelease(
  record: SubjectRecord,
  { token, now }: { readonly token: string; readonly now: number },
): { readonly next?: SubjectRecord } {
  if (record.lease?.token !== token) return {};
  const { lease: _lease, ...live } = withoutExpired(record, now);
  return { next: live };
}

/**
 * Decides what becomes of the first delivery of a state that was settled: from now on, the state has its content, and
 * its age counts from it. `next` is missing where the state is not done, or was delivered before.
 */
export function decideDelivered(
  record: SubjectRecord,
  delivery: { readonly state: string; readonly now: number; readonly content: Content },
): { readonly next?: SubjectRecord } {
  const { now, content } = delivery;
  const state = keptState(delivery.state);
  const live = withoutExpired(record, now);
  const settled = live.done.find((entry) => entry.state === state && entry.content?.isSettled === true);
  if (settled === undefined) return {};
  // What the settlement knew of the money and the delivery does not say is still compared.
  const fields = { ...settled.content?.fields, ...content.fields };
  const delivered = { ...settled, at: now, content: { ...content, fields } };
  return { next: { ...live, done: live.done.map((entry) => (entry === settled ? delivered : entry)) } };
}

/**
 * The version of the next write, which is also the fence. It starts at the clock and only grows, so that a record that
 * was deleted and made again never repeats one.
 */
export function nextVersion(version: number, now: number): number {
  return Math.max(version + 1, now);
}

/** When a subject's lease and all its states are over. */
export function endOf({ lease, until = 0 }: SubjectRecord): number {
  return Math.max(lease?.until ?? 0, until);
}

/** When a record may be deleted: what it says is over, and the clock is past its version. */
export function expiryOf(until: number, version: number): number {
  return Math.max(version + 1, until);
}

/** Whether another claim is at work. */
export function isLeased(record: SubjectRecord, now: number): boolean {
  return withoutExpired(record, now).lease !== undefined;
}

function withoutExpired(record: SubjectRecord, now: number): SubjectRecord {
  const { lease, until = 0, ...rest } = record;
  const isLeased = lease !== undefined && isLive(lease, now);
  const live = until > now ? { ...rest, until } : NO_RECORD;
  return isLeased ? { ...live, lease } : live;
}

/**
 * A lease that would last a minute longer than it was meant to was taken before the clock was set back, and its owner is
 * presumed dead. The minute is for a clock that is set back by seconds, which must end no lease whose owner is alive.
 */
function isLive({ until, ms }: Lease, now: number): boolean {
  return until > now && until - now <= ms + MINUTE_MS;
}

/** A record has another format. */
export class UnreadableRecordError extends StoreError {}

/** Processes of two releases may share a record, so it says which form it has. */
const FORMAT = 2;

/**
 * Returns a record as ASCII text, which no database's encoding can change.
 *
 * @param token - new for each write, so that a write whose reply was lost is found by reading
 */
export function recordToText(record: object, token: string): string {
  return JSON.stringify({ format: FORMAT, token, ...record }).replace(
    /[^\x20-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Reads a record; `undefined` and `null` mean that there is none.
 *
 * @throws `StoreError` for a text of another format
 */
export function recordFromText<Value extends object>(
  text: string | null | undefined,
): (Value & { readonly token: string }) | undefined {
  if (text === undefined || text === null) return undefined;
  let record: (Value & { readonly format?: unknown; readonly token: string }) | null;
  try {
    record = JSON.parse(text);
  } catch {
    record = null;
  }
  if (record?.format === FORMAT && typeof record.token === 'string') return record;
  // What `JSON.stringify` gives never begins like this.
  if (text.startsWith('{\\"')) {
    throw new UnreadableRecordError(
      'A record of the store has a backslash before each quote: the driver escapes values by itself, as `query` of mysql2 ' +
        "does, and the session's sql_mode has NO_BACKSLASH_ESCAPES, which takes that literally. Send values apart from the " +
        'statement (`execute` of mysql2), or take NO_BACKSLASH_ESCAPES out of sql_mode; then delete the record.',
    );
  }
  throw new UnreadableRecordError(
    `A record of the store has ${nameOfFormat(record?.format)}; this release reads format ${FORMAT}.`,
  );
}

/** The format of a record that cannot be read, and who may have written it. */
function nameOfFormat(format: unknown): string {
  if (typeof format !== 'number' || format === FORMAT)
    return 'no format: something else writes to the records';
  return format > FORMAT
    ? `format ${format}: a newer release of pix-automatic-sdk wrote it, so update this process too`
    : `format ${format}: an earlier release of pix-automatic-sdk wrote it, so take a new table or \`namespace\``;
}

const HASHED = 'sha256:';
const MAX_STATE_LENGTH = 512;

/** What any database can hold as a key, unchanged. */
const PLAIN_KEY = /^[\x21-\x7e]{1,512}$/;

/** The kinds of record that are ever listed. */
export const LISTED = /^[\w.-]+\/(?:letter|order|open):/;

/**
 * Returns the key of a record: at most 512 characters of ASCII. The slash ends the namespace, so that no namespace is
 * the beginning of another one. An id that is too long, or that some database could change, is kept as its hash.
 */
export function keyOf(namespace: string, prefix: KeyPrefix, id: string): string {
  const place = `${namespace}/${prefix}`;
  const needsId = prefix.endsWith(':');
  const isPlain = PLAIN_KEY.test(place + id) && !(needsId && id === '') && !id.startsWith(HASHED);
  return isPlain ? place + id : place + hashed(id);
}

/** Returns the state as it is kept, and as `handledStates` has it: a long one as its hash. */
function keptState(state: string): string {
  return state.length <= MAX_STATE_LENGTH && !state.startsWith(HASHED) ? state : hashed(state);
}

/** Different texts have different hashes. */
function hashed(text: string): string {
  // JSON escapes unpaired surrogates; encoded as UTF-8, they would all become U+FFFD.
  return HASHED + sha256Of(JSON.stringify(text));
}

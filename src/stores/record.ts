import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { StoreError } from '../errors';
import type { Content, Done, KeyPrefix } from './steps';

// Every decision of every store: pure functions over one record. All times are milliseconds since 1970, by the
// database's clock.

/** What a store keeps of a subject. */
export interface SubjectRecord {
  readonly lease?: Lease | undefined;
  /** Oldest first. */
  readonly done: readonly DoneState[];
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
  readonly until: number;
  readonly content?: Content | undefined;
}

export const NO_RECORD: SubjectRecord = { done: [] };

/** How many states of a subject are remembered, the newest ones, so that a flood of states never fills a store. */
export const MAX_STATES = 64;

/** What `decideClaim` found. `next` is to be written; it is missing where the claim is in the record already. */
export type ClaimDecision =
  | ({ readonly status: 'done'; readonly handledStates: readonly string[] } & Done)
  | { readonly status: 'busy' }
  | {
      readonly status: 'claimed';
      readonly handledStates: readonly string[];
      readonly next?: SubjectRecord | undefined;
    };

/** Decides a claim: done before busy, and a lease that is over does not count. */
export function decideClaim(
  record: SubjectRecord,
  claim: { readonly state: string; readonly token: string; readonly now: number; readonly leaseMs: number },
): ClaimDecision {
  const { token, now, leaseMs } = claim;
  const { lease, done } = withoutExpired(record, now);
  const handledStates = done.map(({ state }) => state);
  // This claim's own write whose reply was lost, or that the driver sent twice.
  if (record.lease?.token === token) return { status: 'claimed', handledStates };
  const state = keptState(claim.state);
  const before = done.find((entry) => entry.state === state);
  if (before !== undefined) {
    return { status: 'done', handledStates, at: before.at, now, content: before.content };
  }
  if (lease !== undefined) return { status: 'busy' };
  return {
    status: 'claimed',
    handledStates,
    next: { lease: { token, until: now + leaseMs, ms: leaseMs }, done },
  };
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
  const { done } = withoutExpired(record, now);
  if (record.lease?.token !== token) {
    return { completed: done.some((entry) => entry.token === token && entry.state === state) };
  }
  const entry = { state, token, at: now, until: now + retentionMs, content };
  return { completed: true, next: { done: [...done, entry].slice(-MAX_STATES) } };
}

/** Decides a release. `next` is missing where the claim has no lease to give up. */
export function decideRelease(
  record: SubjectRecord,
  { token, now }: { readonly token: string; readonly now: number },
): { readonly next?: SubjectRecord } {
  if (record.lease?.token !== token) return {};
  return { next: { done: withoutExpired(record, now).done } };
}

/**
 * The version of the next write, which is also the fence. It starts at the clock and only grows, so that a record that
 * was deleted and made again never repeats one.
 */
export function nextVersion(version: number, now: number): number {
  return Math.max(version + 1, now);
}

/** When a subject's lease and all its states are over. */
export function endOf({ lease, done }: SubjectRecord): number {
  return Math.max(lease?.until ?? 0, ...done.map(({ until }) => until));
}

/** When a record may be deleted: what it says is over, and the clock is past its version. */
export function expiryOf(until: number, version: number): number {
  return Math.max(version + 1, until);
}

/** Whether another claim is at work. */
export function isLeased(record: SubjectRecord, now: number): boolean {
  return withoutExpired(record, now).lease !== undefined;
}

function withoutExpired({ lease, done }: SubjectRecord, now: number): SubjectRecord {
  const states = done.filter(({ until }) => until > now);
  return lease !== undefined && isLive(lease, now) ? { lease, done: states } : { done: states };
}

/**
 * A lease that would last a minute longer than it was meant to was taken before the clock was set back, and its owner is
 * presumed dead. The minute is for a clock that is set back by seconds, which must end no lease whose owner is alive.
 */
function isLive({ until, ms }: Lease, now: number): boolean {
  return until > now && until - now <= ms + MINUTE_MS;
}

const MINUTE_MS = 60_000;

/** Processes of two releases may share a record, so it says which form it has. */
const FORMAT = 1;

/**
 * Returns a record as ASCII text, which no database's encoding can change.
 *
 * @param token - new for each write, so that a write whose reply was lost is found by reading
 */
export function recordToText(record: object, token: string): string {
  return JSON.stringify({ format: FORMAT, token, ...record }).replace(
    /[^\x20-\x7e]/g,
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
  throw new StoreError(
    `A record of the store does not have format ${FORMAT}, the one that this release reads. Either a newer release ` +
      'of pix-automatic-sdk wrote it, then update this process too; or something else writes to the records.',
  );
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
  const isPlain = PLAIN_KEY.test(place + id) && id !== '' && !id.startsWith(HASHED);
  return isPlain ? place + id : place + hashed(id);
}

/** Returns the state as it is kept, and as `handledStates` has it: a long one as its hash. */
function keptState(state: string): string {
  return state.length <= MAX_STATE_LENGTH && !state.startsWith(HASHED) ? state : hashed(state);
}

/** Different texts have different hashes. */
function hashed(text: string): string {
  // JSON escapes unpaired surrogates; encoded as UTF-8, they would all become U+FFFD.
  return HASHED + bytesToHex(sha256(utf8ToBytes(JSON.stringify(text))));
}

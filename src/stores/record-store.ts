import { StoreError } from '../errors';
import { newToken } from '../shared/bytes';
import { stopwatch } from '../shared/time';
import { checkDuration, checkFunction } from '../values/option-checks';
import type { Claim, ClaimLimits, ClaimResult, CompleteLimits, IdempotencyStore } from './idempotency-store';
import {
  decideClaim,
  decideComplete,
  decideRelease,
  expiryOf,
  keyOf,
  nextVersion,
  recordFromText,
  recordToText,
  type SubjectRecord,
} from './record';

/**
 * What a database has to offer, to hold an idempotency store: two steps on one record per subject. Pass it to
 * {@link createIdempotencyStore}, which makes every decision. All times are milliseconds since 1970.
 */
export interface RecordStore {
  /**
   * Reads a record together with the database's own clock. It must not be a stale copy (a replica, a cache).
   *
   * @param subject - 1 to 512 characters of ASCII, without spaces
   */
  read(subject: string): Promise<ReadRecord>;

  /**
   * In one atomic step: sets the record, its version and its expiry, if its version is still `version` (0: there is no
   * record) and the database's clock is before `before`. Resolves with whether it did. If it cannot tell, it rejects.
   */
  write(subject: string, change: WriteRecord): Promise<boolean>;

  /**
   * Deletes records whose `expiresAt` has passed, oldest first. Leave it out where the database does so by itself.
   *
   * @param limit - how many at most
   * @returns how many it deleted; fewer than `limit` means that none are left
   */
  deleteExpired?(limit: number): Promise<number>;
}

/** What `read` found. */
export interface ReadRecord {
  /** The text as it was written; `undefined` if there is none. */
  readonly record: string | undefined;
  /** The version as it was written; 0 if there is no record. */
  readonly version: number;
  /** The database's clock. */
  readonly now: number;
}

/** What `write` sets, and under which conditions. */
export interface WriteRecord {
  /** The new text, in ASCII: at most some 250 KiB, mostly below one. */
  readonly record: string;
  /** The version that the record must have; 0: there must be none. */
  readonly version: number;
  /** The new version, greater than `version`. */
  readonly next: number;
  /** The write must do nothing once the database's clock has reached this time. */
  readonly before: number;
  /** When the record may be deleted. */
  readonly expiresAt: number;
}

/**
 * Makes an idempotency store of any database that can write a record only if nobody else has written it since. See
 * `docs/write-your-own-store.md` in the repository for three of them, in 30 to 45 lines each.
 *
 * @throws `ConfigurationError` for records without `read` or `write`
 */
export function createIdempotencyStore(records: RecordStore): StoreOverRecords {
  return new StoreOverRecords(records);
}

/** An idempotency store over two steps of a database. The classes for each database extend it. */
export class StoreOverRecords implements IdempotencyStore {
  readonly #records: RecordStore;
  /** What the record of each claim was when it was claimed, so that its completion need not read it again. */
  readonly #claimed = new WeakMap<Claim, Reading>();

  constructor(records: RecordStore) {
    checkFunction('records.read', records?.read, 'async read(subject) { … }');
    checkFunction('records.write', records.write, 'async write(subject, change) { … }');
    this.#records = records;
  }

  async claim(subject: string, state: string, limits: ClaimLimits): Promise<ClaimResult> {
    const leaseMs = checkDuration('leaseMs', limits.leaseMs);
    const withinMs = checkDuration('withinMs', limits.withinMs);
    const key = keyOf(subject);
    // Before the first attempt: it proves that a write whose reply was lost was this claim's own.
    const token = newToken();
    const started = stopwatch();
    let first: Reading | undefined;
    let failed: { readonly error: unknown; readonly version: number } | undefined;
    for (;;) {
      const reading = await this.#read(key);
      first ??= reading;
      const { record, version, now } = reading;
      // From the first read, whichever attempt succeeds, so that no lease ends later than it was asked for.
      const left = leaseMs - Math.max(0, now - first.now);
      const decision = decideClaim(record, { state, token, now, leaseMs: left });
      if (decision.status !== 'claimed') return decision;
      const { next, handledStates } = decision;
      const claimed = (fence: number, reading: Reading): ClaimResult => {
        const claim = { status: 'claimed', subject, state, token, fence, handledStates } as const;
        this.#claimed.set(claim, reading);
        return claim;
      };
      if (next === undefined) return claimed(version, reading);
      // A failed write that changed nothing would fail again.
      if (failed?.version === version) throw failed.error;
      const before = first.now + withinMs;
      if (now >= before || started() >= withinMs) throw tooSlow('claim', withinMs);
      const written = nextVersion(version, now);
      try {
        if (await this.#write(key, next, reading, before)) {
          return claimed(written, { ...reading, record: next, version: written });
        }
        failed = undefined;
      } catch (error) {
        failed = { error, version };
      }
    }
  }

  async complete(claim: Claim, limits: CompleteLimits): Promise<boolean> {
    const retentionMs = checkDuration('retentionMs', limits.retentionMs);
    const withinMs = checkDuration('withinMs', limits.withinMs);
    return this.#end('complete', claim, withinMs, (record, now) => {
      const { completed, next } = decideComplete(record, { ...claim, now, retentionMs });
      return { result: completed, next };
    });
  }

  async release(claim: Claim): Promise<void> {
    await this.#end('release', claim, RELEASE_WITHIN_MS, (record, now) => ({
      result: undefined,
      ...decideRelease(record, { token: claim.token, now }),
    }));
  }

  /** Deletes every expired record, oldest first. Resolves with how many there were. */
  async deleteExpired(): Promise<number> {
    let deleted = 0;
    for (;;) {
      const count = (await this.#records.deleteExpired?.(DELETED_AT_ONCE)) ?? 0;
      deleted += count;
      if (count < DELETED_AT_ONCE) return deleted;
    }
  }

  /**
   * Writes at the version that the claim got: that it is unchanged proves that nobody came between. Otherwise reads
   * again and decides. It has no time to be done before, because it takes no lease.
   */
  async #end<Result>(
    step: string,
    claim: Claim,
    withinMs: number,
    decide: (record: SubjectRecord, now: number) => { result: Result; next?: SubjectRecord | undefined },
  ): Promise<Result> {
    const key = keyOf(claim.subject);
    const started = stopwatch();
    let failed: { readonly error: unknown; readonly version: number } | undefined;
    let reading = this.#claimed.get(claim) ?? (await this.#read(key));
    for (;;) {
      const now = reading.now + reading.age();
      const { result, next } = decide(reading.record, now);
      if (next === undefined) return result;
      if (failed?.version === reading.version) throw failed.error;
      if (started() >= withinMs) throw tooSlow(step, withinMs);
      try {
        if (await this.#write(key, next, { ...reading, now }, Number.MAX_SAFE_INTEGER)) return result;
        failed = undefined;
      } catch (error) {
        failed = { error, version: reading.version };
      }
      reading = await this.#read(key);
    }
  }

  async #read(key: string): Promise<Reading> {
    const age = stopwatch();
    return { ...parsed(await this.#records.read(key)), age };
  }

  #write(key: string, next: SubjectRecord, { version, now }: Reading, before: number): Promise<boolean> {
    const written = nextVersion(version, now);
    return this.#records.write(key, {
      record: recordToText(next),
      version,
      next: written,
      before,
      expiresAt: expiryOf(next, written),
    });
  }
}

/** @throws `StoreError` for what a client never gives, or a record of another form */
export function parsed({ record, version, now }: ReadRecord) {
  if (!Number.isSafeInteger(version) || !Number.isSafeInteger(now) || version < 0)
    throw unexpectedReply('read');
  return { record: recordFromText(record), version, now };
}

export function unexpectedReply(step: string): StoreError {
  return new StoreError(
    `The store's client gave a reply to ${step} that its command never gives, so its outcome is unknown. ` +
      'Pass a plain client, without transformed replies, outside a pipeline or MULTI.',
  );
}

interface Reading {
  readonly record: SubjectRecord;
  readonly version: number;
  /** The database's clock. */
  readonly now: number;
  /** How long ago the read was sent, so that the database's clock is now at most `now` plus this. */
  readonly age: () => number;
}

const DELETED_AT_ONCE = 1_000;
const RELEASE_WITHIN_MS = 5_000;

function tooSlow(step: string, withinMs: number): StoreError {
  return new StoreError(
    `The store's database did not carry out a ${step} within ${withinMs} ms, although it answered: other processes ` +
      'wrote the same record each time, or its answers are slow. The next delivery tries again.',
  );
}

import { ConfigurationError } from '../errors/configuration-error';
import { StoreError } from '../errors/store-error';
import { newToken } from '../shared/bytes';
import { sleep, stopwatch } from '../shared/time';
import { checkDuration, checkFunction } from '../values/option-checks';
import type { DeadLetter, LetterRecord } from './dead-letters';
import { lettersOver } from './letters';
import {
  decideClaim,
  decideComplete,
  decideDelivered,
  decideRelease,
  endOf,
  expiryOf,
  keyOf,
  NO_RECORD,
  nextVersion,
  recordFromText,
  recordToText,
  type SubjectRecord,
  UnreadableRecordError,
} from './record';
import {
  type Claim,
  type ClaimResult,
  type KeyPrefix,
  type NextRecord,
  type ReadResult,
  type RecordSteps,
  type SingleRecords,
  STEPS,
  type StepPage,
  type Store,
  type StoreSteps,
  type Transact,
} from './steps';

/**
 * What a database has to offer, to hold a store. Pass it to `createStore`, which makes every decision. All times
 * are milliseconds since 1970.
 *
 * A key is 1 to 512 characters of ASCII, without spaces. Keys are compared and ordered by their bytes.
 */
export interface RecordStore {
  /** Reads a record together with the database's own clock. It must not be a stale copy (a replica, a cache). */
  read(key: string): Promise<ReadRecord>;

  /**
   * In one atomic step: sets the record, its version and its expiry, if its version is still `version` (0: there is no
   * record) and the database's clock is before `before`. Resolves with whether it did. If it cannot tell, it rejects.
   */
  write(key: string, change: WriteRecord): Promise<boolean>;

  /**
   * Lists records that have not expired and whose key begins with `prefix`, in the order of their keys. Only keys that
   * begin with a namespace and `/letter:`, `/order:` or `/open:` are ever listed.
   *
   * @returns fewer than `limit` only if there are no more
   */
  list(prefix: string, page: ListPage): Promise<readonly ListedRecord[]>;

  /**
   * Deletes records whose `expiresAt` has passed. Leave it out where the database does so by itself.
   *
   * @param limit - how many at most
   * @returns how many it deleted; 0 if none are left
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
  /** The new text, in ASCII: at most 4 MiB, mostly below one KiB. No two writes have the same. */
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

/** Which records to list. */
export interface ListPage {
  /** Only keys after this one: the last of the page before. Default: from the first. */
  readonly after?: string | undefined;
  /** How many at most. */
  readonly limit: number;
}

/** A record of a list. */
export interface ListedRecord {
  /** Its key. */
  readonly key: string;
  /** The text as it was written. */
  readonly record: string;
}

/** What every store can be given. */
export interface NamespaceOptions {
  /**
   * Keeps apart two listeners, environments or merchants that share a database: two with the same namespace treat each
   * other's notifications as done, and each other's orders as their own. 1 to 100 letters, digits, `.`, `_` and `-`.
   *
   * @defaultValue `'default'`
   */
  readonly namespace?: string | undefined;
}

/** A store over the records of a database. The class of each database extends it. */
export class StoreOverRecords<Steps extends PlainSteps = PlainSteps> implements Store {
  /** The steps that the library calls; not for your code. */
  readonly [STEPS]: Steps;
  readonly #records: RecordStore & Partial<Table>;

  /**
   * @param transact - runs callbacks in transactions, in a store that does
   * @param explain - names the likely cause of what the database throws
   */
  constructor(
    records: RecordStore & Partial<Table>,
    options: NamespaceOptions,
    transact?: Transact<never> | undefined,
    explain: StoreSteps['explain'] = records.explain,
  ) {
    checkFunction('records.read', records?.read, 'async read(key) { … }');
    checkFunction('records.write', records.write, 'async write(key, change) { … }');
    checkFunction('records.list', records.list, 'async list(prefix, page) { … }');
    this.#records = records;
    this[STEPS] = { ...stepsOver(records, namespaceOf(options)), transact, explain } as never;
  }

  async createTable(): Promise<void> {
    await this.#records.createTable?.();
  }

  createTableSql(): string {
    return this.#records.createTableSql?.() ?? '';
  }

  async deleteExpired(): Promise<number> {
    for (let deleted = 0; ; ) {
      const count = (await this.#records.deleteExpired?.(DELETED_AT_ONCE)) ?? 0;
      if (!(count > 0)) return deleted;
      deleted += count;
    }
  }
}

/** @throws `ConfigurationError` for a namespace that cannot be part of a key */
export function namespaceOf({ namespace = 'default' }: NamespaceOptions): string {
  if (typeof namespace === 'string' && /^[\w.-]{1,100}$/.test(namespace)) return namespace;
  throw new ConfigurationError(
    "Expected `namespace` to be 1 to 100 letters, digits, '.', '_' or '-', such as the name of the listener.",
  );
}

/** The steps of a store without transactions, which serves callbacks with any. */
export type PlainSteps = Omit<StoreSteps, 'transact'>;

/** The table that records are in. */
interface Table {
  createTable(): Promise<void>;
  createTableSql(): string;
  readonly explain: StoreSteps['explain'];
}

/** Every step of every store: reads a record, has it decided, and writes. */
function stepsOver(records: RecordStore, namespace: string): PlainSteps {
  /** What the record of each claim was when it was claimed, so that its completion need not read it again. */
  const claimed = new WeakMap<Claim, Reading<SubjectRecord>>();

  /** Lists until there are as many as are wanted: some of those in the list are none, or cannot be read. */
  async function list<Value extends object, Wanted>(
    prefix: 'letter:' | 'order:' | 'open:',
    { after, limit, onUnreadable }: StepPage,
    take: (value: Value, key: string) => Wanted | undefined,
  ): Promise<Wanted[]> {
    const wanted: Wanted[] = [];
    let unreadable = 0;
    for (let from = after === undefined ? undefined : keyOf(namespace, prefix, after); ; ) {
      const left = limit - wanted.length;
      const page = await records.list(`${namespace}/${prefix}`, { after: from, limit: left });
      for (const { key, record } of page) {
        const value = readable<Value>(record);
        if (value === undefined) unreadable += 1;
        const each = value && take(value, key);
        if (each !== undefined) wanted.push(each);
      }
      if (page.length < left || wanted.length === limit) break;
      from = page.at(-1)?.key;
    }
    if (unreadable > 0) onUnreadable?.(unreadable);
    return wanted;
  }

  return {
    async claim(subject, state, limits) {
      const leaseMs = checkDuration('leaseMs', limits.leaseMs);
      const withinMs = checkDuration('withinMs', limits.withinMs);
      const { isByPerson, over, retentionMs = 0 } = limits;
      // Proves that the lease is this claim's own, whichever attempt has written it.
      const token = newToken();
      let firstNow: number | undefined;
      const claiming = { name: 'claim', key: keyOf(namespace, 'seen:', subject), withinMs };
      return change<SubjectRecord, ClaimResult>(records, claiming, (reading) => {
        const { value = NO_RECORD, version, now } = reading;
        // From the first read, whichever attempt succeeds, so that no lease ends later than it was asked for.
        firstNow ??= now;
        const left = leaseMs - Math.max(0, now - firstNow);
        const decision = decideClaim(value, { state, token, now, leaseMs: left, isByPerson, over });
        if (decision.status !== 'claimed') return { result: decision };
        const { next, handledStates, dismissed } = decision;
        const fence = next === undefined ? version : nextVersion(version, now);
        const claim = { status: 'claimed', subject, state, token, fence, handledStates, dismissed } as const;
        claimed.set(claim, { ...reading, value: next ?? value, version: fence });
        if (next === undefined) return { result: claim };
        const until = Math.max(endOf(next), now + retentionMs);
        return { result: claim, next, until, before: firstNow + withinMs };
      });
    },

    async complete(claim, { content, ...limits }) {
      const retentionMs = checkDuration('retentionMs', limits.retentionMs);
      const withinMs = checkDuration('withinMs', limits.withinMs);
      const completing = { name: 'complete', key: keyOf(namespace, 'seen:', claim.subject), withinMs };
      return change<SubjectRecord, boolean>(
        records,
        completing,
        ({ value = NO_RECORD, now }) => {
          const { completed, next } = decideComplete(value, { ...claim, now, retentionMs, content });
          return { result: completed, next, until: next && endOf(next) };
        },
        claimed.get(claim),
      );
    },

    async release(claim) {
      const { subject, token } = claim;
      const releasing = { name: 'release', key: keyOf(namespace, 'seen:', subject) };
      await change<SubjectRecord, void>(
        records,
        releasing,
        ({ value = NO_RECORD, now }) => {
          const { next } = decideRelease(value, { token, now });
          return { result: undefined, next, until: next && endOf(next) };
        },
        claimed.get(claim),
      );
    },

    async recordDelivery(subject, state, content) {
      const recording = { name: 'recordDelivery', key: keyOf(namespace, 'seen:', subject) };
      await change<SubjectRecord, void>(records, recording, ({ value = NO_RECORD, now }) => {
        const { next } = decideDelivered(value, { state, now, content });
        return { result: undefined, next, until: next && endOf(next) };
      });
    },

    async look(subject, state) {
      const { value = NO_RECORD, now } = await read<SubjectRecord>(
        records,
        keyOf(namespace, 'seen:', subject),
      );
      return decideClaim(value, { state, token: '', now, leaseMs: 0, over: ['unconfirmed'] }).status;
    },

    async listLetters(page) {
      const { now } = await read(records, keyOf(namespace, 'maintain', ''));
      // A letter that was forgotten just now has a record for another millisecond.
      return list<LetterRecord & Kept, DeadLetter>('letter:', page, ({ letter, until }) =>
        until > now ? letter : undefined,
      );
    },

    ...singleRecords(namespace, records),

    async listRecords<Value extends object>(prefix: 'order:' | 'open:', page: StepPage) {
      const start = `${namespace}/${prefix}`.length;
      const { now } = await read(records, keyOf(namespace, 'maintain', ''));
      // One that has expired may be listed until it is deleted.
      return list<Kept, { readonly place: string; readonly value: Value }>(prefix, page, (value, key) =>
        value.until > now ? { place: key.slice(start), value: plain<Value>(value) } : undefined,
      );
    },
  };
}

/**
 * Steps on single records.
 *
 * @param isWithin - in a transaction, in which nothing goes on once something has failed
 */
export function singleRecords(
  namespace: string,
  records: Pick<RecordStore, 'read' | 'write'>,
  isWithin = false,
): SingleRecords {
  const steps: RecordSteps = {
    async readRecord<Value extends object>(prefix: KeyPrefix, id: string) {
      return live<Value>(await read<Kept>(records, keyOf(namespace, prefix, id)));
    },
    async writeRecord(prefix, id, value, { version, now }, until) {
      const key = keyOf(namespace, prefix, id);
      return write(records, key, { value: { ...value, until }, token: newToken(), version, now, until });
    },
    async changeRecord<Value extends object>(
      prefix: KeyPrefix,
      id: string,
      next: (
        read: ReadResult<Value>,
      ) => NextRecord<Value> | undefined | Promise<NextRecord<Value> | undefined>,
      earlier?: ReadResult<Value>,
    ) {
      const changing = { name: 'write', key: keyOf(namespace, prefix, id), isWithin };
      let first = earlier;
      const decide = async (reading: Reading<Kept>): Promise<Decision<Kept, Value | undefined>> => {
        const change = await next(first ?? live<Value>(reading));
        first = undefined;
        if (change === undefined) return { result: undefined };
        const { value, until } = change;
        return { result: value, next: { ...value, until } as never, until };
      };
      const reading = earlier && {
        value: undefined,
        token: undefined,
        version: earlier.version,
        now: earlier.now,
      };
      return change<Kept, Value | undefined>(records, changing, decide, reading);
    },
  };
  return { ...steps, ...lettersOver(steps) };
}

/** A record that was read. One that has expired may not have been deleted yet. */
function live<Value extends object>({ value, version, now }: Reading<Kept>): ReadResult<Value> {
  if (value === undefined || value.until <= now) return { value: undefined, version, now };
  return { value: plain<Value>(value), version, now, until: value.until };
}

/** A single record as it is written. */
interface Kept {
  readonly until: number;
  readonly token: string;
  readonly format?: unknown;
}

/** What was given to `writeRecord`. */
function plain<Value extends object>({
  until: _until,
  token: _token,
  format: _format,
  ...value
}: Kept): Value {
  return value as unknown as Value;
}

/** Reads a record of a list; `undefined` if it has another format, which must not keep the others away. */
function readable<Value extends object>(text: string): Value | undefined {
  try {
    return recordFromText<Value>(text);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return undefined;
    throw error;
  }
}

/** A record that was read. */
interface Reading<Value> extends ReadResult<Value> {
  /** The token of the write that it is from. */
  readonly token: string | undefined;
}

/** What is to become of a record; without `next` it stays as it is. */
interface Decision<Value, Result> {
  /** What the step resolves with, if `next` is written or missing. */
  readonly result: Result;
  readonly next?: Value | undefined;
  /** When `next` is over. */
  readonly until?: number | undefined;
  /** When it is too late to write. Default: never. */
  readonly before?: number | undefined;
}

interface Step {
  readonly name: string;
  readonly key: string;
  readonly withinMs?: number;
  /** In a transaction: what has failed is not tried again. */
  readonly isWithin?: boolean;
}

/**
 * The loop of every step: reads the record, has it decided, writes it if it has not changed since, and begins again
 * where it has, or where the database failed, until the step's time is over.
 *
 * @param earlier - what was read before, in place of the first read
 */
async function change<Value extends object, Result>(
  records: Pick<RecordStore, 'read' | 'write'>,
  { withinMs = STEP_WITHIN_MS, isWithin = false, ...named }: Step,
  decide: (reading: Reading<Value>) => Decision<Value, Result> | Promise<Decision<Value, Result>>,
  earlier?: Reading<Value> | undefined,
): Promise<Result> {
  const step = { ...named, withinMs };
  const elapsed = stopwatch();
  /** The result of each write that was sent and not confirmed, by its token. */
  const sent = new Map<string, Result>();
  let failure: unknown;
  let pauseMs = FIRST_PAUSE_MS;
  for (let reading = earlier; ; reading = undefined) {
    try {
      reading ??= await read<Value>(records, step.key);
      if (reading.token !== undefined && sent.has(reading.token)) return sent.get(reading.token) as Result;
      // Most decisions wait for nothing: a claim is made with every notification.
      const deciding = decide(reading);
      const decided = deciding instanceof Promise ? await deciding : deciding;
      const { result, next, until = 0, before = NEVER } = decided;
      if (next === undefined) return result;
      // Nobody waits for it any more: a claim that came now would keep the next delivery away.
      if (reading.now >= before || elapsed() >= step.withinMs) throw failure ?? tooSlow(step);
      const token = newToken();
      sent.set(token, result);
      const { version, now } = reading;
      if (await write(records, step.key, { value: next, token, version, now, until, before })) return result;
      failure = undefined;
    } catch (error) {
      if (isWithin || isFinal(error)) throw error;
      failure = error;
      // Of several processes that were in each other's way, not all should try again at the same moment.
      const pause = pauseMs * (0.5 + Math.random());
      // The rest is for the database's answer to the last try, so that its own error is told and not a timeout.
      if (elapsed() + pause >= 0.75 * step.withinMs) throw failure;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      await sleep(pause);
    }
  }
}

/** What this library says itself does not pass by waiting. What a database says may, such as a serialization failure. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof ConfigurationError || (error instanceof StoreError && !(error instanceof UnclearReply))
  );
}

async function read<Value extends object>(
  records: Pick<RecordStore, 'read'>,
  key: string,
): Promise<Reading<Value>> {
  return readingOf(await records.read(key));
}

/** @throws `StoreError` for what a client never gives, or a record of another form */
export function readingOf<Value extends object>({ record, version, now }: ReadRecord): Reading<Value> {
  if (!Number.isSafeInteger(version) || !Number.isSafeInteger(now) || version < 0) {
    throw unexpectedReply('read');
  }
  const value = recordFromText<Value>(record);
  return { value, token: value?.token, version, now };
}

function write(
  records: Pick<RecordStore, 'write'>,
  key: string,
  change: {
    readonly value: object;
    readonly token: string;
    readonly version: number;
    readonly now: number;
    readonly until: number;
    readonly before?: number;
  },
): Promise<boolean> {
  const { value, token, version, now, until, before = NEVER } = change;
  const next = nextVersion(version, now);
  const record = recordToText(value, token);
  return records.write(key, { record, version, next, before, expiresAt: expiryOf(until, next) });
}

/** A write that takes no lease has no time to be done before. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** A reply after which it is not known whether a write was carried out. */
class UnclearReply extends StoreError {}

export function unexpectedReply(step: string): StoreError {
  return new UnclearReply(
    `The store's client gave a reply to ${step} that its command never gives, so its outcome is unknown. ` +
      'Pass a plain client, without transformed replies, outside a pipeline or MULTI.',
  );
}

const DELETED_AT_ONCE = 1_000;
/** How long a step may take that is given no time. */
const STEP_WITHIN_MS = 5_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

function tooSlow({ name, withinMs }: { readonly name: string; readonly withinMs: number }): StoreError {
  return new StoreError(
    `The store's database did not carry out a ${name} within ${withinMs} ms, although it answered: other processes ` +
      'wrote the same record each time, or its answers are slow. The next delivery tries again.',
  );
}

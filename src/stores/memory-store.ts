import { StoreError } from '../errors/store-error';
import { DAY_MS } from '../shared/time';
import { checkCount, checkFunction, type OptionNames, readNamedOptions } from '../values/option-checks';
import { isLeased, keyOf, LISTED, NO_RECORD, recordFromText, type SubjectRecord } from './record';
import {
  type ListedRecord,
  type ListPage,
  type NamespaceOptions,
  type ReadRecord,
  type RecordStore,
  StoreOverRecords,
  type WriteRecord,
} from './record-store';

/** The limits and the clock of a {@link MemoryStore}. */
export interface MemoryStoreOptions extends NamespaceOptions {
  /**
   * How many records are kept at most; an order has about five, a dead letter two. When the store is full, the tenth
   * that was written longest ago is forgotten: of notifications that were acted on, whose late repeats run again, then,
   * with a warning, of orders that were paid and a day old. It never forgets a dead letter or an open order: if those fill it, it fails.
   * Default: 1 000 000; at most 8 388 608.
   */
  readonly maxEntries?: number | undefined;

  /** The clock, in milliseconds since 1970, for tests. Default: the process's; it ignores system time changes. */
  readonly clock?: (() => number) | undefined;
}

/**
 * A store in this process's memory.
 *
 * **It protects one process only.** Two processes behind a load balancer, a cluster of workers, or serverless
 * instances each have their own store, and each runs the callback; a restart forgets everything. Use `RedisStore`,
 * `PostgresStore`, `MysqlStore` or `SqliteStore` from `pix-automatic-sdk/stores` wherever that matters.
 *
 * Within its process it keeps every guarantee of a store. It never forgets a live lease: if all its records have one,
 * the next claim fails with a `StoreError`, and the handler answers 503. It has no timers: expired records are removed
 * when it is full, and by `deleteExpired`.
 */
export class MemoryStore extends StoreOverRecords {
  /** @throws `ConfigurationError` for a `maxEntries` below 1 or above 8 388 608 */
  constructor(options: MemoryStoreOptions = {}) {
    const own = readNamedOptions('MemoryStore', options, NAMES);
    const { maxEntries = 1_000_000, clock = steadyClock(), namespace } = own;
    checkFunction('clock', clock, '() => number');
    super(new MemoryRecords(checkCount('maxEntries', maxEntries, MOST_ENTRIES), clock), { namespace });
  }
}

const NAMES: OptionNames<MemoryStoreOptions> = { maxEntries: true, clock: true, namespace: true };

export class MemoryRecords implements RecordStore {
  readonly #maxEntries: number;
  readonly #clock: () => number;
  /** Each write adds its key again, so the one that was written longest ago comes first. */
  readonly #rows = new Map<string, Row>();
  /** The keys that are ever listed, in order. */
  readonly #listed = new SortedKeys();
  #hasWarned = false;

  constructor(maxEntries: number, clock: () => number) {
    this.#maxEntries = maxEntries;
    this.#clock = clock;
  }

  async read(key: string): Promise<ReadRecord> {
    const row = this.#rows.get(key);
    return { record: row?.record, version: row?.version ?? 0, now: this.#now() };
  }

  async write(key: string, { record, version, next, before, expiresAt }: WriteRecord): Promise<boolean> {
    const row = this.#rows.get(key);
    if ((row?.version ?? 0) !== version || this.#now() >= before) return false;
    if (row === undefined && this.#rows.size >= this.#maxEntries) this.#makeRoom();
    if (row === undefined && LISTED.test(key)) this.#listed.add(key);
    this.#rows.delete(key);
    this.#rows.set(key, { record, version: next, expiresAt });
    return true;
  }

  async list(prefix: string, { after = '', limit }: ListPage): Promise<ListedRecord[]> {
    const now = this.#now();
    const page: ListedRecord[] = [];
    for (const key of this.#listed.from(after > prefix ? after : prefix)) {
      if (page.length === limit || !key.startsWith(prefix)) break;
      const row = this.#rows.get(key);
      if (row !== undefined && key !== after && row.expiresAt > now) page.push({ key, record: row.record });
    }
    return page;
  }

  async deleteExpired(limit: number): Promise<number> {
    return this.#dropExpired(limit);
  }

  #dropExpired(limit: number): number {
    const now = this.#now();
    let deleted = 0;
    for (const [key, { expiresAt }] of this.#rows) {
      if (deleted === limit) break;
      if (expiresAt > now) continue;
      this.#delete(key);
      deleted += 1;
    }
    return deleted;
  }

  /** Forgets what has expired, or the oldest tenth at once: finding the oldest takes a while after many were deleted. */
  #makeRoom(): void {
    this.#dropExpired(Number.POSITIVE_INFINITY);
    const now = this.#now();
    const most = this.#maxEntries - Math.ceil(this.#maxEntries / 10);
    for (const [key, { record }] of this.#rows) {
      if (this.#rows.size <= most) return;
      if (key.includes('/seen:') && !isLeased(recordFromText<SubjectRecord>(record) ?? NO_RECORD, now)) {
        this.#delete(key);
      }
    }
    if (this.#rows.size >= this.#maxEntries) this.#forgetPaidOrders(now, most);
    if (this.#rows.size < this.#maxEntries) return;
    throw new StoreError(
      `The memory store is full (${this.#maxEntries} records): of callbacks that are running, of dead letters and of ` +
        'orders. Raise maxEntries, look for callbacks that hang, or keep them in a database.',
    );
  }

  /** With what points to them. */
  #forgetPaidOrders(now: number, most: number): void {
    const forgotten = new Set<string>();
    for (const [key, { record, version }] of this.#rows) {
      if (this.#rows.size - forgotten.size * (RECORDS_OF_AN_ORDER - 1) <= most) break;
      // A version is the time of its write, or a little more.
      if (!key.includes('/order:') || now - version < DAY_MS || !isPaid(record)) continue;
      this.#delete(key);
      forgotten.add(key);
    }
    if (forgotten.size === 0) return;
    for (const [key, { record }] of this.#rows) {
      const [, namespace, prefix] = POINTER.exec(key) ?? [];
      if (prefix === undefined || namespace === undefined) continue;
      const order = recordFromText<{ readonly key?: string }>(record)?.key ?? '';
      if (forgotten.has(keyOf(namespace, 'order:', order))) this.#delete(key);
    }
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    console.warn(
      'pix-automatic-sdk: the MemoryStore is full, so it forgets orders that were paid more than a day ago. Keep them in ' +
        'a database.',
    );
  }

  #delete(key: string): void {
    this.#rows.delete(key);
    if (LISTED.test(key)) this.#listed.delete(key);
  }

  #now(): number {
    return Math.floor(this.#clock());
  }
}

/** At least the order itself, its reference and its uuid. */
const RECORDS_OF_AN_ORDER = 3;
const POINTER = /^([\w.-]+)\/(uuid|reference|open):/;

/** Whether a payment of the order was acted on. */
function isPaid(record: string): boolean {
  const order = recordFromText<{ readonly attempts?: readonly { readonly state: string }[] }>(record);
  return order?.attempts?.some(({ state }) => state === 'paid') === true;
}

/** Keys in order, so that a page is read from where it begins, and a key comes in between without moving all others. */
class SortedKeys {
  /** Each in order, and after the one before; none is empty. */
  readonly #blocks: string[][] = [];

  /** @param key - one that is not among them */
  add(key: string): void {
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    if (block === undefined) {
      this.#blocks.push([key]);
      return;
    }
    block.splice(
      firstIndex(block, (each) => each > key),
      0,
      key,
    );
    if (block.length > MOST_IN_BLOCK) this.#blocks.splice(at + 1, 0, block.splice(MOST_IN_BLOCK / 2));
  }

  delete(key: string): void {
    const at = this.#blockOf(key);
    const block = this.#blocks[at] ?? [];
    const index = firstIndex(block, (each) => each >= key);
    if (block[index] !== key) return;
    block.splice(index, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** This key and those after it. */
  *from(key: string): Generator<string> {
    for (let at = this.#blockOf(key); at < this.#blocks.length; at += 1) {
      const block = this.#blocks[at] ?? [];
      for (let index = firstIndex(block, (each) => each >= key); index < block.length; index += 1) {
        yield block[index] as string;
      }
    }
  }

  /** The last block that begins with the key or one before it; else the first. */
  #blockOf(key: string): number {
    return Math.max(0, firstIndex(this.#blocks, ([first = '']) => first > key) - 1);
  }
}

const MOST_IN_BLOCK = 1_000;

/** Of items of which the last few match, the index of the first that does. */
function firstIndex<Item>(items: readonly Item[], matches: (item: Item) => boolean): number {
  let start = 0;
  let end = items.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (matches(items[middle] as Item)) end = middle;
    else start = middle + 1;
  }
  return start;
}

interface Row {
  readonly record: string;
  readonly version: number;
  readonly expiresAt: number;
}

/** Half of what a `Map` can hold: a full store needs as many slots again for entries that replace others. */
const MOST_ENTRIES = 2 ** 23;

/** Starts at the system time, then ignores changes to it, which would cut leases short. */
function steadyClock(): () => number {
  const start = Date.now() - performance.now();
  return () => start + performance.now();
}

/**
 * A map of many small maps. A JavaScript `Map` copies itself when it grows or shrinks; with a million entries that
 * stops the process for over 100 ms, during which no notification is answered. A shard's copy takes microseconds.
 */
export class ShardedMap<Value> {
  readonly #shards: readonly Map<string, Value>[];
  #size = 0;
  #nextOldest = 0;
  #round: MapIterator<[key: string, value: Value]>;
  #roundShard = 0;
  #lastKey: string | undefined;
  #lastShard: Map<string, Value>;

  constructor(capacity: number) {
    const count = Math.ceil(capacity / ENTRIES_PER_SHARD);
    this.#shards = Array.from({ length: count }, () => new Map<string, Value>());
    this.#lastShard = this.#shards[0] as Map<string, Value>;
    this.#round = this.#lastShard.entries();
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    return this.#shardOf(key).get(key);
  }

  /** Sets an entry; a new one becomes the youngest of its shard, one that is there keeps its age. */
  set(key: string, value: Value): void {
    const shard = this.#shardOf(key);
    const before = shard.size;
    shard.set(key, value);
    this.#size += shard.size - before;
  }

  /** Sets an entry, which becomes the youngest of its shard. */
  renew(key: string, value: Value): void {
    const shard = this.#shardOf(key);
    if (!shard.delete(key)) this.#size += 1;
    shard.set(key, value);
  }

  delete(key: string): void {
    if (this.#shardOf(key).delete(key)) this.#size -= 1;
  }

  /** The oldest entry of the next shard in turn that has any: of all entries, nearly the oldest. */
  oldest(): [key: string, value: Value] | undefined {
    if (this.#size === 0) return undefined;
    for (;;) {
      const shard = this.#shards[this.#nextOldest % this.#shards.length];
      this.#nextOldest += 1;
      const entry = shard?.entries().next().value;
      if (entry !== undefined) return entry;
    }
  }

  /**
   * The next of all entries, which go round and round; they may be set and deleted in between. `undefined` after each
   * shard, so that each step takes the same short time, also over empty shards.
   */
  next(): [key: string, value: Value] | undefined {
    const { done, value } = this.#round.next();
    if (!done) return value;
    this.#roundShard = (this.#roundShard + 1) % this.#shards.length;
    this.#round = (this.#shards[this.#roundShard] as Map<string, Value>).entries();
    return undefined;
  }

  /** A claim looks a key up and then sets it, and so does a completion: the hash is made once for both. */
  #shardOf(key: string): Map<string, Value> {
    if (key !== this.#lastKey) {
      this.#lastKey = key;
      this.#lastShard = this.#shards[hash(key) % this.#shards.length] as Map<string, Value>;
    }
    return this.#lastShard;
  }
}

const ENTRIES_PER_SHARD = 4096;

/** FNV-1a: spreads keys that differ in a few characters, without node:crypto. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

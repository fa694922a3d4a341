/**
 * A map of many small maps. A JavaScript `Map` copies itself when it grows or shrinks; with a million entries that
 * stops the process for over 100 ms, during which no notification is answered. A shard's copy takes microseconds.
 */
export class ShardedMap<Value> {
  readonly #shards: readonly Map<string, Value>[];
  #size = 0;
  #turn = 0;
  /** Goes over the shard whose oldest entries are taken. */
  #oldest: MapIterator<[key: string, value: Value]> | undefined;
  #changes = 0;
  #round: MapIterator<[key: string, value: Value]>;
  #roundShard = 0;
  #lastKey: string | undefined;
  #lastShard: Map<string, Value>;

  constructor(capacity: number) {
    const count = Math.ceil(capacity / ENTRIES_PER_SHARD);
    this.#shards = Array.from({ length: count }, () => new Map<string, Value>());
    this.#lastShard = this.#shards[0] as Map<string, Value>;
    this.#round = this.#entriesOf(0);
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
    this.#noteChange();
  }

  /** Sets an entry, which becomes the youngest of its shard. */
  renew(key: string, value: Value): void {
    const shard = this.#shardOf(key);
    if (!shard.delete(key)) this.#size += 1;
    shard.set(key, value);
    this.#noteChange();
  }

  delete(key: string): void {
    if (this.#shardOf(key).delete(key)) this.#size -= 1;
    this.#noteChange();
  }

  /**
   * An entry that is nearly the oldest of all: the oldest of its shard. It is given once, so that it must be deleted or
   * renewed.
   *
   * A map has holes where entries were deleted, here at its start, and looking for its first entry goes over all of
   * them. So an iterator stays where it is for a while, and then the next shard has its turn.
   */
  takeOldest(): [key: string, value: Value] | undefined {
    if (this.#size === 0) return undefined;
    for (;;) {
      this.#oldest ??= this.#entriesOf(this.#turn);
      const { done, value } = this.#oldest.next();
      if (!done) return value;
      this.#endTurn();
    }
  }

  /** An iterator that is kept for long would keep every table that its map has outgrown since. */
  #noteChange(): void {
    this.#changes = (this.#changes + 1) % CHANGES_PER_TURN;
    if (this.#changes === 0) this.#endTurn();
  }

  #endTurn(): void {
    this.#oldest = undefined;
    this.#turn = (this.#turn + 1) % this.#shards.length;
  }

  /**
   * The next of all entries, which go round and round; they may be set and deleted in between. `undefined` after each
   * shard, so that each step takes the same short time, also over empty shards.
   */
  next(): [key: string, value: Value] | undefined {
    const { done, value } = this.#round.next();
    if (!done) return value;
    this.#roundShard = (this.#roundShard + 1) % this.#shards.length;
    this.#round = this.#entriesOf(this.#roundShard);
    return undefined;
  }

  #entriesOf(shard: number): MapIterator<[key: string, value: Value]> {
    return (this.#shards[shard] as Map<string, Value>).entries();
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
const CHANGES_PER_TURN = 256;

/** FNV-1a: spreads keys that differ in a few characters, without node:crypto. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

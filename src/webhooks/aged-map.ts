/**
 * A map of a fixed number of entries, each with an expiry, that knows which of them is the oldest.
 *
 * Each step takes the same short time, however many entries there are. A JavaScript `Map` copies itself as it grows,
 * which stops the process for over 100 ms at a million entries; and on its way to a key it reads others, which lie
 * anywhere in memory. This is a hash table in arrays of numbers: they are as long as they will ever be, a key that is not
 * there is told by its hash alone, and the garbage collector has nothing to follow in them.
 */
export class AgedMap<Value> {
  readonly #capacity: number;
  // Each entry has a place, which is its index in all of these arrays.
  readonly #chunks: Chunk<Value>[] = [];
  readonly #hashes: Int32Array;
  readonly #expiries: Float64Array;
  /** Two lists, which go round by way of `NONE`: after it comes the oldest, before it the youngest. */
  readonly #younger: Int32Array;
  readonly #older: Int32Array;
  /** The next entry of the same bucket; of a place that was given up, the next such place. */
  readonly #next: Int32Array;
  /** The first entry of each bucket, by the lowest bits of a hash. */
  readonly #buckets: Int32Array;
  #givenUp = NONE;
  /** The last place that was ever taken. */
  #lastPlace = NONE;
  /** The last place that {@link nextExpired} looked at. */
  #looked = NONE;
  #lastKey: string | undefined;
  #lastHash = 0;

  constructor(capacity: number) {
    const places = capacity + 1;
    this.#capacity = capacity;
    this.#hashes = new Int32Array(places);
    this.#expiries = new Float64Array(places);
    this.#younger = new Int32Array(places);
    this.#older = new Int32Array(places);
    this.#next = new Int32Array(places);
    this.#buckets = new Int32Array(2 ** Math.ceil(Math.log2(capacity)));
  }

  get isFull(): boolean {
    return this.#givenUp === NONE && this.#lastPlace === this.#capacity;
  }

  get(key: string): Value | undefined {
    const place = this.#find(key, this.#hashOf(key));
    return this.#chunkOf(place).values[place % CHUNK];
  }

  /**
   * Sets an entry. A new one is the youngest; one that is there keeps its age.
   *
   * @throws `RangeError` for a new one when it is full
   */
  set(key: string, value: Value, expiry: number): void {
    const hash = this.#hashOf(key);
    const place = this.#find(key, hash) || this.#add(key, hash);
    this.#chunkOf(place).values[place % CHUNK] = value;
    this.#expiries[place] = expiry;
  }

  delete(key: string): void {
    const place = this.#find(key, this.#hashOf(key));
    if (place !== NONE) this.#remove(place);
  }

  /** Gives the oldest entry, and deletes it. */
  takeOldest(): [key: string, value: Value] | undefined {
    const place = this.#younger[NONE] ?? NONE;
    const entry = this.#entryAt(place);
    if (entry !== undefined) this.#remove(place);
    return entry;
  }

  /** Looks at one entry, and at the next one the next time, round and round. Gives it if it has expired. */
  nextExpired(now: number): [key: string, value: Value] | undefined {
    this.#looked = this.#looked < this.#lastPlace ? this.#looked + 1 : NONE;
    return (this.#expiries[this.#looked] ?? 0) <= now ? this.#entryAt(this.#looked) : undefined;
  }

  #entryAt(place: number): [key: string, value: Value] | undefined {
    const { keys, values } = this.#chunkOf(place);
    const key = keys[place % CHUNK];
    return key === undefined ? undefined : [key, values[place % CHUNK] as Value];
  }

  #find(key: string, hash: number): number {
    let place = this.#buckets[this.#bucketOf(hash)] ?? NONE;
    while (place !== NONE) {
      if (this.#hashes[place] === hash && this.#chunkOf(place).keys[place % CHUNK] === key) return place;
      place = this.#next[place] ?? NONE;
    }
    return NONE;
  }

  #add(key: string, hash: number): number {
    if (this.isFull) throw new RangeError(`The map is full of its ${this.#capacity} entries.`);
    const place = this.#takePlace();
    this.#chunkOf(place).keys[place % CHUNK] = key;
    this.#hashes[place] = hash;

    const bucket = this.#bucketOf(hash);
    this.#next[place] = this.#buckets[bucket] ?? NONE;
    this.#buckets[bucket] = place;

    const youngest = this.#older[NONE] ?? NONE;
    this.#link(youngest, place);
    this.#link(place, NONE);
    return place;
  }

  #remove(place: number): void {
    const { keys, values } = this.#chunkOf(place);
    keys[place % CHUNK] = undefined;
    values[place % CHUNK] = undefined;

    this.#link(this.#older[place] ?? NONE, this.#younger[place] ?? NONE);

    const after = this.#next[place] ?? NONE;
    const bucket = this.#bucketOf(this.#hashes[place] ?? 0);
    let before = this.#buckets[bucket] ?? NONE;
    if (before === place) {
      this.#buckets[bucket] = after;
    } else {
      while (this.#next[before] !== place) before = this.#next[before] ?? NONE;
      this.#next[before] = after;
    }

    this.#next[place] = this.#givenUp;
    this.#givenUp = place;
  }

  #takePlace(): number {
    if (this.#givenUp === NONE) {
      this.#lastPlace += 1;
      return this.#lastPlace;
    }
    const place = this.#givenUp;
    this.#givenUp = this.#next[place] ?? NONE;
    return place;
  }

  #link(older: number, younger: number): void {
    this.#younger[older] = younger;
    this.#older[younger] = older;
  }

  #chunkOf(place: number): Chunk<Value> {
    const index = Math.trunc(place / CHUNK);
    this.#chunks[index] ??= { keys: [], values: [] };
    return this.#chunks[index];
  }

  /** A claim looks a key up and then sets it, and so does a completion: the hash is made once for all of that. */
  #hashOf(key: string): number {
    if (key !== this.#lastKey) {
      this.#lastKey = key;
      this.#lastHash = fnv1a(key);
    }
    return this.#lastHash;
  }

  #bucketOf(hash: number): number {
    return hash & (this.#buckets.length - 1);
  }
}

/** Keys and values of some places. They are not numbers, and one array of them all would copy itself as it grows. */
interface Chunk<Value> {
  readonly keys: (string | undefined)[];
  readonly values: (Value | undefined)[];
}

const CHUNK = 4096;

/** The place of no entry. */
const NONE = 0;

/** A hash of 32 bits, with a sign, as an `Int32Array` gives it back. */
function fnv1a(text: string): number {
  let value = 0x811c9dc5 | 0;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}

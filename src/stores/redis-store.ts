import { ConfigurationError } from '../errors/configuration-error';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import { LISTED } from './record';
import {
  type ListedRecord,
  type ListPage,
  type NamespaceOptions,
  namespaceOf,
  type ReadRecord,
  type RecordStore,
  StoreOverRecords,
  unexpectedReply,
  type WriteRecord,
} from './record-store';
import { storeCause } from './store-cause';

/** The part of an ioredis client (a `Redis` or a `Cluster`) that the store uses. */
export interface IoredisClient {
  /** Runs a Lua script. */
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Identifies the kind of client; the store never calls it. */
  readonly defineCommand: unknown;
}

/** The part of a `redis` (node-redis) client, pool, cluster or sentinel that the store uses. */
export interface NodeRedisClient {
  /** Runs a Lua script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Identifies the kind of client; the store never calls it. */
  readonly evalSha: unknown;
}

/** The part of an Upstash client (REST) that the store uses. */
export interface UpstashRedisClient {
  /** Runs a Lua script. */
  eval(script: string, keys: string[], values: string[]): Promise<unknown>;
  /** Identifies the kind of client; the store never calls it. */
  readonly createScript: unknown;
}

/** A client of ioredis 5 and later, of redis (node-redis) 4 and later, or of @upstash/redis. */
export type RedisClient = IoredisClient | NodeRedisClient | UpstashRedisClient;

/** Where a {@link RedisStore} keeps its keys: `{prefix}{namespace}/…`. */
export interface RedisStoreOptions extends NamespaceOptions {
  /** The prefix of all keys, for access rules and to keep them apart from yours. Default: `'pix-automatic:'`. */
  readonly prefix?: string | undefined;
}

/**
 * A store in Redis 5 or later, or Valkey, over your client of ioredis, node-redis or Upstash (REST).
 *
 * ```ts
 * const store = new RedisStore(new Redis(process.env.REDIS_URL), { namespace: 'shop' });
 * ```
 *
 * - **Guarantees**: one callback at a time per subject, by Redis's own clock; the effect happens at least once. A new
 *   notification takes three commands, a duplicate one.
 * - **Needs**: `maxmemory-policy noeviction`, since an evicted key is a forgotten notification; the commands `EVAL`,
 *   `TIME`, `HMGET`, `HSET`, `PEXPIREAT`, `EXISTS`, `ZADD`, `ZREM` and `ZRANGEBYLEX`; persistence (`appendonly yes`) if
 *   the records must survive a restart of Redis. Keys expire by themselves. Dead letters and orders of a namespace are in
 *   one slot of a cluster, with an index that `deleteExpired` tidies.
 * - **A failover can lose acknowledged writes**, because Redis replicates asynchronously: a claim or a done state may
 *   be gone, and the callback runs again, even while the first one runs; an order may be gone, and gets a second QR code.
 *   Where that costs money, keep orders in a database, guard the effect by `context.fence`, or write it in the transaction
 *   of a database.
 * - **A dead or silent Redis**: the handler answers 503 after `storeTimeoutMs`. Limit the client's own queue as well:
 *   ioredis's `maxRetriesPerRequest` and `socketTimeout` (`commandTimeout` leaves the silent connection in place, so
 *   every later command waits too). node-redis has no setting that works while commands are sent.
 * - **Upstash**: construct its client with `automaticDeserialization: false`. Otherwise it parses the record.
 */
export class RedisStore extends StoreOverRecords {
  /**
   * @param client - an ioredis, node-redis or Upstash client
   * @throws `ConfigurationError` for a client or a namespace that cannot work
   */
  constructor(client: RedisClient, options: RedisStoreOptions = {}) {
    const own = readNamedOptions('RedisStore', options, OPTIONS);
    const { prefix = 'pix-automatic:' } = own;
    super(new RedisRecords(scriptRunner(client), prefix, namespaceOf(own)), own);
  }
}

const OPTIONS: OptionNames<RedisStoreOptions> = { prefix: true, namespace: true };

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * Reads the record; with arguments, first writes it, if it still has version `ARGV[1]` and the clock is before
 * `ARGV[2]`. With `ARGV[6]`, its name in the index `KEYS[2]`. Redis runs a script atomically.
 */
const RECORD = `${NOW}
local held = redis.call('HMGET', KEYS[1], 'version', 'record')
local version = held[1] or '0'
if #ARGV == 0 then return { version, held[2] or '', now } end
if version ~= ARGV[1] or now >= tonumber(ARGV[2]) then return { 'kept', '', now } end
redis.call('HSET', KEYS[1], 'version', ARGV[3], 'record', ARGV[4])
redis.call('PEXPIREAT', KEYS[1], ARGV[5])
if ARGV[6] then redis.call('ZADD', KEYS[2], 0, ARGV[6]) end
return { 'written', '', now }`;

/** The names in the index after `ARGV[1]` and before `ARGV[2]`. */
const NAMES = `return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])`;

/** The record of each key; an empty text where there is none. */
const TEXTS = `
local found = {}
for index, key in ipairs(KEYS) do found[index] = redis.call('HGET', key, 'record') or '' end
return found`;

/** Removes from the index the names whose record has expired. After the index, the keys are in the order of the names. */
const PRUNE = `
local removed = 0
for index, name in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[index + 1]) == 0 then removed = removed + redis.call('ZREM', KEYS[1], name) end
end
return removed`;

/** How many names of the index one step looks at. */
const BATCH = 100;

/** After all names, which are ASCII. */
const END = '\x7f';

export class RedisRecords implements RecordStore {
  readonly explain = storeCause;
  readonly #run: RunScript;
  readonly #prefix: string;
  /** What is listed lies in one slot of a cluster, together with its index: the braces say so. */
  readonly #place: string;
  readonly #index: string;
  /** The name in the index up to which it is tidy. */
  #tidied = '';

  constructor(run: RunScript, prefix: string, namespace: string) {
    this.#run = run;
    this.#prefix = prefix;
    this.#place = `{${prefix}${namespace}}`;
    this.#index = `${this.#place}/index`;
  }

  async read(key: string): Promise<ReadRecord> {
    const [version, record, now] = await this.#reply([this.#keyOf(key)]);
    if (typeof record !== 'string' || typeof version !== 'string') throw parsedByClient();
    return { record: record === '' ? undefined : record, version: Number(version), now: Number(now) };
  }

  async write(key: string, { record, version, next, before, expiresAt }: WriteRecord): Promise<boolean> {
    const values = [version, before, next, record, expiresAt].map(String);
    const [outcome] = LISTED.test(key)
      ? await this.#reply([this.#keyOf(key), this.#index], ...values, key)
      : await this.#reply([this.#keyOf(key)], ...values);
    if (outcome === 'written') return true;
    if (outcome === 'kept') return false;
    throw unexpectedReply('the script');
  }

  async list(prefix: string, { after = prefix, limit }: ListPage): Promise<readonly ListedRecord[]> {
    const listed: ListedRecord[] = [];
    for (let from = after; ; ) {
      const names = await this.#names(prefix, from, Math.min(limit, BATCH));
      if (names.length === 0) return listed;
      const texts = await this.#run(
        TEXTS,
        names.map((name) => this.#keyOf(name)),
      );
      if (!Array.isArray(texts) || texts.length !== names.length) throw unexpectedReply('the script');
      for (const [index, key] of names.entries()) {
        const record: unknown = texts[index];
        if (typeof record !== 'string') throw parsedByClient();
        if (record !== '') listed.push({ key, record });
        if (listed.length === limit) return listed;
      }
      from = names.at(-1) as string;
    }
  }

  /** Redis deletes the records; this removes their names from the index. Begins after the name where it ended last. */
  async deleteExpired(limit: number): Promise<number> {
    let deleted = 0;
    while (this.#tidied !== END && deleted < limit) {
      const names = await this.#names('', this.#tidied, BATCH);
      if (names.length === 0) {
        this.#tidied = END;
        break;
      }
      const removed = await this.#run(
        PRUNE,
        [this.#index, ...names.map((name) => this.#keyOf(name))],
        ...names,
      );
      if (!Number.isSafeInteger(Number(removed))) throw unexpectedReply('the script');
      deleted += Number(removed);
      this.#tidied = names.at(-1) as string;
    }
    // With nothing left, the next run begins at the first name.
    if (deleted === 0) this.#tidied = '';
    return deleted;
  }

  async #names(prefix: string, after: string, limit: number): Promise<string[]> {
    const from = after === '' ? '-' : `(${after}`;
    const names = await this.#run(
      NAMES,
      [this.#index],
      from,
      prefix === '' ? '+' : `(${prefix}\x7f`,
      String(limit),
    );
    if (!Array.isArray(names)) throw unexpectedReply('the script');
    return names.map(String);
  }

  #keyOf(key: string): string {
    return LISTED.test(key) ? this.#place + key.slice(key.indexOf('/')) : this.#prefix + key;
  }

  async #reply(keys: readonly string[], ...values: string[]): Promise<unknown[]> {
    const reply = await this.#run(RECORD, keys, ...values);
    if (!Array.isArray(reply) || reply.length !== 3) throw unexpectedReply('the script');
    return reply;
  }
}

function parsedByClient(): ConfigurationError {
  return new ConfigurationError(
    'The Redis client parsed a record instead of returning its text. Construct the Upstash client with ' +
      '`automaticDeserialization: false`; give any other client its default parsers.',
  );
}

/** Runs a script on keys of one slot. */
export type RunScript = (script: string, keys: readonly string[], ...values: string[]) => Promise<unknown>;

/** The kinds of client differ in how `eval` takes its arguments. */
export function scriptRunner(client: RedisClient): RunScript {
  if (isClient(client) && 'evalSha' in client) {
    return async (script, keys, ...values) => client.eval(script, { keys: [...keys], arguments: values });
  }
  if (isClient(client) && 'defineCommand' in client) {
    return async (script, keys, ...values) => client.eval(script, keys.length, ...keys, ...values);
  }
  if (isClient(client) && 'createScript' in client) {
    return async (script, keys, ...values) => client.eval(script, [...keys], values);
  }
  throw new ConfigurationError(
    'Expected a Redis client as the first argument: a `new Redis()` of ioredis 5 or later, the result of ' +
      '`createClient()` of redis 4 or later (not in its legacy mode), or a `new Redis()` of @upstash/redis. Pass the ' +
      "client itself, not the driver's module.",
  );
}

function isClient(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

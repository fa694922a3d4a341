import { ConfigurationError } from '../errors';
import {
  type ReadRecord,
  type RecordStore,
  StoreOverRecords,
  unexpectedReply,
  type WriteRecord,
} from './record-store';

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

/** Where a {@link RedisStore} keeps its keys: `{prefix}{namespace}:{subject}`. */
export interface RedisStoreOptions {
  /** The prefix of all keys, for access rules and to keep them apart from yours. Default: `'pix-automatic:'`. */
  readonly prefix?: string | undefined;

  /**
   * Separates listeners that share a Redis: two with the same namespace treat each other's notifications as done.
   * Letters, digits, `.`, `_` and `-`. Default: `'webhooks'`.
   */
  readonly namespace?: string | undefined;
}

/**
 * An idempotency store in Redis 5 or later, or Valkey, over your client of ioredis, node-redis or Upstash (REST).
 *
 * ```ts
 * const store = new RedisStore(new Redis(process.env.REDIS_URL), { namespace: 'shop' });
 * ```
 *
 * - **Guarantees**: those of `IdempotencyStore`, by Redis's own clock. The effect happens at least once; one
 *   callback at a time per subject. A new notification takes three commands, a duplicate one.
 * - **Needs**: `maxmemory-policy noeviction`, since an evicted key is a forgotten notification; the commands `EVAL`,
 *   `TIME`, `HMGET`, `HSET` and `PEXPIREAT`; persistence (`appendonly yes`) if the records must survive a restart of
 *   Redis. Keys expire by themselves.
 * - **A failover can lose acknowledged writes**, because Redis replicates asynchronously: a claim or a done state may
 *   be gone, and the callback runs again, even while the first one runs. Where that costs money, guard the effect by
 *   `context.fence`, or write it in the transaction of a database.
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
    const { prefix = 'pix-automatic:', namespace = 'webhooks' } = options;
    if (!/^[\w.-]+$/.test(namespace)) {
      throw new ConfigurationError(
        "Expected namespace to be one or more letters, digits, '.', '_' or '-'. " +
          'Put other characters, such as separators, in prefix.',
      );
    }
    super(new RedisRecords(scriptRunner(client), `${prefix}${namespace}:`));
  }
}

/**
 * Reads the record; with arguments, first writes it, if it still has version `ARGV[1]` and the clock is before
 * `ARGV[2]`. One key is one slot of a cluster, and Redis runs a script atomically.
 */
export const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'version', 'record')
local version = held[1] or '0'
if #ARGV == 0 then return { version, held[2] or '', now } end
if version ~= ARGV[1] or now >= tonumber(ARGV[2]) then return { 'kept', '', now } end
redis.call('HSET', KEYS[1], 'version', ARGV[3], 'record', ARGV[4])
redis.call('PEXPIREAT', KEYS[1], ARGV[5])
return { 'written', '', now }`;

export class RedisRecords implements RecordStore {
  readonly #run: RunScript;
  readonly #prefix: string;

  constructor(run: RunScript, prefix: string) {
    this.#run = run;
    this.#prefix = prefix;
  }

  async read(subject: string): Promise<ReadRecord> {
    const [version, record, now] = await this.#reply(subject);
    if (typeof record !== 'string' || typeof version !== 'string') {
      throw new ConfigurationError(
        'The Redis client parsed a record instead of returning its text. Construct the Upstash client with ' +
          '`automaticDeserialization: false`; give any other client its default parsers.',
      );
    }
    return { record: record === '' ? undefined : record, version: Number(version), now: Number(now) };
  }

  async write(subject: string, { record, version, next, before, expiresAt }: WriteRecord): Promise<boolean> {
    const numbers = [version, before, next].map(String);
    const [outcome] = await this.#reply(subject, ...numbers, record, String(expiresAt));
    if (outcome === 'written') return true;
    if (outcome === 'kept') return false;
    throw unexpectedReply('the script');
  }

  async #reply(subject: string, ...values: string[]): Promise<unknown[]> {
    const reply = await this.#run(SCRIPT, this.#prefix + subject, ...values);
    if (!Array.isArray(reply) || reply.length !== 3) throw unexpectedReply('the script');
    return reply;
  }
}

/** Runs a script on one key. */
export type RunScript = (script: string, key: string, ...values: string[]) => Promise<unknown>;

/** The kinds of client differ in how `eval` takes its arguments. */
export function scriptRunner(client: RedisClient): RunScript {
  if (isClient(client) && 'evalSha' in client) {
    return async (script, key, ...values) => client.eval(script, { keys: [key], arguments: values });
  }
  if (isClient(client) && 'defineCommand' in client) {
    return async (script, key, ...values) => client.eval(script, 1, key, ...values);
  }
  if (isClient(client) && 'createScript' in client) {
    return async (script, key, ...values) => client.eval(script, [key], values);
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

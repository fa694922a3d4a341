import { StoreError } from '../errors';
import { checkDuration } from '../values/option-checks';
import {
  checkDeadLetterQuery,
  type DeadLetter,
  type DeadLetterQuery,
  type DeadLetters,
  MONTH_MS,
  type NewDeadLetter,
} from './dead-letters';
import { type RedisClient, type RunScript, scriptRunner } from './redis-store';

/** Where {@link RedisDeadLetters} keeps the entries. */
export interface RedisDeadLettersOptions {
  /** The prefix of its two keys, for access rules and to keep them apart from yours. Default: `'pix-automatic:'`. */
  readonly prefix?: string | undefined;
  /** How long an entry is kept after its last failure, in milliseconds. Default: 30 days. */
  readonly retentionMs?: number | undefined;
}

/** How many entries one step reads or deletes. */
const BATCH = 100;

/**
 * Dead letters in Redis 5 or later, over your own client, as `RedisStore` takes it.
 *
 * A hash holds the entries, a sorted set the times of their last failures; both keys have one hash tag, so that they lie
 * on one node of a cluster. Times are the server's own. A failover can lose the newest entries, and a Redis that evicts
 * keys under memory pressure can lose all: use `noeviction`.
 */
export class RedisDeadLetters implements DeadLetters {
  readonly retentionMs: number;
  readonly #run: RunScript;
  readonly #key: string;

  /** @throws `ConfigurationError` for an option that cannot work, or a first argument that is not a Redis client */
  constructor(client: RedisClient, options: RedisDeadLettersOptions = {}) {
    const { prefix = 'pix-automatic:', retentionMs = MONTH_MS } = options;
    this.#run = scriptRunner(client);
    this.#key = `{${prefix}dead-letters}`;
    this.retentionMs = checkDuration('retentionMs', retentionMs);
  }

  async keep(entry: NewDeadLetter): Promise<void> {
    await this.#run(KEEP, this.#key, String(this.retentionMs), entry.key, JSON.stringify(entry));
  }

  async list(query: DeadLetterQuery = {}): Promise<DeadLetter[]> {
    const { since, limit, kind } = checkDeadLetterQuery(query);
    const found: DeadLetter[] = [];
    for (let offset = 0; found.length < limit; offset += BATCH) {
      const values = [this.retentionMs, since, offset, BATCH].map(String);
      const page = await this.#run(LIST, this.#key, ...values);
      if (!Array.isArray(page)) throw unreadable();
      found.push(...page.map(entryOf).filter((entry) => kind === undefined || entry.kind === kind));
      if (page.length < BATCH) break;
    }
    return found.slice(0, limit);
  }

  async forget(key: string): Promise<void> {
    await this.#run(FORGET, this.#key, key);
  }

  async deleteExpired(): Promise<number> {
    for (let deleted = 0; ; ) {
      const count = Number(
        await this.#run(DELETE_EXPIRED, this.#key, String(this.retentionMs), String(BATCH)),
      );
      if (Number.isNaN(count)) throw unreadable();
      deleted += count;
      if (count < BATCH) return deleted;
    }
  }
}

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local times = KEYS[1] .. ':times'`;

/** A value is the first failure, the attempts and the entry, in one text. Numbers need all their digits. */
const KEEP = `${NOW}
local first, attempts = now, 0
local last = redis.call('ZSCORE', times, ARGV[2])
if last and tonumber(last) + ARGV[1] > now then
  first, attempts = string.match(redis.call('HGET', KEYS[1], ARGV[2]) or '', '^(%d+) (%d+)')
  first, attempts = tonumber(first) or now, tonumber(attempts) or 0
end
local value = string.format('%.0f %.0f %.0f %s', first, attempts + 1, now, ARGV[3])
redis.call('HSET', KEYS[1], ARGV[2], value)
redis.call('ZADD', times, now, ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', times, ARGV[1])
return 1`;

const LIST = `${NOW}
local from = math.max(ARGV[2], now - ARGV[1] + 1)
local keys = redis.call('ZRANGEBYSCORE', times, string.format('%.0f', from), '+inf', 'LIMIT', ARGV[3], ARGV[4])
if #keys == 0 then return {} end
return redis.call('HMGET', KEYS[1], unpack(keys))`;

const FORGET = `
redis.call('ZREM', KEYS[1] .. ':times', ARGV[1])
return redis.call('HDEL', KEYS[1], ARGV[1])`;

const DELETE_EXPIRED = `${NOW}
local to = string.format('%.0f', now - ARGV[1])
local keys = redis.call('ZRANGEBYSCORE', times, '-inf', to, 'LIMIT', 0, ARGV[2])
if #keys == 0 then return 0 end
redis.call('ZREM', times, unpack(keys))
redis.call('HDEL', KEYS[1], unpack(keys))
return #keys`;

function entryOf(value: unknown): DeadLetter {
  const match = /^(\d+) (\d+) (\d+) (\{.*\})$/s.exec(String(value));
  if (match === null) throw unreadable();
  const [, first, attempts, last, entry = ''] = match;
  return {
    ...JSON.parse(entry),
    firstFailedAt: Number(first),
    lastFailedAt: Number(last),
    attempts: Number(attempts),
  };
}

function unreadable(): StoreError {
  return new StoreError(
    'Redis gave dead letters that cannot be read. Check that nothing else writes under the prefix.',
  );
}

import { ConfigurationError } from '../../errors';

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

import { ConfigurationError } from '../../errors';

/** What is used of an ioredis client: a `Redis` or a `Cluster`. */
export interface IoredisClient {
  /** Runs a Lua script. */
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Tells the client's kind; not called. */
  readonly defineCommand: unknown;
}

/** What is used of a client of the `redis` package (node-redis): a client, a pool, a cluster or a sentinel. */
export interface NodeRedisClient {
  /** Runs a Lua script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Tells the client's kind; not called. */
  readonly evalSha: unknown;
}

/** A client of ioredis 5 and later, or of redis (node-redis) 4 and later. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** Runs a script on one key. */
export type RunScript = (script: string, key: string, ...values: string[]) => Promise<unknown>;

/** The two kinds of client differ in how `eval` takes its arguments. */
export function scriptRunner(client: RedisClient): RunScript {
  if (isObject(client) && 'evalSha' in client) {
    return async (script, key, ...values) => client.eval(script, { keys: [key], arguments: values });
  }
  if (isObject(client) && 'defineCommand' in client) {
    return async (script, key, ...values) => client.eval(script, 1, key, ...values);
  }
  throw new ConfigurationError(
    'Expected a Redis client as the first argument: a `new Redis()` of ioredis 5 or later, or the result of ' +
      "`createClient()` of redis 4 or later (not in its legacy mode). Pass the client itself, not the driver's module.",
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

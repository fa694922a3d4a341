import { ConfigurationError } from '../../errors';
import { checkDuration } from '../../values/option-checks';
import type { Claim, ClaimResult, IdempotencyStore } from '../idempotency-store';
import { storableState, storableSubject } from '../names';
import type { ParkedNotification, ParkedQuery, ParkRequest } from '../parked';
import { newToken, parkedAsText, readClaim, readParked, unexpectedReply } from '../replies';
import { checkParkedQuery } from '../store-arguments';
import { type RedisClient, type RunScript, scriptRunner } from './client';
import { parkedScript, parkScript, unparkScript } from './parked';
import { claimScript, completeScript, releaseScript } from './scripts';

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
 * An idempotency store in Redis 5 or later, or Valkey, over your ioredis or node-redis client.
 *
 * ```ts
 * const store = new RedisStore(new Redis(process.env.REDIS_URL), { namespace: 'shop' });
 * ```
 *
 * - **Guarantees**: those of {@link IdempotencyStore}. Each step is one Lua script on one key, timed by Redis's `TIME`.
 *   The effect happens at least once; one callback at a time per subject.
 * - **Needs**: `maxmemory-policy noeviction`, since an evicted key is a forgotten notification; the commands `EVAL`,
 *   `TIME`, `GET`, `SET` and `PEXPIREAT` (to park, also the commands of hashes and sorted sets, `PEXPIRE`, `PTTL`,
 *   `EXISTS` and `DEL`); persistence (`appendonly yes`) if the records must survive a restart of Redis. Keys expire by
 *   themselves.
 * - **A crash** before a step's script leaves the old record; a crash after it leaves the new one. If a listener dies
 *   with a lease, the lease runs out, and the next delivery is claimed again.
 * - **A failover can lose acknowledged writes**, because Redis replicates asynchronously: a claim or a done state may
 *   be gone, and the callback runs again, even while the first one runs. Where that costs money, guard the effect by
 *   `context.fence`, or use `PostgresStore` with `transactional: true`.
 * - **A dead Redis**: ioredis queues commands forever by default. The handler then answers 503 after `storeTimeoutMs`;
 *   the client's `maxRetriesPerRequest` and `commandTimeout` limit the queue itself. A command that the client resends
 *   is recognized.
 * - **A Redis that stalls** carries out the claims it has received once it resumes, each with a full lease (40 s by
 *   default). The handler releases a claim that is answered after the handler gave up waiting, and this store releases
 *   one that the client gave up (`commandTimeout`). If the process has ended in the meantime, nothing releases it: the
 *   subject is `busy` for one lease from the moment Redis resumes. That can cost one delivery; the next one comes about
 *   60 s later. If the lost delivery was the sixth and last, the notification is lost.
 */
export class RedisStore implements IdempotencyStore {
  readonly #run: RunScript;
  readonly #prefix: string;

  /**
   * @param client - a `Redis` or `Cluster` of ioredis, or a client, pool, cluster or sentinel of node-redis
   * @throws `ConfigurationError` for an invalid `namespace`, or a first argument that is not a Redis client
   */
  constructor(client: RedisClient, options: RedisStoreOptions = {}) {
    const { prefix = 'pix-automatic:', namespace = 'webhooks' } = options;
    if (!/^[\w.-]+$/.test(namespace)) {
      throw new ConfigurationError(
        "Expected namespace to be one or more letters, digits, '.', '_' or '-'. " +
          'Put other characters, such as separators, in prefix.',
      );
    }
    this.#run = scriptRunner(client);
    this.#prefix = `${prefix}${namespace}:`;
  }

  async claim(subject: string, state: string, leaseMs: number): Promise<ClaimResult> {
    const duration = String(checkDuration('leaseMs', leaseMs));
    // Create the token before the command is sent: if the driver resends it, the script recognizes its own lease.
    const token = newToken();
    try {
      const reply = await this.#run(claimScript, this.#key(subject), token, storableState(state), duration);
      if (!Array.isArray(reply)) throw unexpectedReply('claim');
      const [status, echo, fence, states] = reply;
      return readClaim({ status, token: echo, fence, states }, { subject, state, token });
    } catch (error) {
      // Redis may still carry out a command that the client gave up. This release follows it and frees the subject.
      this.release({ subject, state, token, fence: 0, handledStates: [] }).catch(() => {});
      throw error;
    }
  }

  async complete(claim: Claim, retentionMs: number): Promise<boolean> {
    const duration = String(checkDuration('retentionMs', retentionMs));
    const state = storableState(claim.state);
    const reply = await this.#run(completeScript, this.#key(claim.subject), claim.token, state, duration);
    return statusOf('complete', reply, claim, 'lost', 'completed') === 'completed';
  }

  async release(claim: Claim): Promise<void> {
    const reply = await this.#run(
      releaseScript,
      this.#key(claim.subject),
      claim.token,
      storableState(claim.state),
    );
    statusOf('release', reply, claim, 'released');
  }

  /**
   * Parks the notification under keys that begin with `{prefix}{namespace}{parked}`, all in one slot of a cluster. They
   * hold personal data, in the notification's body, and expire by themselves after `retentionMs`. Each takes as much
   * memory as its body: with `noeviction`, a full Redis refuses to park, and refuses claims as well.
   */
  async park(notification: ParkRequest, retentionMs: number): Promise<void> {
    const duration = String(checkDuration('retentionMs', retentionMs));
    const name = storableSubject(notification.key);
    const reply = await this.#run(parkScript, this.#parkedKey, name, parkedAsText(notification), duration);
    if (!Array.isArray(reply) || reply[0] !== 'parked') throw unexpectedReply('park');
  }

  /** Lists parked notifications, least recently failed first. */
  async parked(query: ParkedQuery = {}): Promise<ParkedNotification[]> {
    const { since, limit, key } = checkParkedQuery(query);
    const name = key === undefined ? '' : storableSubject(key);
    const reply = await this.#run(parkedScript, this.#parkedKey, name, String(since), String(limit));
    const [status, found] = Array.isArray(reply) ? reply : [];
    if (status !== 'parked' || !Array.isArray(found)) throw unexpectedReply('parked');
    return found.map(([entry, first, last, attempts]) => readParked(entry, first, last, attempts));
  }

  /** Removes the notification that is parked under a key. */
  async unpark(key: string): Promise<void> {
    const reply = await this.#run(unparkScript, this.#parkedKey, storableSubject(key));
    if (!Array.isArray(reply) || reply[0] !== 'unparked') throw unexpectedReply('unpark');
  }

  /** Never the key of a subject: those have a colon after the namespace, and a namespace has no brace. */
  get #parkedKey(): string {
    return `${this.#prefix.slice(0, -1)}{parked}`;
  }

  #key(subject: string): string {
    return this.#prefix + storableSubject(subject);
  }
}

/** Returns the reply's status if it is one of the expected ones and the reply belongs to the claim. */
function statusOf(step: string, reply: unknown, claim: Claim, ...expected: string[]): string {
  const [status, token] = Array.isArray(reply) ? reply : [];
  if (token !== claim.token || !expected.includes(status)) throw unexpectedReply(step);
  return status;
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { CallOptions } from '../../../src/client/options';
import type { UndocumentedRequest } from '../../../src/client/request';
import { createOrders, type OrdersOptions } from '../../../src/orders';
import type { CallSource } from '../../../src/recurrence/scheduled-payments';
import { MemoryRecords } from '../../../src/stores/memory-store';
import { RedisRecords, scriptRunner } from '../../../src/stores/redis-store';
import { type NotificationOverrides, notificationRequest } from '../../../src/testing/notification-request';
import { deferred } from '../../helpers/deferred';
import { findMysql } from '../../helpers/mysql';
import { findPostgres } from '../../helpers/postgres';
import { findRedis, redisUrl } from '../../helpers/redis';
import { credentials } from '../../orders/support';
import { inMysql, inPostgres, sharing } from '../two-years/grounds';
import type { Ground, Outside } from '../two-years/two-years';

export const MINUTE_MS = 60_000;

/** What happens to a process, and at which of its statements, calls and writes, counted from 1. */
export interface Trouble {
  readonly at: number;
  readonly when: 'before' | 'after';
  /**
   * - `kill`: it ends, and its connections with it
   * - `cut`: the statement fails; `after`: it has acted, and its reply is lost
   * - `stop`: the process is suspended until `letGo`, a second at most
   */
  readonly what: 'kill' | 'cut' | 'stop';
}

/** How long a process is stopped at most: what the others wait for may be locked by it. */
const STOPPED_MS = 1_000;

/** One order of a shop, and the processes of the shop. */
export class MortalShop {
  readonly key = `order-${randomUUID()}`;
  /** How far the database's clock is ahead, in milliseconds. */
  offset = 0;
  /** While set, `paid` throws. */
  isBroken = false;
  /** What was written where no transaction is. */
  readonly #lines: string[] = [];

  constructor(
    readonly ground: Ground,
    readonly client: OrdersOptions['client'],
    readonly onReport: (report: string) => void = () => undefined,
  ) {}

  /** A process, which may meet with trouble. */
  process(trouble?: Trouble) {
    let steps = 0;
    let isDead = false;
    let hasHit = false;
    const { promise: interrupted, resolve: interrupt } = deferred();
    const { promise: released, resolve: letGo } = deferred();
    const forEver = () => new Promise<never>(() => undefined);
    const meet = async () => {
      hasHit = true;
      if (trouble?.what === 'cut') throw new Error('simulated: the connection was lost');
      interrupt();
      if (trouble?.what === 'stop') return Promise.race([released, sleep(STOPPED_MS)]);
      isDead = true;
      opened.die?.();
      return forEver();
    };
    const outside: Outside = async (act) => {
      if (isDead) return forEver();
      steps += 1;
      const isPlace = steps === trouble?.at;
      if (isPlace && trouble?.when === 'before') await meet();
      const value = await act();
      if (isPlace && trouble?.when === 'after') await meet();
      return isDead ? forEver() : value;
    };
    const opened = this.ground.open(outside, () => this.offset);
    const write = async ({ transaction }: { readonly transaction: unknown }, line: string) => {
      const keyed = `${this.key} ${line}`;
      if (opened.write !== undefined) return void (await opened.write(transaction as never, keyed));
      await outside(async () => void this.#lines.push(keyed));
    };
    const { client } = this;
    const { request } = client as Partial<CallSource>;
    const calls = request && {
      request: <T>(asked: UndocumentedRequest<T>, options?: CallOptions) =>
        outside(() => request.call(client, asked, options) as Promise<T>),
    };
    const orders = createOrders({
      client: {
        createRecurringCheckout: (request, options) =>
          outside(() => client.createRecurringCheckout(request, options)),
        getTransaction: (uuid) => outside(() => client.getTransaction(uuid)),
        ...calls,
      },
      credentials,
      store: opened.store,
      callbackTimeoutMs: 10_000,
      waitMs: 300,
      onReport: ({ code, error, key }) => this.onReport(`${code} of ${key} (${error})`),
      on: {
        paid: async ({ amount, isFirst, sale }, context) => {
          if (this.isBroken) throw new Error('simulated: out of stock');
          await write(context, `paid ${amount} ${isFirst ? 'first' : 'later'} of ${sale}`);
        },
        recurrence: ({ event }, context) => write(context, `event ${event}`),
        returned: ({ amount, left, sale }, context) =>
          write(context, `returned ${amount} left ${left} of ${sale} by ${context.key}`),
      },
    });
    return {
      orders,
      store: opened.store,
      /** Settles once it has been killed or stopped. */
      interrupted,
      letGo,
      isDead: () => isDead,
      hasHit: () => hasHit,
      steps: () => steps,
      end() {
        isDead = true;
        opened.die?.();
      },
    };
  }

  /** What the merchant has written. */
  async entries(): Promise<string[]> {
    const all = (await this.ground.written?.()) ?? this.#lines;
    return all.filter((line) => line.startsWith(this.key)).map((line) => line.slice(this.key.length + 1));
  }
}

export type Running = ReturnType<MortalShop['process']>['orders'];

/** Whether it was answered 200. */
export async function deliver(
  orders: Running,
  kind: keyof NotificationOverrides,
  body: object,
): Promise<boolean> {
  return (await orders.webhook(notificationRequest(kind, body as never, credentials))).status === 200;
}

/** A database of its own for each use. */
export interface MortalPlace {
  readonly name: string;
  readonly isThere: boolean;
  readonly use: (work: (ground: Ground) => Promise<void>) => Promise<void>;
}

/** With what a test's context would do at its end. */
function ending(
  make: (context: Parameters<typeof inPostgres>[1]) => Promise<{ readonly ground: Ground }>,
): MortalPlace['use'] {
  return async (work) => {
    const ends: (() => unknown)[] = [];
    const { ground } = await make({ onTestFinished: (end) => void ends.push(end as () => unknown) });
    try {
      await work(ground);
    } finally {
      for (const end of ends) await end();
    }
  };
}

export async function mortalPlaces(): Promise<readonly MortalPlace[]> {
  const [hasPostgres, hasMysql, hasRedis] = [await findPostgres(), await findMysql(), await findRedis()];
  return [
    {
      name: 'memory',
      isThere: true,
      use: (work) => work(sharing(new MemoryRecords(1_000_000, Date.now))),
    },
    {
      name: 'PostgreSQL, in transactions',
      isThere: hasPostgres,
      use: ending((context) => inPostgres('transactional', context)),
    },
    { name: 'PostgreSQL', isThere: hasPostgres, use: ending((context) => inPostgres('plain', context)) },
    { name: 'MySQL or MariaDB', isThere: hasMysql, use: ending((context) => inMysql('plain', context)) },
    {
      name: 'Redis',
      isThere: hasRedis,
      async use(work) {
        const redis = new Redis(redisUrl);
        const prefix = `mortal-${randomUUID().slice(0, 8)}:`;
        try {
          await work(sharing(new RedisRecords(scriptRunner(redis), prefix, 'default')));
        } finally {
          const keys = await redis.keys(`${prefix}*`);
          if (keys.length > 0) await redis.del(keys);
          redis.disconnect();
        }
      },
    },
  ];
}

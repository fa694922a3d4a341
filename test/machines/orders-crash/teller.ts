import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createOrders } from '../../../src/orders';
import type { Transaction } from '../../../src/service/operations/get-transaction';
import { PostgresStore, RedisStore, type Store } from '../../../src/stores';
import { notificationRequest } from '../../../src/testing/notification-request';
import { credentials } from '../../orders/support';

/** One of the processes of a shop that are told of the same events. */
export interface TellerConfig {
  readonly dialect: 'postgres' | 'redis';
  readonly database: string;
  /** The table of the store, or its namespace. */
  readonly place: string;
  /** Where the merchant writes: a table, or a list. */
  readonly effects: string;
}

interface Ground {
  readonly store: Store<never>;
  readonly write: (transaction: pg.PoolClient | undefined, line: string) => Promise<unknown>;
}

function groundOf({ dialect, database, place, effects }: TellerConfig): Ground {
  if (dialect === 'redis') {
    const redis = new Redis(database);
    const store = new RedisStore(redis, { namespace: place }) as Store<unknown> as Store<never>;
    return { store, write: (_, line) => redis.rpush(effects, line) };
  }
  const pool = new pg.Pool({ connectionString: database, max: 4 });
  const store = new PostgresStore(pool, { table: place, transactional: true });
  return {
    store: store as unknown as Store<never>,
    write: async (transaction, line) => transaction?.query(`INSERT INTO ${effects} VALUES ($1)`, [line]),
  };
}

/** Everything that it is asked about is paid; a sale begins with the key of its order. */
async function getTransaction(uuid: string): Promise<Transaction> {
  const [referenceCode] = uuid.split(' ');
  return { status: 0, uuid, situation: 'PAID', type: 'SALE', amount: 29.9, currency: 'BRL', referenceCode };
}

function main(config: TellerConfig): void {
  const { store, write } = groundOf(config);
  const orders = createOrders({
    client: { getTransaction, createRecurringCheckout: async () => Promise.reject(new Error('not here')) },
    credentials,
    store,
    onReport: () => undefined,
    on: {
      paid: async ({ order, sale }, { transaction }) =>
        void (await write(transaction, `${order} paid ${sale}`)),
      returned: 'ignore',
      recurrence: async ({ order, event }, { transaction }) =>
        void (await write(transaction, `${order} ${event}`)),
    },
  });
  console.log('ready');
  // A line is an event; its answer is the status.
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { status } = await orders.webhook(notificationRequest('recurrence', JSON.parse(line), credentials));
    console.log(String(status));
  });
}

const [, , given] = process.argv;
if (given?.startsWith('{') === true) main(JSON.parse(given));

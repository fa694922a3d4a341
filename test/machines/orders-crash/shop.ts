import { Redis } from 'ioredis';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { PaymentsClient } from '../../../src';
import { createOrders } from '../../../src/orders';
import type { Store } from '../../../src/stores';
import { MysqlStore, PostgresStore, RedisStore } from '../../../src/stores';

/** What one process of a shop does: opens the journey of an order, some times at once, and dies where it is told to. */
export interface ShopConfig {
  readonly dialect: 'postgres' | 'mysql' | 'redis';
  readonly database: string;
  readonly namespace: string;
  readonly baseUrl: string;
  readonly orderKey: string;
  readonly amount: number;
  readonly calls: number;
  /** The process is killed before or after it writes this for the first time. */
  readonly kill?: { readonly when: 'before' | 'after'; readonly write: Write } | undefined;
}

/** The writes of an `open`, in their order. */
export type Write = 'reference' | 'intent' | 'open' | 'uuid' | 'record';

const table = 'orders_crash';

/** The store of this test. Each statement goes through `send`, with all its values. */
export function storeOver(
  { dialect, database, namespace }: Pick<ShopConfig, 'dialect' | 'database' | 'namespace'>,
  send: <Result>(run: () => Promise<Result>, values: readonly unknown[]) => Promise<Result>,
): { readonly store: Store; readonly close: () => Promise<unknown> } {
  if (dialect === 'postgres') {
    const pool = new pg.Pool({ connectionString: database });
    const query = (text: string, values: unknown[] = []) =>
      send(() => pool.query(text, values), [text, ...values]);
    return { store: new PostgresStore({ query }, { table, namespace }), close: () => pool.end() };
  }
  if (dialect === 'mysql') {
    const pool = mysql.createPool(database);
    const execute = (text: string, values: (string | number)[]) =>
      send<[unknown, ...unknown[]]>(() => pool.execute(text, values), [text, ...values]);
    return { store: new MysqlStore({ execute }, { table, namespace }), close: () => pool.end() };
  }
  const redis = new Redis(database);
  const client = {
    defineCommand: redis.defineCommand,
    eval: (script: string, count: number, ...values: string[]) =>
      send(() => redis.eval(script, count, ...values), values.length > count ? values : []),
  };
  return { store: new RedisStore(client, { namespace }), close: () => redis.quit() };
}

/** Which write of an `open` a statement is; the second write of the order is that of its journey. */
function writeOf(values: readonly unknown[], intents: number): Write | undefined {
  const record = values.find((value) => typeof value === 'string' && value.startsWith('{"format"'));
  if (record === undefined) return undefined;
  const key =
    values.map(String).find((value) => /(?:order|open|reference|uuid):/.test(value) && value !== record) ??
    '';
  if (key.includes('reference:')) return 'reference';
  if (key.includes('open:')) return 'open';
  if (key.includes('uuid:')) return 'uuid';
  return intents === 0 ? 'intent' : 'record';
}

async function main(config: ShopConfig): Promise<void> {
  let intents = 0;
  const { store } = storeOver(config, async (run, values) => {
    const write = writeOf(values, intents);
    const isPlace = write !== undefined && write === config.kill?.write;
    if (isPlace && config.kill?.when === 'before') process.kill(process.pid, 'SIGKILL');
    const result = await run();
    if (isPlace && config.kill?.when === 'after') process.kill(process.pid, 'SIGKILL');
    if (write === 'intent') intents += 1;
    return result;
  });
  const orders = createOrders({
    client: new PaymentsClient({ baseUrl: config.baseUrl, apiKey: `pid-${process.pid}`, apiToken: 'token' }),
    store,
  });
  await Promise.all(
    Array.from({ length: config.calls }, async () => {
      try {
        const order = await orders.open(config.orderKey, {
          currency: 'BRL',
          amount: config.amount,
          shopper: {},
          recurrence: { immediatePayment: true },
        });
        if (order.state !== 'open') throw new Error(order.state);
        if (order.qrCode.plain !== `qr-${order.uuid}`) throw new Error('the QR code of another journey');
        console.log(`shown ${order.uuid}`);
      } catch (error) {
        console.log(`failed ${(error as { code?: string }).code ?? String(error)}`);
      }
    }),
  );
  process.exit(0);
}

const [, , given] = process.argv;
if (given?.startsWith('{') === true) await main(JSON.parse(given));

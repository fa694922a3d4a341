import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import mysql from 'mysql2/promise';
import pg from 'pg';
import {
  type Booking,
  createOrders,
  type DecideResult,
  type OrdersOptions,
  type PaidOrder,
  type ReturnedOrder,
} from '../../src/orders';
import type { Transaction } from '../../src/service/operations/get-transaction';
import { MysqlStore, PostgresStore, RedisStore, type Store } from '../../src/stores';
import { MemoryStore } from '../../src/stores/memory-store';
import { notificationRequest } from '../../src/testing';
import type { NotificationOverrides } from '../../src/testing/notification-request';
import { allOf } from '../helpers/all-of';
import { findMysql, mysqlUrl } from '../helpers/mysql';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { findRedis, redisUrl } from '../helpers/redis';
import { credentials, FakeClient, paid, request } from './support';

/** A transaction, as far as these tests write in one. */
export type Tx = { query(text: string, values?: unknown[]): PromiseLike<unknown> } | undefined;

/** A store, and where the merchant writes. */
export interface Place {
  readonly store: Store<never>;
  readonly write: (tx: Tx, key: string, line: string) => Promise<void>;
  readonly read: (key: string) => Promise<string[]>;
  /** Moves the store's clock on; only memory has one that can be moved. */
  readonly skip?: (ms: number) => void;
  /** Lets time pass: the clock is moved on, or all that is recorded becomes that much older. */
  readonly later?: (ms: number) => Promise<void>;
  readonly isTransactional: boolean;
}

export interface PlaceKind {
  readonly name: string;
  readonly isThere: boolean;
  readonly isTransactional: boolean;
  /** A place with a namespace of its own. */
  readonly open: () => Place;
  readonly prepare: () => Promise<void>;
  readonly close: () => Promise<void>;
}

function linesInMemory(): Pick<Place, 'write' | 'read'> {
  const lines: [string, string][] = [];
  return {
    write: async (_tx, key, line) => void lines.push([key, line]),
    read: async (key) => lines.filter(([each]) => each === key).map(([, line]) => line),
  };
}

export function memory(): PlaceKind {
  return {
    name: 'memory',
    isThere: true,
    isTransactional: false,
    open() {
      const clock = { now: Date.parse('2027-01-15T12:00:00Z') };
      const skip = (ms: number) => {
        clock.now += ms;
      };
      return {
        store: new MemoryStore({ clock: () => clock.now }) as Store<unknown> as Store<never>,
        ...linesInMemory(),
        skip,
        later: async (ms) => skip(ms),
        isTransactional: false,
      };
    },
    prepare: async () => undefined,
    close: async () => undefined,
  };
}

function postgres(isThere: boolean, isTransactional: boolean): PlaceKind {
  const run = randomUUID().slice(0, 8);
  const [table, lines] = [`money_${run}`, `money_lines_${run}`];
  const pool = new pg.Pool({ ...postgresConfig, max: 12 });
  const storeIn = (namespace: string) =>
    new PostgresStore(pool, { table, namespace, ...(isTransactional && { transactional: true }) } as never);
  const later = async (namespace: string, ms: number) => {
    const { rows } = await pool.query(`SELECT id, record FROM ${table} WHERE id LIKE $1`, [`${namespace}/%`]);
    for (const { id, record } of rows) {
      const older = record.replace(/\b1\d{12}\b/g, (time: string) => String(Number(time) - ms));
      await pool.query(
        `UPDATE ${table} SET record = $2, version = version - $3, expires_at = expires_at - $3 WHERE id = $1`,
        [id, older, ms],
      );
    }
  };
  return {
    name: `PostgreSQL, ${isTransactional ? 'transactions' : 'leases'}`,
    isThere,
    isTransactional,
    open: () => {
      const namespace = randomUUID();
      return {
        store: storeIn(namespace) as Store<unknown> as Store<never>,
        write: async (tx, key, line) =>
          void (await (tx ?? pool).query(`INSERT INTO ${lines} VALUES ($1, $2)`, [key, line])),
        read: async (key) =>
          (await pool.query(`SELECT line FROM ${lines} WHERE key = $1 ORDER BY id`, [key])).rows.map(
            (row) => row.line,
          ),
        later: (ms) => later(namespace, ms),
        isTransactional,
      };
    },
    async prepare() {
      await pool.query(`CREATE TABLE ${lines} (key text, line text, id serial)`);
      await storeIn('any').createTable();
    },
    async close() {
      if (isThere) await pool.query(`DROP TABLE ${table}, ${lines}`);
      await pool.end();
    },
  };
}

function mariadb(isThere: boolean): PlaceKind {
  const table = `money_${randomUUID().slice(0, 8)}`;
  const pool = mysql.createPool({ uri: mysqlUrl, connectionLimit: 12 });
  const storeIn = (namespace: string) => new MysqlStore(pool, { table, namespace });
  return {
    name: 'MySQL or MariaDB',
    isThere,
    isTransactional: false,
    open: () => ({
      store: storeIn(randomUUID()) as Store<unknown> as Store<never>,
      ...linesInMemory(),
      isTransactional: false,
    }),
    prepare: () => storeIn('any').createTable(),
    async close() {
      if (isThere) await pool.query(`DROP TABLE ${table}`);
      await pool.end();
    },
  };
}

function redis(isThere: boolean): PlaceKind {
  const client = new Redis(redisUrl, { lazyConnect: true });
  return {
    name: 'Redis',
    isThere,
    isTransactional: false,
    open: () => ({
      store: new RedisStore(client, { namespace: randomUUID() }) as Store<unknown> as Store<never>,
      ...linesInMemory(),
      isTransactional: false,
    }),
    prepare: async () => undefined,
    close: async () => client.disconnect(),
  };
}

/** Every kind of store that orders are tested in. */
export async function allPlaces(): Promise<PlaceKind[]> {
  const [hasPostgres, hasMysql, hasRedis] = [await findPostgres(), await findMysql(), await findRedis()];
  return [
    memory(),
    postgres(hasPostgres, true),
    postgres(hasPostgres, false),
    mariadb(hasMysql),
    redis(hasRedis),
  ];
}

/** What a test's `paid` and `returned` do before they write. */
export interface Hooks {
  readonly paid?: (given: PaidOrder, context: HookContext) => unknown;
  readonly returned?: (given: ReturnedOrder, context: HookContext) => unknown;
}

export interface HookContext {
  readonly notification: { readonly raw: Readonly<Record<string, unknown>> };
  readonly transaction: Tx;
  readonly needsPerson: (why: string) => never;
}

/** One order of a shop, and its payer. */
export class Shop {
  readonly key: string;
  readonly client: FakeClient;
  readonly reports: string[] = [];
  orders;

  constructor(
    readonly place: Place,
    readonly hooks: Hooks = {},
    readonly options: Partial<OrdersOptions> = {},
    shared: { readonly key: string; readonly client: FakeClient } = {
      key: `o-${randomUUID()}`,
      client: new FakeClient(),
    },
  ) {
    this.key = shared.key;
    this.client = shared.client;
    this.orders = this.process();
  }

  /** The orders of another process. */
  process(store: Store<never> = this.place.store, client: OrdersOptions['client'] = this.client) {
    const { place, key, hooks } = this;
    const { on, ...options } = this.options as { on?: object };
    return createOrders<readonly [], never>({
      client,
      credentials,
      store,
      waitMs: 500,
      onReport: ({ code }) => this.reports.push(code),
      ...options,
      on: {
        paid: async (given, context) => {
          await hooks.paid?.(given, context as unknown as HookContext);
          const which = given.isFirst ? 'first' : 'later';
          await place.write(context.transaction, key, `paid ${given.sale} ${given.amount} ${which}`);
        },
        returned: async (given, context) => {
          await hooks.returned?.(given, context as unknown as HookContext);
          const { sale, amount, left } = given;
          await place.write(context.transaction, key, `returned ${sale} ${amount} left ${left}`);
        },
        ...on,
      },
    });
  }

  open(fields: object = {}, options: { readonly replace?: boolean } = {}) {
    return this.orders.open(this.key, { ...request, ...fields } as never, options);
  }

  /** The uuid of the journey that it opens. */
  async uuid(fields: object = {}): Promise<string> {
    return String((await this.open(fields)).uuid);
  }

  /** Opens it, and opens it again after that one is closed. */
  async twice(): Promise<[string, string]> {
    const first = await this.uuid();
    await this.orders.close(this.key);
    return [first, await this.uuid()];
  }

  async deliver(kind: keyof NotificationOverrides, body: object, to = this.orders): Promise<number> {
    return (await to.webhook(notificationRequest(kind, body as never, credentials))).status;
  }

  /** What the service says of a sale from now on. */
  says(sale: string, fields: Partial<Transaction> = {}): void {
    this.client.transactions.set(sale, paid(sale, { referenceCode: this.key, ...fields }));
  }

  /** A sale is paid, and the service says so. */
  pay(
    sale: string,
    fields: Partial<Transaction> & { readonly date?: string } = {},
    to = this.orders,
  ): Promise<number> {
    const { date = '2027-01-15 10:00:00', ...said } = fields;
    this.says(sale, said);
    const { referenceCode = this.key, amount = 59.7, currency = 'BRL' } = said;
    return this.deliver('payment', { saleToken: sale, referenceCode, date, amount, currency }, to);
  }

  refund(sale: string, id: string, amount: number, fields: object = {}, to = this.orders): Promise<number> {
    const refund = { uuid: id, amount, status: 'PAID' };
    const sums = { currency: 'BRL', reversedAmount: amount, amountRefunded: amount };
    const body = { saleToken: sale, referenceCode: this.key, ...sums, refund, status: 'PAID', ...fields };
    return this.deliver('refund', body, to);
  }

  reverse(sale: string, id: string, amount: number, status: string): Promise<number> {
    return this.deliver('reversal', {
      uuid: id,
      currency: 'BRL',
      reversedAmount: amount,
      status,
      sale: { uuid: sale },
    });
  }

  lines(): Promise<string[]> {
    return this.place.read(this.key);
  }

  /** Its cases, and those of no order: reason and sale. */
  async cases(): Promise<string[]> {
    return (await allOf(this.orders.cases())).map(({ reason, sale }) => `${reason} ${sale}`).sort();
  }

  /** Those, and what the order itself remembers. */
  async allCases() {
    return [await this.cases(), (await this.orders.find({ key: this.key })).cases];
  }

  /** Has a person book a case, by its id or by the sale whose payment it is. */
  async book(of: string, options: Booking = {}) {
    return inWords(await this.orders.decide(caseId(of), 'book', options));
  }

  /** Has a person dismiss it, even if the service says that it is paid. */
  async dismiss(of: string) {
    return inWords(await this.orders.decide(caseId(of), 'dismiss', { evenIfPaid: true }));
  }

  async caseOf(reason: string) {
    const found = (await allOf(this.orders.cases())).find((each) => each.reason === reason);
    if (found === undefined) throw new Error(`No case ${reason}: ${await this.cases()}`);
    return found;
  }

  async state(): Promise<string> {
    return (await this.orders.find({ key: this.key })).state;
  }
}

const inWords = ({ status, was }: DecideResult) => (was === undefined ? status : `${status}, was ${was}`);

const caseId = (of: string) => (of.startsWith('s-') || of.startsWith('uuid-') ? `payment:${of}:PAID` : of);

/** A new uuid of a sale, a refund or a reversal. */
export const newId = (): string => `s-${randomUUID()}`;

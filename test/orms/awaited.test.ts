import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/stores';
import { notificationRequest } from '../../src/testing';
import { createWebhookHandler } from '../../src/webhooks';
import { type Database, makeDatabase } from './databases';
import type { Orm } from './orm';
import { type Dialect, NAMES, openOrm } from './orms';

// What becomes of a callback that forgets an `await`, and of one that does not. docs/database.md has it as a table.

const run = randomUUID().slice(0, 8);
const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
const databases = {
  postgres: await makeDatabase('postgres', `awaited_${run}`),
  mysql: await makeDatabase('mysql', `awaited_${run}`),
};
afterAll(() => Promise.all([databases.postgres?.drop(), databases.mysql?.drop()]));

// biome-ignore lint/suspicious/noExplicitAny: each ORM has a transaction of its own type
type Tx = any;
/** Writes one row, `a` or `b`. */
type Insert = (name: string) => PromiseLike<unknown>;
type Callback = (insert: Insert, raw: (sql: string) => PromiseLike<unknown>) => unknown;

const RIGHT: Readonly<Record<string, { readonly callback: Callback; readonly rows: number }>> = {
  'awaits one after the other': {
    async callback(insert) {
      await insert('a');
      await insert('b');
    },
    rows: 2,
  },
  'awaits both by Promise.all': { callback: (insert) => Promise.all([insert('a'), insert('b')]), rows: 2 },
  'returns its query': { callback: (insert) => insert('a'), rows: 1 },
  'writes in raw SQL': {
    callback: async (_, raw) => void (await raw("INSERT INTO orm_orders (reference) VALUES ('SALE-a')")),
    rows: 1,
  },
  'resolves with `nothing`': { callback: async () => 'nothing', rows: 0 },
};

/** What each gives: the answer, the report, and which rows were written. */
const REFUSED = '500 nothing_written';
const LOST = '200 b';
const BOTH = '200 a b';

interface Mistakes {
  readonly all: string;
  readonly oneOfTwo: string;
  readonly forEach: string;
}

const CALLBACKS: Readonly<Record<keyof Mistakes, Callback>> = {
  async all(insert) {
    insert('a');
    insert('b');
  },
  async oneOfTwo(insert) {
    insert('a');
    await insert('b');
  },
  async forEach(insert, raw) {
    await raw('SELECT 1 AS one');
    ['a', 'b'].forEach(async (name) => {
      await insert(name);
    });
  },
};

const GIVES: Readonly<Record<string, Mistakes>> = {
  Prisma: { all: REFUSED, oneOfTwo: REFUSED, forEach: REFUSED },
  // A query builder, which is sent when it is awaited.
  Drizzle: { all: REFUSED, oneOfTwo: LOST, forEach: BOTH },
  Knex: { all: REFUSED, oneOfTwo: LOST, forEach: BOTH },
  // Sent when it is made.
  Kysely: { all: REFUSED, oneOfTwo: BOTH, forEach: BOTH },
  TypeORM: { all: REFUSED, oneOfTwo: BOTH, forEach: BOTH },
  Sequelize: { all: REFUSED, oneOfTwo: BOTH, forEach: BOTH },
};

for (const dialect of ['postgres', 'mysql'] as const) {
  for (const name of NAMES[dialect]) {
    const database = databases[dialect];
    describe.skipIf(database === undefined)(`${name} over ${dialect}`, () => {
      callbacks(dialect, name, database as Database);
    });
  }
}

function callbacks(dialect: Dialect, name: string, database: Database) {
  let orm: Orm<Tx>;
  beforeAll(async () => {
    orm = await openOrm(dialect, name, database.url);
    await orm.store.createTable();
  });
  afterAll(() => orm.close());

  const deliver = (callback: Callback) =>
    deliverIn((transaction, saleToken) =>
      callback(
        (row) => orm.insert(transaction, `${saleToken}-${row}`),
        (sql) => orm.query(transaction, sql.replace('SALE', saleToken)),
      ),
    );

  async function deliverIn(callback: (transaction: Tx, saleToken: string) => unknown): Promise<string> {
    const saleToken = randomUUID();
    const codes: string[] = [];
    const handler = createWebhookHandler({
      credentials,
      store: orm.store as Store<Tx>,
      onReport: ({ code }) => codes.push(code),
      on: {
        payment: (_, { transaction }) => callback(transaction, saleToken),
      },
    });
    const { status } = await handler(notificationRequest('payment', { saleToken }, credentials));
    // What was sent late has arrived.
    await sleep(50);
    const rows = await database.query(
      `SELECT reference FROM orm_orders WHERE reference LIKE '${saleToken}-%' ORDER BY reference`,
    );
    const written = rows.map(({ reference }) => String(reference).slice(saleToken.length + 1));
    return [status, ...codes, ...written].join(' ');
  }

  it.each(Object.entries(RIGHT))('a callback that %s is done', async (_, { callback, rows }) => {
    expect(await deliver(callback)).toBe(['200', 'a', 'b'].slice(0, rows + 1).join(' '));
  });

  it.each(Object.entries(CALLBACKS))(
    'a callback with a forgotten `await` gives what the table says: %s',
    async (mistake, callback) => {
      expect(await deliver(callback)).toBe(GIVES[name]?.[mistake as keyof Mistakes]);
    },
  );

  it('one whose first query of two by Promise.all fails writes neither, in the transaction or after it', async () => {
    const failing: Callback = (insert, raw) =>
      Promise.all([raw("INSERT INTO orm_orders (reference) VALUES ('refused')"), insert('a'), insert('b')]);
    expect(await deliver(failing)).toBe('500 callback_failed');
  });

  if (name === 'Kysely')
    it('one that forgets `.execute()` writes nothing, and is refused where it has awaited nothing else', async () => {
      const without = (callback: (insert: Insert) => unknown) =>
        deliverIn((transaction, saleToken) =>
          callback((row) =>
            transaction.insertInto('orm_orders').values({ reference: `${saleToken}-${row}` }),
          ),
        );
      expect(await without(async (insert) => void insert('a'))).toBe(REFUSED);
      expect(await without(async (insert) => void [await insert('a'), await insert('b')])).toBe(REFUSED);
    });
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/stores';
import { notificationRequest } from '../../src/testing';
import { createWebhookHandler } from '../../src/webhooks';
import { type Database, makeDatabase } from './databases';
import { DRIVERS } from './drivers';
import type { Orm } from './orm';
import { type Dialect, NAMES, openAccess } from './orms';

// A callback that ends its transaction by itself: the record is written before it runs, so that it is committed or
// rolled back with what the callback wrote, whatever the ORM makes of it.

const run = randomUUID().slice(0, 8);
const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
const databases = {
  postgres: await makeDatabase('postgres', `endings_${run}`),
  mysql: await makeDatabase('mysql', `endings_${run}`),
};
afterAll(() => Promise.all([databases.postgres?.drop(), databases.mysql?.drop()]));

// biome-ignore lint/suspicious/noExplicitAny: each ORM has a transaction of its own type
type Tx = any;
type End = (orm: Pick<Orm<Tx>, 'query'>, tx: Tx) => unknown;

/** How a callback commits by itself, and how it rolls back, by the ORM's own means and by a statement. */
const ENDS: Readonly<Record<string, { readonly commit: End; readonly rollback: End }>> = {
  'a statement': {
    commit: (orm, tx) => orm.query(tx, 'COMMIT'),
    rollback: (orm, tx) => orm.query(tx, 'ROLLBACK'),
  },
  Knex: { commit: (_, trx) => trx.commit(), rollback: (_, trx) => trx.rollback() },
  Sequelize: {
    commit: (_, transaction) => transaction.commit(),
    rollback: (_, transaction) => transaction.rollback(),
  },
  TypeORM: {
    commit: (_, { queryRunner }) => queryRunner.commitTransaction(),
    rollback: (_, { queryRunner }) => queryRunner.rollbackTransaction(),
  },
};

for (const dialect of ['postgres', 'mysql'] as const) {
  for (const name of [...Object.keys(DRIVERS[dialect]), ...NAMES[dialect]]) {
    const database = databases[dialect];
    describe.skipIf(database === undefined)(`${name} over ${dialect}`, () => {
      ownEndings(dialect, name, database as Database);
    });
  }
}

function ownEndings(dialect: Dialect, name: string, database: Database) {
  let orm: Pick<Orm<Tx>, 'store' | 'insert' | 'close'> & Partial<Pick<Orm<Tx>, 'query'>>;
  beforeAll(async () => {
    orm = await openAccess(dialect, name, database.url);
    await orm.store.createTable();
  });
  afterAll(() => orm.close());

  const rows = async (saleToken: string) => {
    const mark = dialect === 'postgres' ? '$1' : '?';
    return (await database.query(`SELECT id FROM orm_orders WHERE reference = ${mark}`, [saleToken])).length;
  };
  const query: Orm<Tx>['query'] = (tx, text) => (orm.query ?? ((on, sql) => on.query(sql)))(tx, text);

  /** Delivers a payment five times. Gives each answer with its report, and the rows in the end. */
  async function deliverFive(callback: (tx: Tx, saleToken: string, runs: number) => Promise<unknown>) {
    const saleToken = randomUUID();
    const codes: string[] = [];
    let runs = 0;
    const handler = createWebhookHandler({
      credentials,
      store: orm.store as Store<Tx>,
      deadLetters: true,
      onReport: ({ code }) => codes.push(code),
      on: {
        payment: async (_, { transaction }) => {
          runs += 1;
          await callback(transaction, saleToken, runs);
        },
      },
    });
    const answers: string[] = [];
    for (let delivery = 1; delivery <= 5; delivery += 1) {
      const { status } = await handler(notificationRequest('payment', { saleToken }, credentials));
      answers.push([status, ...codes.splice(0)].join(' '));
    }
    const letter = (await handler.deadLetters.list({ limit: 100 })).find(({ key }) =>
      key.includes(saleToken),
    );
    return { answers, runs, rows: await rows(saleToken), letter: letter?.code };
  }

  const ways = Object.entries(ENDS).filter(([way]) => way === 'a statement' || way === name);
  const then = { returns: async () => undefined, throws: () => Promise.reject(new Error('after')) };
  for (const [way, { commit, rollback }] of ways) {
    for (const [how, end] of Object.entries(then)) {
      it(`writes once where the callback commits by itself, by ${way}, and ${how}`, async () => {
        const came = await deliverFive(async (tx, saleToken) => {
          await orm.insert(tx, saleToken);
          await commit({ query }, tx);
          // An ORM may settle now, before its work.
          await sleep(5);
          await end();
        });
        expect(came).toEqual({
          answers: ['200 transaction_ended', '200', '200', '200', '200'],
          runs: 1,
          rows: 1,
          letter: 'transaction_ended',
        });
      });

      it(`writes once where the first callback rolls back by itself, by ${way}, and ${how}`, async () => {
        const came = await deliverFive(async (tx, saleToken, runs) => {
          await orm.insert(tx, saleToken);
          if (runs > 1) return;
          await rollback({ query }, tx);
          await sleep(5);
          await end();
        });
        expect(came.answers).toEqual([expect.stringMatching(/^500 \w+$/), '200', '200', '200', '200']);
        expect(came).toMatchObject({ runs: 2, rows: 1, letter: undefined });
      });
    }
  }
}

import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type StoreSteps, stepsOf } from '../../src/stores/steps';
import { type Database, makeDatabase } from './databases';
import { DRIVERS } from './drivers';
import type { Orm } from './orm';
import { type Dialect, NAMES, openOrm } from './orms';

const run = randomUUID().slice(0, 8);
const databases = {
  postgres: await makeDatabase('postgres', `det_${run}`),
  mysql: await makeDatabase('mysql', `det_${run}`),
};
afterAll(() => Promise.all([databases.postgres?.drop(), databases.mysql?.drop()]));
const OUT = process.env['DETECTIONS'] ?? '/tmp/detections.txt';
const say = (line: string) => appendFileSync(OUT, `${line}\n`);

type Any = any;
/** A raw statement by the ORM's own means, not awaited by itself. */
const only = (process.env['ONLY'] ?? '').split(',').filter(Boolean);

for (const dialect of ['postgres', 'mysql'] as const) {
  for (const name of [...NAMES[dialect], dialect === 'postgres' ? 'pg' : 'mysql2']) {
    const database = databases[dialect] as Database;
    if (only.length && !only.includes(name)) continue;
    describe(`${name} over ${dialect}`, () => {
      let orm: Orm<Any>;
      let steps: StoreSteps<Any>;
      beforeAll(async () => {
        const driver = DRIVERS[dialect][name];
        orm = driver
          ? ({ ...driver(database.url), query: (tx: Any, text: string) => tx.query(text) } as Any)
          : await openOrm(dialect, name, database.url);
        steps = stepsOf(orm.store) as never;
        await orm.store.createTable();
      });
      afterAll(() => orm.close());
      const mark = dialect === 'postgres' ? '$1' : '?';
      const rows = async (id: string) =>
        (await database.query(`SELECT id FROM orm_orders WHERE reference = ${mark}`, [id])).length;

      async function deliver(subject: string, callback: (tx: Any) => unknown) {
        let awaited: unknown;
        const request = { subject, state: 'PAID', retentionMs: 60_000, timeoutMs: 5_000 };
        const result = await steps.transact!(request, async (tx, _c, _r, act) => {
          // As the handler does: a lazy query that is returned is run.
          awaited = await act(async () => void (await callback(tx)));
        });
        const failed = result as { during?: string; error?: Any };
        const why = failed.during
          ? ` ${failed.during} (${String(failed.error?.cause?.message ?? failed.error?.message).slice(0, 60)})`
          : '';
        return { line: `${result.status}${why}`, awaited: JSON.stringify(awaited) };
      }
      const ends: Record<string, (tx: Any, sql: string) => unknown> = {};
      it('detections', async () => {
        const insert = (tx: Any, id: string) => orm.insert(tx, id);
        const nothing: Record<string, (tx: Any, id: string) => unknown> = {
          'awaits its insert': async (tx, id) => void (await insert(tx, id)),
          'returns its insert': (tx, id) => insert(tx, id),
          'forgets to await its insert': async (tx, id) => insertLazily(tx, id),
          'does nothing': async () => undefined,
          'awaits settled promises only': async () => {
            for (let i = 0; i < 50; i += 1) await Promise.all([Promise.resolve(i), null]);
          },
          'throws at once': async () => {
            throw new Error('bug');
          },
          'writes by a pool of its own': async (_tx, id) => {
            await database.query(`INSERT INTO orm_orders (reference) VALUES (${mark})`, [id]);
          },
          'sleeps, then forgets to await': async (tx, id) => {
            await sleep(5);
            void insertLazily(tx, id);
          },
        };
        const insertLazily = (tx: Any, id: string) => {
          const made = insert(tx, id) as Any;
          // Lazy builders are only sent when `then` is called: not touched here.
          if (made instanceof Promise) made.catch(() => undefined);
        };
        for (const [what, callback] of Object.entries(nothing)) {
          const id = randomUUID();
          const { line, awaited } = await deliver(`payment:${id}`, (tx) => callback(tx, id)).catch((e) => ({
            line: `REJECTED ${e}`,
            awaited: '',
          }));
          await sleep(50);
          say(`1 | ${dialect} | ${name} | ${what} | ${awaited ?? '-'} | ${line} | rows ${await rows(id)}`);
        }
        Object.assign(ends, {
          'raw COMMIT': (tx: Any) => orm.query(tx, 'COMMIT'),
          'raw ROLLBACK': (tx: Any) => orm.query(tx, 'ROLLBACK'),
        });
        if (name === 'Knex')
          Object.assign(ends, {
            'trx.commit()': (tx: Any) => tx.commit(),
            'trx.rollback()': (tx: Any) => tx.rollback(),
          });
        if (name === 'Sequelize')
          Object.assign(ends, {
            't.commit()': (tx: Any) => tx.commit(),
            't.rollback()': (tx: Any) => tx.rollback(),
          });
        if (name === 'TypeORM')
          Object.assign(ends, {
            'queryRunner.commit': (tx: Any) => tx.queryRunner.commitTransaction(),
            'queryRunner.rollback': (tx: Any) => tx.queryRunner.rollbackTransaction(),
          });
        if (name === 'Drizzle')
          Object.assign(ends, {
            'tx.rollback() caught': (tx: Any) => {
              try {
                tx.rollback();
              } catch {}
            },
          });
        if (dialect === 'postgres')
          Object.assign(ends, { 'COMMIT AND CHAIN': (tx: Any) => orm.query(tx, 'COMMIT AND CHAIN') });
        if (dialect === 'mysql')
          Object.assign(ends, {
            DDL: (tx: Any) => orm.query(tx, 'CREATE TABLE IF NOT EXISTS ddl2 (id int)'),
          });
        Object.assign(ends, {
          'swallowed SQL error': async (tx: Any) => {
            try {
              await insert(tx, 'refused');
            } catch {}
          },
        });
        for (const [what, end] of Object.entries(ends)) {
          for (const then of ['returns', 'throws']) {
            const id = randomUUID();
            const callback = async (tx: Any) => {
              await insert(tx, id);
              await end(tx, '');
              if (then === 'throws') throw new Error('after');
            };
            const first = await deliver(`payment:${id}`, callback).catch((e) => ({ line: `REJECTED ${e}` }));
            await sleep(20);
            const after = await rows(id);
            const second = await deliver(`payment:${id}`, callback).catch((e) => ({ line: `REJECTED ${e}` }));
            await sleep(20);
            say(
              `2 | ${dialect} | ${name} | ${what}, then ${then} | ${first.line} | rows ${after} | next: ${second.line.slice(0, 40)} | rows ${await rows(id)}`,
            );
          }
        }
      }, 60_000);
    });
  }
}

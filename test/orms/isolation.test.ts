import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withSteps } from '../helpers/store-of';
import { type Database, makeDatabase } from './databases';
import type { Orm } from './orm';
import { NAMES, openOrm } from './orms';

type Row = { readonly transaction_isolation?: string };

// Each of the six ORMs has an option of its own for the level of a transaction, which the store sets in PostgreSQL.

const database = await makeDatabase('postgres', `orms_isolation_${randomUUID().slice(0, 8)}`);
afterAll(() => database?.drop());

describe.skipIf(database === undefined).each(NAMES.postgres)(
  '%s, whose connections begin transactions as serializable',
  (name) => {
    let orm: Orm<object>;
    beforeAll(async () => {
      const url = new URL((database as Database).url);
      url.searchParams.set('options', '-c default_transaction_isolation=serializable');
      // As %20: some read a plus sign as it is.
      orm = await openOrm('postgres', name, url.href.replaceAll('+', '%20'));
      await orm.store.createTable();
    });
    afterAll(() => orm?.close());

    /** Rows come as `{ rows }`, as `[rows, …]` or alone. */
    async function levelOf(tx: object): Promise<unknown> {
      const answer = (await orm.query(tx, 'SHOW transaction_isolation')) as { rows?: Row[] };
      return ([answer.rows ?? answer].flat(2) as Row[])[0]?.transaction_isolation;
    }

    it('begins those of the store as read committed, by the option of the ORM', async () => {
      const levels: unknown[] = [];
      const limits = { timeoutMs: 10_000 };
      await orm.transaction(async (tx) => void levels.push(await levelOf(tx)), limits);
      const request = { subject: `payment:${randomUUID()}`, state: 'PAID', retentionMs: 60_000, ...limits };
      const { transact } = withSteps(orm.store);
      await transact(request, async (tx) => void levels.push(await levelOf(tx)));
      expect(levels).toEqual(['serializable', 'read committed']);
    });
  },
);

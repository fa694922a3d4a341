import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { notificationRequest } from '../../src/testing';
import { createWebhookHandler } from '../../src/webhooks';
import { deferred } from '../helpers/deferred';
import { type TestStore, withSteps } from '../helpers/store-of';
import { type Database, makeDatabase } from './databases';
import type { Orm } from './orm';
import { type Dialect, NAMES, openOrm } from './orms';

const run = randomUUID().slice(0, 8);
const databases = {
  postgres: await makeDatabase('postgres', `orms_${run}`),
  mysql: await makeDatabase('mysql', `orms_${run}`),
};
afterAll(() => Promise.all([databases.postgres?.drop(), databases.mysql?.drop()]));

for (const dialect of ['postgres', 'mysql'] as const) {
  for (const name of NAMES[dialect]) {
    const database = databases[dialect];
    describe.skipIf(database === undefined)(`${name} over ${dialect}`, () => {
      scenarios(dialect, name, database as Database);
    });
  }
}

type Tx = object;
const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };

function scenarios(dialect: Dialect, name: string, database: Database) {
  let orm: Orm<Tx>;
  let store: TestStore<Tx>;
  beforeAll(async () => {
    orm = await openOrm(dialect, name, database.url);
    store = withSteps(orm.store);
    await store.createTable();
  });
  afterAll(() => orm.close());

  const rejections: unknown[] = [];
  const keep = (reason: unknown) => rejections.push(reason);
  beforeAll(() => void process.on('unhandledRejection', keep));
  afterAll(() => void process.off('unhandledRejection', keep));
  afterEach(() => expect(rejections.splice(0)).toEqual([]));

  const newRequest = (changes = {}) => ({
    subject: `payment:${randomUUID()}`,
    state: 'PAID',
    retentionMs: 60_000,
    timeoutMs: 10_000,
    ...changes,
  });

  async function effects({ subject }: { readonly subject: string }): Promise<number> {
    const mark = dialect === 'postgres' ? '$1' : '?';
    return (await database.query(`SELECT id FROM orm_orders WHERE reference = ${mark}`, [subject])).length;
  }

  /** Expects that nothing of a transaction is left, and that the next delivery succeeds. */
  async function expectNothing(request: ReturnType<typeof newRequest>) {
    expect(await effects(request)).toBe(0);
    await expect
      .poll(() => store.transact(request, (tx) => insert(tx, request)).catch(() => undefined))
      .toMatchObject({ status: 'completed' });
    expect(await effects(request)).toBe(1);
  }

  async function insert(tx: Tx, { subject }: { readonly subject: string }): Promise<void> {
    await orm.insert(tx, subject);
  }

  it('commits the write together with the record, and does nothing for a duplicate', async () => {
    const request = newRequest();
    const first = await store.transact(request, async (tx, claim) => {
      expect(claim).toMatchObject({ subject: request.subject, state: 'PAID', handledStates: [] });
      await insert(tx, request);
      expect(await effects(request)).toBe(0);
    });
    expect(first).toEqual({ status: 'completed' });
    expect(await effects(request)).toBe(1);
    expect(await store.transact(request, neverRun)).toMatchObject({ status: 'done' });
    await store.transact({ ...request, state: 'REFUNDED' }, async (_, { handledStates }) => {
      expect(handledStates).toEqual(['PAID']);
    });
  });

  it('runs one of 20 callbacks at once', async () => {
    const request = newRequest();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { status } = await store.transact(request, async (tx) => {
          await insert(tx, request);
          await sleep(200);
        });
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 'completed')).toHaveLength(1);
    expect(await effects(request)).toBe(1);
  });

  it('is busy without waiting where another began while it prepared', async () => {
    const request = newRequest();
    const [begun, answered] = [deferred(), deferred()];
    const slow = store.transact({ ...request, prepare: () => begun.promise }, neverRun);
    const first = store.transact(request, async () => {
      begun.resolve();
      await answered.promise;
    });
    const { status } = await Promise.race([slow, first]);
    expect(status).toBe('busy');
    answered.resolve();
    expect(await first).toEqual({ status: 'completed' });
  });

  it('rolls back and rethrows what the callback throws', async () => {
    const request = newRequest();
    const error = new Error('out of stock');
    const failing = store.transact(request, async (tx) => {
      await insert(tx, request);
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    await expectNothing(request);
  });

  if (dialect === 'postgres')
    it('never commits after an SQL error that the callback caught', async () => {
      const request = newRequest();
      const swallowing = store.transact(request, async (tx) => {
        await insert(tx, request);
        await insert(tx, { subject: 'refused' }).catch(() => undefined);
      });
      await expect(swallowing).rejects.toMatchObject({
        code: 'store_failed',
        message: expect.stringContaining('probably caught an SQL error'),
      });
      await expectNothing(request);
    });

  if (dialect === 'postgres')
    it('fails where a deferred constraint fails at COMMIT', async () => {
      const request = newRequest();
      const failing = store.transact(request, async (tx) => {
        await insert(tx, request);
        await insert(tx, request);
      });
      const error: { message?: string; cause?: unknown } = await failing.catch((reason) => reason);
      expect(`${error.message} ${error.cause}`).toMatch(/unique|duplicate|validation/i);
      await expectNothing(request);
    });

  it('commits a nested transaction, and goes on after one that failed', async () => {
    const request = newRequest();
    const result = await store.transact(request, async (tx) => {
      await nested(tx, async (inner) => {
        await insert(inner, request);
        await orm.query(inner, 'SELECT 1 AS one');
        await insert(inner, { subject: 'refused' });
      }).catch(() => undefined);
      await nested(tx, (inner) => insert(inner, request));
    });
    expect(result).toEqual({ status: 'completed' });
    expect(await effects(request)).toBe(1);
  });

  /** The ORM's own, or savepoints by hand where it has none. */
  async function nested(tx: Tx, work: (inner: Tx) => Promise<void>): Promise<void> {
    if (orm.nested !== undefined) return void (await orm.nested(tx, work));
    await orm.query(tx, 'SAVEPOINT merchant');
    try {
      await work(tx);
    } catch (error) {
      await orm.query(tx, 'ROLLBACK TO SAVEPOINT merchant');
      throw error;
    }
    await orm.query(tx, 'RELEASE SAVEPOINT merchant');
  }

  if (dialect === 'postgres')
    it('retries a SERIALIZABLE transaction, each time from the beginning', async () => {
      if (orm.serializable === undefined) throw new Error('no SERIALIZABLE');
      const serializable = withSteps(orm.open({}, orm.serializable));
      const account = `account-${randomUUID()}`;
      let runs = 0;
      const requests = Array.from({ length: 4 }, () => newRequest());
      const results = await Promise.all(
        requests.map((request) =>
          serializable.transact(request, async (tx) => {
            runs += 1;
            await orm.query(
              tx,
              `SELECT count(*)::text AS n FROM orm_orders WHERE reference LIKE '${account}%'`,
            );
            await sleep(50);
            await insert(tx, { subject: `${account}-${request.subject}` });
            await insert(tx, request);
          }),
        ),
      );
      expect(results).toEqual(Array(4).fill({ status: 'completed' }));
      expect(runs).toBeGreaterThan(4);
      expect(await Promise.all(requests.map(effects))).toEqual([1, 1, 1, 1]);
    });

  it('finds the state done where it is run again after a commit whose reply was lost', async () => {
    const request = newRequest();
    const losing = withSteps(
      orm.open({}, async (work, limits) => {
        await orm.transaction(work, limits);
        await orm.transaction(work, limits);
      }),
    );
    const callback = vi.fn((tx: Tx) => insert(tx, request));
    expect(await losing.transact(request, callback)).toMatchObject({ status: 'done' });
    expect(callback).toHaveBeenCalledOnce();
    expect(await effects(request)).toBe(1);
  });

  it('commits a callback that ends within its hold, and none that ends later', async () => {
    const quick = withSteps(orm.open({ holdMs: 2_000, stepTimeoutMs: 1_000 }));
    const request = newRequest({ timeoutMs: 100 });
    const slow = quick.transact(request, async (tx) => {
      await sleep(300);
      await insert(tx, request);
    });
    expect(await slow).toEqual({ status: 'completed' });

    const held = withSteps(orm.open({ holdMs: 200, stepTimeoutMs: 200 }));
    const tooLong = newRequest({ timeoutMs: 100 });
    const { promise: ended, resolve: end } = deferred();
    const late = held.transact(tooLong, async (tx) => {
      await insert(tx, tooLong);
      await ended;
    });
    await expect(late).rejects.toThrow();
    end();
    await expectNothing(tooLong);
  });

  it('commits nothing where the server ends the session during the callback', async () => {
    const request = newRequest();
    const ended = store.transact(request, async (tx) => {
      await insert(tx, request);
      await database.endSessions();
      await sleep(100);
    });
    await expect(ended).rejects.toThrow();
    await expectNothing(request);
  });

  if (dialect === 'mysql')
    it('commits after an SQL error that the callback caught, which nobody can see, but not after DDL', async () => {
      const request = newRequest();
      const swallowing = store.transact(request, async (tx) => {
        await insert(tx, request);
        await insert(tx, { subject: 'refused' }).catch(() => undefined);
      });
      expect(await swallowing).toEqual({ status: 'completed' });
      expect(await effects(request)).toBe(1);

      const other = newRequest();
      const committing = store.transact(other, async (tx) => {
        await orm.query(tx, 'CREATE TABLE IF NOT EXISTS ddl (id int)');
      });
      await expect(committing).rejects.toThrow('its transaction cannot be committed');
      // DDL commits by itself, and the record with it.
      expect(await store.transact(other, neverRun)).toMatchObject({ status: 'done' });
    });

  it('answers a delivery 200 once it is committed, also where the ORM ran the callback twice', async () => {
    let runs = 0;
    const again = orm.open({}, (work, limits) =>
      orm.transaction(work, limits).then(undefined, () => orm.transaction(work, limits)),
    );
    const handler = createWebhookHandler({
      credentials,
      store: again,
      onReport: () => undefined,
      on: {
        payment: async ({ payload }, { transaction }) => {
          runs += 1;
          await orm.insert(transaction, payload.saleToken);
          if (runs === 1) throw new Error('a deadlock');
        },
      },
    });
    const saleToken = randomUUID();
    const deliver = () => handler(notificationRequest('payment', { saleToken }, credentials));
    expect((await deliver()).status).toBe(200);
    expect((await deliver()).status).toBe(200);
    expect([runs, await effects({ subject: saleToken })]).toEqual([2, 1]);
  });

  const parts = (request: ReturnType<typeof newRequest>) =>
    ['a', 'b', 'c'].map((part) => ({ subject: `${request.subject}-${part}` }));

  if (name === 'Prisma')
    it('commits nothing where a query was not awaited', async () => {
      const sent = newRequest();
      const ended = store.transact(sent, async (tx) => {
        parts(sent).forEach(async (each) => {
          await insert(tx, each);
        });
      });
      await expect(ended).rejects.toThrow('before `order.create`, which nothing awaited');
      expect(await Promise.all(parts(sent).map(effects))).toEqual([0, 0, 0]);
    });
  else
    it('commits what was sent without being awaited, and cannot see what is sent later (docs/database.md says so)', async () => {
      const sent = newRequest();
      const status = await store.transact(sent, async (tx) => {
        parts(sent).forEach(async (each) => {
          await insert(tx, each);
        });
      });
      expect(status).toEqual({ status: 'completed' });
      expect(await Promise.all(parts(sent).map(effects))).toEqual([1, 1, 1]);

      const pausing = newRequest();
      const [first, second] = parts(pausing) as [{ subject: string }, { subject: string }];
      let helper: Promise<unknown> | undefined;
      const late = await store.transact(pausing, async (tx) => {
        const forgotten = async () => {
          await insert(tx, first);
          await sleep(100);
          await insert(tx, second);
        };
        helper = forgotten().then(
          () => 'written outside the transaction',
          () => 'refused by the ORM',
        );
      });
      expect(late).toEqual({ status: 'completed' });
      const outside = name === 'Drizzle';
      expect(await helper).toBe(outside ? 'written outside the transaction' : 'refused by the ORM');
      expect([await effects(first), await effects(second)]).toEqual([1, outside ? 1 : 0]);
    });

  it('fails where the callback ends its transaction itself', async () => {
    const request = newRequest();
    const ending = store.transact(request, async (tx) => {
      await orm.query(tx, 'ROLLBACK');
    });
    await expect(ending).rejects.toThrow();
    await expectNothing(request);
  });
}

async function neverRun(): Promise<void> {
  throw new Error('must not run');
}

import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool, type PoolConnection, type RowDataPacket } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MysqlStore, mysqlStoreWithin, type StoreWithin } from '../../../src/stores';
import type { IdempotencyStore } from '../../../src/webhooks';
import { findMysqlProgram, type OwnMysql, startOwnMysql } from '../../helpers/mysql-server';
import { startTcpProxy } from '../../helpers/tcp-proxy';
import { lease } from '../../stores/limits';
import { expectCommitFoundLater, expectToLeaveSilence, expectToSurvive } from './checks';
import { LEASE_MS, STORE_TIMEOUT_MS, startListener } from './listener';

const program = findMysqlProgram();

describe.skipIf(program === undefined)('A listener whose MariaDB goes away', () => {
  /** A server, the test's own way to it that is never cut, and the merchant's table. */
  async function startServer() {
    const server = await startOwnMysql(program as string);
    const pool = open(server.url);
    await pool.query('CREATE TABLE effects (id varchar(100))');
    const recorded = new MysqlStore(pool);
    await recorded.createTable();
    const effects = async () => {
      const [rows] = await pool.query<RowDataPacket[]>('SELECT id FROM effects ORDER BY id');
      return rows.map(({ id }) => String(id));
    };
    return { server, recorded, effects };
  }

  function open(uri: string): Pool {
    const pool = createPool({ uri, connectionLimit: 3, connectTimeout: 2_000 });
    onTestFinished(() => void pool.end().catch(() => undefined));
    return pool;
  }

  const within = (pool: Pool): StoreWithin<PoolConnection> =>
    mysqlStoreWithin<PoolConnection>(
      {
        async transaction(work) {
          const connection = await pool.getConnection();
          try {
            await connection.beginTransaction();
            await work(connection);
            await connection.commit();
          } catch (error) {
            connection.destroy();
            throw error;
          }
          connection.release();
        },
        query: async (connection, text, values) =>
          (await (connection ?? pool).query(text, values))[0] as unknown[],
      },
      { maxTransactions: 3, stepTimeoutMs: STORE_TIMEOUT_MS },
    );

  const plain = (pool: Pool): IdempotencyStore<PoolConnection> => new MysqlStore(pool) as never;

  const write = (id: string, connection: PoolConnection | undefined) =>
    connection?.query('INSERT INTO effects VALUES (?)', [id]);

  describe.each([
    ['plain', plain],
    ['in the merchant’s transaction', within],
  ])('%s', (mode, storeOver) => {
    const listen = (pool: Pool) =>
      startListener<PoolConnection>(storeOver(pool), async ({ payload }, { transaction }) => {
        await write(payload.saleToken, transaction);
        await sleep(20);
      });

    it.each<[string, (server: OwnMysql) => unknown, (server: OwnMysql) => unknown]>([
      ['is frozen', (server) => server.freeze(), (server) => server.thaw()],
      ['crashes', (server) => server.stop(), (server) => server.start()],
    ])(
      'answers 5xx while it %s, acknowledges nothing unrecorded, and recovers',
      async (_, down, up) => {
        const { server, recorded, effects } = await startServer();
        const listener = await listen(open(server.url));
        const ids = await expectToSurvive(
          listener,
          recorded,
          () => down(server),
          () => up(server),
        );
        if (mode !== 'plain') expect(await effects()).toEqual(ids.sort());
      },
      90_000,
    );

    it('recovers from connections that went silent, over a pool that closes them', async () => {
      const { server } = await startServer();
      const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
      const pool = open(`mysql://root@127.0.0.1:${proxy.port}/test`);
      closeSilent(pool, 1_000);
      const limits = { storeTimeoutMs: 3_000, callbackTimeoutMs: 4_000 };
      const goSilent = async () => {
        // So that all connections are open.
        await Promise.all([1, 2, 3].map(() => pool.query('SELECT SLEEP(0.1)')));
        proxy.silence();
      };
      await expectToLeaveSilence(storeOver(pool), limits, goSilent, 4);
    }, 60_000);
  });

  it('carries out late claims that end with their lease, and lets the next delivery claim', async () => {
    const { server, recorded } = await startServer();
    const late = new MysqlStore(open(server.url));
    await late.claim('payment:connected', 'PAID', lease(1));
    server.freeze();
    const claim = late.claim('payment:sale-1', 'PAID', lease(1_500));
    expect(await Promise.race([claim, sleep(STORE_TIMEOUT_MS, 'given up')])).toBe('given up');
    server.thaw();
    expect(await claim).toMatchObject({ status: 'claimed' });
    expect(await recorded.claim('payment:sale-1', 'PAID', lease(40_000))).toEqual({ status: 'busy' });
    await sleep(1_500);
    expect(await recorded.claim('payment:sale-1', 'PAID', lease(40_000))).toMatchObject({
      status: 'claimed',
    });
  });

  it('does nothing late after the limit of the claim, when a frozen server resumes between read and write', async () => {
    const { server, recorded } = await startServer();
    const pool = open(server.url);
    await pool.query('SELECT 1');
    const late = new MysqlStore({
      execute: (sql, values) => {
        if (sql.startsWith('INSERT')) server.freeze();
        return pool.execute(sql, values);
      },
    });
    const claim = late.claim('payment:sale-1', 'PAID', { leaseMs: LEASE_MS, withinMs: STORE_TIMEOUT_MS });
    claim.catch(() => undefined);
    await sleep(STORE_TIMEOUT_MS * 2);
    server.thaw();
    await expect(claim).rejects.toMatchObject({ code: 'store_failed' });
    expect(await recorded.claim('payment:sale-1', 'PAID', lease(40_000))).toMatchObject({
      status: 'claimed',
    });
  });

  it('does not answer 200 when the reply to COMMIT is lost, and finds the payment done at the next delivery', async () => {
    const { server, effects } = await startServer();
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
    const pool = open(`mysql://root@127.0.0.1:${proxy.port}/test`);
    await expectCommitFoundLater(within(pool), proxy, write);
    expect(await effects()).toEqual(['sale-1']);
  });
});

/** The recipe of docs/stores.md. */
function closeSilent(pool: Pool, afterMs: number): void {
  const timers = new Map<object, NodeJS.Timeout>();
  pool.on('acquire', (connection) =>
    timers.set(
      connection,
      setTimeout(() => connection.destroy(), afterMs),
    ),
  );
  pool.on('release', (connection) => clearTimeout(timers.get(connection)));
}

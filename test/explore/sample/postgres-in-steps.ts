import pg from 'pg';
import type { IdempotencyStore } from '../../../src/webhooks';
import { postgresConfig } from '../../helpers/postgres';
import type { Library } from '../library';
import type { Delivery, Run } from '../world/types';
import type { World } from '../world/world';
import { type RealStore, realTime } from './servers';

type Query = Parameters<pg.PoolClient['query']>[0];

/** PostgreSQL in transactional mode, where each statement of a transaction is its own step. */
export async function postgresInSteps(library: Library, name: string): Promise<RealStore> {
  const pool = new pg.Pool({ ...postgresConfig, max: 8 });
  pool.on('error', () => {});
  // The sample cuts connections on purpose.
  pool.on('connect', (client) => client.on('error', () => {}));
  const table = `explore_tx_${name}`;
  const effects = `explore_effects_${name}`;
  await new library.PostgresStore(pool, { table }).createTable();
  await pool.query(`CREATE TABLE ${effects} (world integer, state text)`);
  return {
    name: 'PostgreSQL in transactions',
    open: (world, number) => {
      const connections = new Map<Delivery, pg.PoolClient>();
      const cut = (delivery: Delivery) => {
        const client = connections.get(delivery);
        connections.delete(delivery);
        world.ledger.ended(delivery, world.storeNow, false);
        client?.release(new Error('cut'));
      };
      const store = new library.PostgresStore(steppedPool(world, pool, connections) as never, {
        table,
        transactional: true,
      });
      const { transact } = store;
      return {
        // One table serves all worlds, so that nothing has to be created in between.
        store: {
          transact: (request: Parameters<typeof transact>[0], work: Parameters<typeof transact>[1]) =>
            transact({ ...request, subject: `${number} ${request.subject}` }, work),
        } as unknown as IdempotencyStore<unknown>,
        write: (transaction, { grant }: Run) =>
          (transaction as { query(text: string, values: unknown[]): Promise<unknown> }).query(
            `INSERT INTO ${effects} VALUES ($1, $2)`,
            [number, grant.state],
          ),
        effectsOf: async (state) => {
          const found = await pool.query(`SELECT FROM ${effects} WHERE world = $1 AND state = $2`, [
            number,
            state,
          ]);
          return found.rowCount ?? 0;
        },
        connectionLost: cut,
        clock: realTime.clock,
        outlast: async () => {
          for (const delivery of [...connections.keys()]) cut(delivery);
          // The server needs a moment to notice that a connection is gone.
          await realTime.outlast(performance.now() + 100);
        },
      };
    },
    close: async () => {
      await pool.query(`DROP TABLE ${table}, ${table}_parked, ${effects}`);
      await pool.end();
    },
  };
}

function steppedPool(world: World, pool: pg.Pool, connections: Map<Delivery, pg.PoolClient>) {
  return {
    totalCount: 0,
    query: () => Promise.reject(new Error('no statement outside of a transaction')),
    connect: (given: (error: Error | undefined, client: unknown) => void) => {
      const { delivery } = world;
      world
        .send('connection', async () => {
          const client = await pool.connect();
          connections.set(delivery, client);
          return client;
        })
        .then(
          (client) => given(undefined, steppedClient(world, delivery, client, connections)),
          (error) => given(error, undefined),
        );
    },
  };
}

function steppedClient(
  world: World,
  delivery: Delivery,
  client: pg.PoolClient,
  connections: Map<Delivery, pg.PoolClient>,
) {
  const isOpen = () => connections.get(delivery) === client;
  return {
    query: (query: Query, values?: unknown[]) => {
      const text = typeof query === 'string' ? query : (query as { text: string }).text;
      return world.send(
        stepName(text),
        async () => {
          if (!isOpen()) throw new Error('the connection is closed');
          return client.query(query as string, values);
        },
        (result) => seen(world, delivery, result as pg.QueryResult),
      );
    },
    release: (error?: Error) => {
      if (!isOpen()) return;
      connections.delete(delivery);
      client.release(error);
    },
    on: () => {},
    removeListener: () => {},
  };
}

/** Tells the ledger of claims, and of the ends of transactions. */
function seen(world: World, delivery: Delivery, result: pg.QueryResult | pg.QueryResult[]): void {
  const last = Array.isArray(result) ? result.at(-1) : result;
  const row = last?.rows[0];
  if (last?.command === 'COMMIT' || last?.command === 'ROLLBACK') {
    world.ledger.ended(delivery, world.storeNow, last.command === 'ROLLBACK');
  } else if (row?.status === 'claimed') {
    const handledStates = JSON.parse(row.states) as string[];
    world.ledger.begun(delivery, delivery.state, { fence: Number(row.fence), handledStates }, world.storeNow);
    world.note(`claimed, with the fence ${row.fence}`);
  }
}

function stepName(text: string): string {
  if (text.includes('advisory')) return 'lock';
  if (text.includes('INSERT') && text.includes('claimed')) return 'claim';
  if (text.includes('UPDATE')) return 'completion';
  return /\w+/.exec(text)?.[0]?.toLowerCase() ?? 'statement';
}

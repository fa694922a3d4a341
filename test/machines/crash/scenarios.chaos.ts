import { afterAll, describe, expect, it } from 'vitest';
import { findMysql } from '../../helpers/mysql';
import { findNodeWithSqlite } from '../../helpers/node-with-sqlite';
import { findMysqlProgram, findPostgresPrograms, hasRedisServer } from '../../helpers/own-servers';
import { findPostgres } from '../../helpers/postgres';
import { findRedis } from '../../helpers/redis';
import { reportMissing } from '../../helpers/servers';
import { chooseSeed } from '../random';
import { isTransactional, type StoreName } from './config';
import { type Row, randomly, runScenario, type Scenario } from './run';
import { realTimes, scenarios, wrongStores } from './scenarios';
import { findPgBouncer } from './servers';

const seed = chooseSeed();
const timeout = 420_000;
const rows: Row[] = [];

const execPath = await findNodeWithSqlite();
const redis = (await findRedis()) && hasRedisServer();
const postgresPrograms = findPostgresPrograms();
const postgres = (await findPostgres()) && postgresPrograms !== undefined;
const mysqlProgram = findMysqlProgram();
const mysql = (await findMysql()) && mysqlProgram !== undefined;
const programs = { postgresPrograms, mysqlProgram };
const pgBouncer = findPgBouncer() !== undefined;
if (!pgBouncer) reportMissing('PgBouncer (pgbouncer)', 'PATH');

const withRealTimes = process.env['CHAOS_REAL_TIMES'] === '1';

describe('The chaos run loses nothing, and doubles no effect in a transaction:', () => {
  afterAll(() => console.log(`\nCRASH_SEED=${seed}\n\n${tableOf(rows)}\n`));

  for (const scenario of withRealTimes ? realTimes : scenarios) {
    const stores = scenario.stores.filter(isThere);
    const misses = stores.length === 0 || (scenario.through === 'PgBouncer' && !pgBouncer);
    it.skipIf(misses)(scenario.name, { timeout }, async () => {
      const outcome = await runScenario({ ...scenario, stores }, { seed, execPath, ...programs });
      rows.push(...outcome);
      for (const row of outcome) expectPromises(row, scenario);
    });
  }
});

describe.skipIf(!redis || !postgres || withRealTimes)('The chaos run finds the store that is', () => {
  it.each(wrongStores)('%s', { timeout }, async (store, finding) => {
    const scenario: Scenario = {
      name: 'listeners killed at random',
      stores: [store],
      through: 'shared servers',
      schedule: randomly(80, 3000),
      kills: true,
    };
    const [row] = await runScenario(scenario, { seed, execPath, ...programs });
    expect(row?.verdict.violations).toContainEqual(expect.stringMatching(finding));
  });
});

function isThere(store: StoreName): boolean {
  if (store === 'memory') return true;
  if (store === 'sqlite') return execPath !== undefined;
  if (store.startsWith('mysql')) return mysql;
  return store.startsWith('redis') ? redis : postgres;
}

function expectPromises({ store, verdict: { figures, violations } }: Row, scenario: Scenario): void {
  expect(violations, store).toEqual([]);
  expect(figures['lost'], store).toBe(0);
  if (isTransactional(store)) expect(figures['doubled'], store).toBe(0);
  // A run without its trouble proves nothing.
  const { kills = 0, pauses = 0, outages = 0, deliveries = 0, notifications = 0 } = figures;
  if (scenario.kills) {
    expect(kills, store).toBeGreaterThan(notifications / 20);
    expect(figures['exhausted'], store).toBeLessThan(notifications / 2);
    if (notifications >= 400) expect(figures['callbacksCutOff'], store).toBeGreaterThan(10);
  }
  if (scenario.trouble !== undefined) expect(pauses + outages, store).toBeGreaterThan(0);
  if (scenario.trouble === undefined && !scenario.kills) expect(figures['exhausted'], store).toBe(0);
  else if (scenario.asksPool !== true) expect(deliveries, store).toBeGreaterThan(notifications);
}

/** The results of all scenarios, as a Markdown table. */
function tableOf(rows: readonly Row[]): string {
  const columns = ['notifications', 'deliveries', 'effects', 'lost', 'doubled'];
  const lines = rows.map(({ scenario, store, verdict: { figures }, seconds }) =>
    [scenario, store, ...columns.map((column) => figures[column]), `${Math.round(seconds)} s`].join(' | '),
  );
  const head = ['scenario', 'store', ...columns, 'time'];
  return [head.join(' | '), head.map(() => '---').join(' | '), ...lines]
    .map((line) => `| ${line} |`)
    .join('\n');
}

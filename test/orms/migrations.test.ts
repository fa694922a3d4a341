import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../src/stores';
import { makeDatabase } from './databases';
import { entities } from './typeorm';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const GUIDE = readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8');
const database = await makeDatabase('postgres', `migrated_${randomUUID().slice(0, 8)}`);

/** Makes the store's table and an order of the merchant's, and tells which of the two tables are left. */
async function prepare(schema = 'public') {
  const url = database?.url ?? '';
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  await pool.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await new PostgresStore(pool, { schema }).createTable();
  const exists = async (name: string) =>
    (await pool.query('SELECT to_regclass($1) IS NOT NULL AS exists', [name])).rows[0].exists;
  return {
    url,
    left: async () => [await exists('orm_orders'), await exists(`${schema}.pix_automatic`)],
  };
}

async function push(url: string, tablesFilter = ''): Promise<void> {
  const args = ['node_modules/drizzle-kit/bin.cjs', 'push', '--force', '--config', 'drizzle-kit.config.ts'];
  const env = { ...process.env, DATABASE_URL: url, TABLES_FILTER: tablesFilter };
  await promisify(execFile)(process.execPath, args, { cwd: FOLDER, env });
}

async function synchronize(url: string, dropSchema: boolean): Promise<void> {
  const dataSource = new DataSource({ type: 'postgres', url, entities, dropSchema, synchronize: true });
  await dataSource.initialize();
  await dataSource.destroy();
}

const tools: [string, (url: string) => Promise<void>][] = [
  ['drizzle-kit push --force', (url) => push(url)],
  ['TypeORM with dropSchema', (url) => synchronize(url, true)],
];
const settings = { timeout: 120_000 };

describe.skipIf(database === undefined)('a tool that makes the database equal to the models', () => {
  afterAll(() => database?.drop());

  it.each(tools)('%s drops the store’s table', settings, async (_, run) => {
    const { url, left } = await prepare();
    await run(url);
    expect(await left()).toEqual([true, false]);
  });

  it.each(tools)('%s leaves it in a schema of its own', settings, async (_, run) => {
    const { url, left } = await prepare('pix');
    await run(url);
    expect(await left()).toEqual([true, true]);
    expect(GUIDE).toContain("schema: 'pix'");
  });

  it('TypeORM leaves it with synchronize alone', async () => {
    const { url, left } = await prepare();
    await synchronize(url, false);
    expect(await left()).toEqual([true, true]);
  });

  it('drizzle-kit leaves it with tablesFilter', settings, async () => {
    const { url, left } = await prepare();
    await push(url, '!pix_automatic*');
    expect(await left()).toEqual([true, true]);
    expect(GUIDE).toContain("tablesFilter: ['!pix_automatic*']");
  });
});

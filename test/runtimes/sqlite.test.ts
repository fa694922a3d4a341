import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findNodeWithSqlite } from '../helpers/node-with-sqlite';

const files = ['test/stores/sqlite-store.test.ts', 'test/orders/order-records.test.ts'];

// `npm test` runs these files too, without SQLite where its Node is 20.
it('what is tested over SQLite passes on a Node that has node:sqlite', async ({ skip }) => {
  const node = await findNodeWithSqlite();
  if (node === undefined) return skip('no Node with node:sqlite');
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--no-color', ...files, '-t', 'SQLite|[Ss]qlite'];
  // What else the files test need not be installed for that Node.
  const env = { ...process.env, CI_REQUIRE_SERVERS: '' };
  const { stdout } = await promisify(execFile)(node, vitest, { env });
  console.log(
    stdout
      .split('\n')
      .filter((line) => /Tests .*passed/.test(line))
      .join(),
  );
  expect(stdout).toMatch(/Test Files +2 passed/);
  expect(stdout).not.toContain('has no node:sqlite');
});

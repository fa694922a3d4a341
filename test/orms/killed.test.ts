import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { chooseSeed, randomFrom } from '../machines/random';
import { makeDatabase } from './databases';
import { type Dialect, NAMES, openOrm } from './orms';

/** Built once, because a process starts in a third of the time then; among the packages, so that it finds them. */
const WORKER = fileURLToPath(new URL('node_modules/.killed-worker.mjs', import.meta.url));
const PROCESSES = 4;
const NOTIFICATIONS = 40;
const KILLS = 4;

const seed = chooseSeed();
const random = randomFrom(seed);
const run = randomUUID().slice(0, 8);
await build({
  entryPoints: [fileURLToPath(new URL('killed-worker.ts', import.meta.url))],
  outfile: WORKER,
  bundle: true,
  packages: 'external',
  alias: { 'pix-automatic-sdk/stores': fileURLToPath(new URL('../../src/stores/index.ts', import.meta.url)) },
  platform: 'node',
  format: 'esm',
});
const databases = {
  postgres: await makeDatabase('postgres', `killed_${run}`),
  mysql: await makeDatabase('mysql', `killed_${run}`),
};
afterAll(() => Promise.all([databases.postgres?.drop(), databases.mysql?.drop()]));

for (const dialect of ['postgres', 'mysql'] as const) {
  const database = databases[dialect];
  describe.skipIf(database === undefined)(`4 processes over ${dialect}, killed at their work`, () => {
    it.each(NAMES[dialect])(
      '%s: no effect is doubled, and none missing',
      { timeout: 300_000 },
      async (name) => {
        const url = database?.url ?? '';
        const orm = await openOrm(dialect, name, url);
        await orm.store.createTable();
        await orm.close();

        const subjects = Array.from({ length: NOTIFICATIONS }, (_, i) => `payment:${name}-${i}`);
        const acknowledged = await deliverAndKill(dialect, name, url, subjects);
        const rows = (await database?.query('SELECT reference FROM orm_orders')) ?? [];
        const effects = subjects.map(
          (subject) => rows.filter(({ reference }) => reference === subject).length,
        );
        const doubled = effects.filter((count) => count > 1).length;
        const withoutEffect = subjects.filter((each, i) => acknowledged.has(each) && effects[i] === 0).length;
        console.log(
          `CRASH_SEED=${seed} ${name} over ${dialect}: ${KILLS} kills, ${doubled} doubled, ${withoutEffect} acknowledged without effect`,
        );
        expect({ doubled, withoutEffect, acknowledged: acknowledged.size }).toEqual({
          doubled: 0,
          withoutEffect: 0,
          acknowledged: NOTIFICATIONS,
        });
      },
    );
  });
}

/** Runs the processes until all notifications are acknowledged, and kills them on the way. */
async function deliverAndKill(dialect: Dialect, name: string, url: string, subjects: string[]) {
  const acknowledged = new Set<string>();
  let kills = 0;
  const runProcess = (slot: number, life = 0): Promise<void> =>
    new Promise((resolve, reject) => {
      const args = [dialect, name, url, String(seed), `${slot}-${life}`, ...subjects];
      const child: ChildProcess = fork(WORKER, args);
      // After so many messages, which are told just before a transaction is completed or just after its commit.
      let left = 2 + Math.floor(12 * random(name, slot, life));
      child.on('message', (message: { acknowledged?: string }) => {
        if (message.acknowledged !== undefined) acknowledged.add(message.acknowledged);
        left -= 1;
        if (left !== 0 || kills === KILLS) return;
        kills += 1;
        child.kill('SIGKILL');
      });
      child.on('exit', (code, signal) => {
        if (signal === 'SIGKILL') resolve(runProcess(slot, life + 1));
        else if (code === 0) resolve();
        else reject(new Error(`a process ended with code ${code}`));
      });
    });
  await Promise.all(Array.from({ length: PROCESSES }, (_, slot) => runProcess(slot)));
  expect(kills).toBe(KILLS);
  return acknowledged;
}

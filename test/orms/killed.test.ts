import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { chooseSeed, randomFrom } from '../machines/random';
import { type Database, makeDatabase } from './databases';
import { DRIVERS } from './drivers';
import { type Dialect, NAMES, openAccess } from './orms';
import { devDependencies } from './package.json';

/** Built once, because a process starts in a third of the time then; among the packages, so that it finds them. */
const BUILT = fileURLToPath(new URL('node_modules/.killed', import.meta.url));
const WORKER = join(BUILT, 'killed-worker.mjs');
const PROCESSES = 4;
/** `CHAOS_SIZE=13` kills, stops and cuts during 520 notifications an ORM. */
const SIZE = Number(process.env['CHAOS_SIZE'] ?? 1);
const NOTIFICATIONS = 40 * SIZE;
/** Of each: processes killed, processes stopped for a moment, and all connections in a callback cut. */
const TROUBLES = 4 * SIZE;

const seed = chooseSeed();
const random = randomFrom(seed);
const run = randomUUID().slice(0, 8);
await build({
  entryPoints: [fileURLToPath(new URL('killed-worker.ts', import.meta.url))],
  outdir: BUILT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  // So that each process loads its own ORM alone.
  splitting: true,
  // Of this folder; the library's own stay in the bundle.
  external: Object.keys(devDependencies),
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
  describe.skipIf(database === undefined)(
    `4 processes over ${dialect}, killed, stopped and cut off at their work`,
    () => {
      it.each([...Object.keys(DRIVERS[dialect]), ...NAMES[dialect]])(
        '%s: no effect is doubled, and none missing',
        { timeout: 300_000 * SIZE },
        async (name) => {
          const url = database?.url ?? '';
          const orm = await openAccess(dialect, name, url);
          await orm.store.createTable();
          await orm.close();

          const subjects = Array.from({ length: NOTIFICATIONS }, (_, i) => `payment:${name}-${i}`);
          const acknowledged = await deliverAndTrouble(dialect, name, url, subjects, database);
          const rows = (await database?.query('SELECT reference FROM orm_orders')) ?? [];
          const effects = subjects.map(
            (subject) => rows.filter(({ reference }) => reference === subject).length,
          );
          const doubled = effects.filter((count) => count > 1).length;
          const withoutEffect = subjects.filter(
            (each, i) => acknowledged.has(each) && effects[i] === 0,
          ).length;
          console.log(
            `CRASH_SEED=${seed} ${name} over ${dialect}: ${NOTIFICATIONS} notifications, ${TROUBLES} kills, stops and cuts each, ${doubled} doubled, ${withoutEffect} acknowledged without effect`,
          );
          expect({ doubled, withoutEffect, acknowledged: acknowledged.size }).toEqual({
            doubled: 0,
            withoutEffect: 0,
            acknowledged: NOTIFICATIONS,
          });
        },
      );
    },
  );
}

/** Runs the processes until all notifications are acknowledged, and disturbs them on the way. */
async function deliverAndTrouble(
  dialect: Dialect,
  name: string,
  url: string,
  subjects: string[],
  database: Database | undefined,
) {
  const acknowledged = new Set<string>();
  const done = { kill: 0, stop: 0, cut: 0 };
  const troubles: Readonly<Record<keyof typeof done, (child: ChildProcess) => unknown>> = {
    kill: (child) => child.kill('SIGKILL'),
    stop: (child) => {
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), 500);
    },
    cut: () => database?.endSessions(),
  };
  const runProcess = (slot: number, life = 0): Promise<void> =>
    new Promise((resolve, reject) => {
      const args = [dialect, name, url, String(seed), `${slot}-${life}`, ...subjects];
      const child: ChildProcess = fork(WORKER, args);
      // After so many messages, which are told just before a transaction is completed or just after its commit.
      const interval = (count: number) => 2 + Math.floor(8 * random(name, slot, life, count));
      let [count, left] = [0, interval(0)];
      child.on('message', (message: { acknowledged?: string }) => {
        if (message.acknowledged !== undefined) acknowledged.add(message.acknowledged);
        left -= 1;
        if (left > 0) return;
        count += 1;
        left = interval(count);
        const kind = (['kill', 'stop', 'cut'] as const).find(
          (each) => done[each] < TROUBLES && done[each] <= Math.min(done.kill, done.stop, done.cut),
        );
        if (kind === undefined) return;
        done[kind] += 1;
        troubles[kind](child);
      });
      child.on('exit', (code, signal) => {
        if (signal === 'SIGKILL') resolve(runProcess(slot, life + 1));
        else if (code === 0) resolve();
        else reject(new Error(`a process ended with code ${code}`));
      });
    });
  await Promise.all(Array.from({ length: PROCESSES }, (_, slot) => runProcess(slot)));
  expect(done).toEqual({ kill: TROUBLES, stop: TROUBLES, cut: TROUBLES });
  return acknowledged;
}

import { spawnSync } from 'node:child_process';

/** Each machine, and the command that it is. */
const machines: Readonly<Record<string, readonly string[]>> = {
  faults: ['tsx', 'test/machines/faults/run.ts'],
  growth: ['tsx', 'test/machines/growth/growth.ts'],
  updates: ['tsx', 'test/machines/growth/updates.ts'],
  oracle: ['tsx', 'test/machines/oracle/run.ts'],
  maintain: ['tsx', 'test/machines/maintain/maintain.ts'],
  orders: ['vitest', 'run', '--project', 'orders'],
  mutation: ['stryker', 'run', 'test/machines/mutation.json'],
  chaos: ['vitest', 'run', '--project', 'chaos'],
};

// npm run machine -- NAME [OPTIONS]
const [name = '', ...options] = process.argv.slice(2);
const command = machines[name];
if (command === undefined) {
  console.error(
    `npm run machine -- NAME [OPTIONS], where NAME is one of ${Object.keys(machines).join(', ')}`,
  );
  process.exit(1);
}
process.exit(spawnSync('npx', [...command, ...options], { stdio: 'inherit' }).status ?? 1);

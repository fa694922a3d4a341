import { parseArgs } from 'node:util';
import { operations } from '../../client/support';
import { createAuthority } from '../../helpers/certificates';
import type { Fault, Operation } from './fault';
import { ProcessWatch } from './leaks';
import { bodyFaults } from './rows/bodies';
import { connectionFaults } from './rows/connection';
import { framingFaults } from './rows/framing';
import { tlsFaults } from './rows/tls';
import { type Problems, runCell } from './run-cell';

/**
 * The fault matrix: every operation under every fault.
 *
 *     npm run machine -- faults
 *     npm run machine -- faults --only gzip          the rows with this in their names
 *     npm run machine -- faults --concurrency 1      to see which cell a complaint about the process belongs to
 */
const { values: args } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    concurrency: { type: 'string', default: '12' },
  },
});
const watch = new ProcessWatch();
const started = performance.now();

const authority = await createAuthority('Authority of the tests');
const faults = [...connectionFaults, ...(await tlsFaults(authority)), ...framingFaults, ...bodyFaults].filter(
  ({ name }) => name.includes(args.only),
);
const results = await runAll(faults);

let survived = 0;
for (const [fault, found] of results) {
  const passed = operations.map((operation) => found.get(operation)?.length === 0);
  survived += passed.filter(Boolean).length;
  console.log(`${passed.map((ok) => (ok ? 'ok  ' : 'FAIL')).join(' ')}  ${fault.name}`);
  for (const [{ name }, problems] of found) {
    for (const problem of problems) console.log(`       ${name}: ${problem}`);
  }
}
const left = await watch.resourcesLeft(3_000);
const ofProcess = [...watch.problems, ...left.map((resource) => `left behind: ${resource}`)];
for (const problem of ofProcess) console.log(`FAIL  ${problem}`);

const cells = results.size * operations.length;
const seconds = ((performance.now() - started) / 1_000).toFixed(1);
console.log(
  `\n${results.size} faults × ${operations.length} operations: ${survived} survived of ${cells} (${seconds} s)`,
);
const allSurvived = cells > 0 && survived === cells && ofProcess.length === 0;
// Not `exitCode`, because leaked resources could keep the process from ending.
process.exit(allSurvived ? 0 : 1);

/** Runs all cells, several at a time, because they mostly wait. */
async function runAll(faults: readonly Fault[]): Promise<Map<Fault, Map<Operation, Problems>>> {
  const results = new Map(faults.map((fault) => [fault, new Map<Operation, Problems>()]));
  const cells = faults.flatMap((fault) => operations.map((operation) => ({ fault, operation }))).values();
  const lanes = Array.from({ length: Number(args.concurrency) }, async () => {
    for (const { fault, operation } of cells) {
      results.get(fault)?.set(operation, await runCell(fault, operation, authority.ca));
    }
  });
  await Promise.all(lanes);
  return results;
}

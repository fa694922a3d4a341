import { parseArgs } from 'node:util';
import { PaymentsClient } from 'pix-automatic-sdk';
import { operations } from '../client/support';
import { createAuthority } from '../helpers/certificates';
import type { Fault, Operation } from './fault';
import { ProcessWatch } from './leaks';
import { bodyFaults } from './rows/bodies';
import { connectionFaults } from './rows/connection';
import { framingFaults } from './rows/framing';
import { redirectFaults } from './rows/redirects';
import { statusFaults } from './rows/statuses';
import { type Problems, runCell } from './run-cell';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    concurrency: { type: 'string', default: '12' },
  },
});

const authority = await createAuthority('Authority of the tests');
const faults: Fault[] = [
  ...connectionFaults,
  ...framingFaults,
  ...bodyFaults,
  ...statusFaults,
  ...redirectFaults,
].filter(({ name }) => name.includes(values.only));
// The platform's fetch is loaded with its first use, and is no leak.
await fetch('data:,');
const watch = new ProcessWatch();
const started = performance.now();

const cells = faults.flatMap((fault) => operations.map((operation) => ({ fault, operation })));
const problems = new Map<Fault, Map<Operation, Problems>>(faults.map((fault) => [fault, new Map()]));
const waiting = cells.values();
const lanes = Array.from({ length: Number(values.concurrency) }, async () => {
  for (const { fault, operation } of waiting) {
    const found = await runCell(fault, operation, authority.ca, (options) => new PaymentsClient(options));
    problems.get(fault)?.set(operation, found);
  }
});
await Promise.all(lanes);

let survived = 0;
for (const [fault, found] of problems) {
  const marks = operations.map((operation) => {
    const passed = found.get(operation)?.length === 0;
    survived += passed ? 1 : 0;
    return passed ? 'ok  ' : 'FAIL';
  });
  console.log(`${marks.join(' ')}  ${fault.name}`);
  for (const [operation, list] of found) {
    for (const problem of list) console.log(`       ${operation.name}: ${problem}`);
  }
}
const left = await watch.resourcesLeft(3_000);
const ofProcess = [...watch.problems, ...left.map((resource) => `left behind: ${resource}`)];
for (const problem of ofProcess) console.log(`FAIL ${problem}`);
const seconds = ((performance.now() - started) / 1_000).toFixed(1);
console.log(
  `\n${faults.length} faults × ${operations.length} operations: ${survived} survived of ${cells.length} (${seconds} s)`,
);
// Not `exitCode`: what was left behind could keep the process from ending.
process.exit(survived < cells.length || ofProcess.length > 0 ? 1 : 0);

import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { assertFlat, type Reading, read } from './memory';
import { assertPrototypesUnchanged } from './oracles';
import type { Target } from './target';
import { authorizationTarget } from './targets/authorization';
import { brCodeTarget } from './targets/br-code';
import { createClientTarget } from './targets/client';
import { createHandlerTarget } from './targets/handler';
import { notificationTarget } from './targets/notification';
import { createPartialAnswerTarget } from './targets/partial-answer';

/**
 * Feeds what comes from outside with mutations of what the document shows.
 *
 *     npm run machine -- fuzz                         200 000 runs, and a seed that is printed
 *     npm run machine -- fuzz --runs 1000 --seed 7    the same runs each time
 *     npm run machine -- fuzz --only client           the targets with this in their names
 */
const { values: args } = parseArgs({
  options: {
    runs: { type: 'string', default: '200000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string', default: '' },
  },
});
const runs = Number(args.runs);
const seed = Number(args.seed);
const SLICES = 20;

const all: readonly Target[] = [
  authorizationTarget,
  notificationTarget,
  brCodeTarget,
  await createHandlerTarget(),
  createClientTarget(),
  createPartialAnswerTarget(),
];
const targets = all.filter(({ name }) => name.includes(args.only));
const shares = targets.reduce((sum, { share }) => sum + share, 0);
const memory: Reading[] = [];
const figures = new Map(targets.map((target) => [target, { runs: 0, ms: 0 }]));
let findings = 0;

console.log(`seed ${seed}, ${runs} runs`);
for (let slice = 0; slice < SLICES && findings === 0; slice += 1) {
  for (const target of targets) await runSlice(target, slice);
  reportIfThrows(assertPrototypesUnchanged);
  memory.push(await read(targets));
}
for (const target of all) await target.close?.();

let total = 0;
for (const [target, { runs, ms }] of figures) {
  total += runs;
  console.log(
    `${target.name.padEnd(20)} ${String(runs).padStart(9)} runs  ${perSecond(runs, ms)} runs/s  ${target.summary()}`,
  );
}
console.log(`memory after each slice (MB): ${memory.map(({ megabytes }) => megabytes.toFixed(0)).join(' ')}`);
if (findings === 0) reportIfThrows(() => assertFlat(memory, total));
const ms = performance.now();
console.log(
  `\nseed ${seed}: ${total} runs in ${(ms / 1_000).toFixed(0)} s (${perSecond(total, ms)} runs/s), findings ${findings}`,
);
process.exit(findings === 0 ? 0 : 1);

async function runSlice(target: Target, slice: number): Promise<void> {
  const figure = figures.get(target) ?? { runs: 0, ms: 0 };
  const numRuns = Math.ceil((runs * target.share) / shares / SLICES);
  const started = performance.now();
  const details = await fc.check(target.property as fc.IAsyncProperty<unknown>, {
    seed: seed + slice,
    numRuns,
  });
  figure.ms += performance.now() - started;
  figure.runs += details.numRuns;
  if (!details.failed) return;
  findings += 1;
  console.error(
    `\nFINDING in ${target.name}, seed ${seed}, slice ${slice}\n${fc.defaultReportMessage(details)}`,
  );
  console.error(details.errorInstance);
}

function reportIfThrows(check: () => void): void {
  try {
    check();
  } catch (error) {
    findings += 1;
    console.error('\nFINDING', error);
  }
}

function perSecond(count: number, ms: number): string {
  return String(Math.round((count / ms) * 1_000)).padStart(6);
}

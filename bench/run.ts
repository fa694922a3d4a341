// Measures this library beside what a merchant would use instead. Prints Markdown; docs/maintainers/performance.md has the goals.
// Run: npm run bench                            all parts
//      npm run bench -- size notification       only these
//      npm run bench -- --beside DIR start      beside another checkout, which is built
//      npm run bench -- --help                  lists the parts
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Goal, PartReport } from './lib/part';
import { prepare } from './lib/prepare';
import { randomFrom } from './lib/random';
import { renderTable } from './lib/table';
import { parts } from './parts';

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    beside: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (options.help) {
  const width = Math.max(...Object.keys(parts).map((name) => name.length));
  const list = Object.entries(parts).map(([name, { measures }]) => `  ${name.padEnd(width)}  ${measures}`);
  console.log(
    `npm run bench -- [--seed NUMBER] [--beside DIR] [PART …]\n\nParts, all of them by default:\n${list.join('\n')}`,
  );
  process.exit();
}
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}

prepare();
const seed = Number(options.seed);
const names = wanted.length > 0 ? wanted : Object.keys(parts);
console.log(
  `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${process.platform} ${process.arch}, seed ${seed}`,
);
const unmet: string[] = [];
for (const name of names) {
  const part = parts[name];
  if (part === undefined) continue;
  const start = performance.now();
  // Each part gets its own random numbers, so that it runs the same way alone as with others.
  const report = await part.run({ seed, random: randomFrom(seed), beside: options.beside });
  const seconds = (performance.now() - start) / 1000;
  console.log(`\n### ${name}: ${part.measures}\n\n${render(report)}\n\n(${seconds.toFixed(0)} s)`);
  unmet.push(...(report.goals ?? []).filter(({ met }) => !met).map(({ what }) => `${name}: ${what}`));
}
if (unmet.length > 0) console.log(`\nNot met in this run:\n${unmet.map((goal) => `- ${goal}`).join('\n')}`);
// End even if a child process hangs.
process.exit();

function render({ tables, goals = [], notes = [] }: PartReport): string {
  const blocks = [...tables.map(renderTable), ...notes];
  if (goals.length > 0) blocks.push(renderTable(goalsTable(goals)));
  return blocks.join('\n\n');
}

function goalsTable(goals: readonly Goal[]) {
  return {
    title: 'Goals',
    columns: ['', 'wanted', 'measured', ''],
    rows: goals.map(({ what, wanted, measured, met }) => [what, wanted, measured, met ? 'met' : 'not met']),
  };
}

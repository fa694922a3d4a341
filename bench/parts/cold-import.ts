import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { interleave, type Samples } from '../lib/interleave';
import { atMost, type BenchContext, type Goal, type PartReport } from '../lib/part';
import { PEERS } from '../lib/prepare';
import { nodeExecutable } from '../lib/programs';
import { median, quantile } from '../lib/statistics';
import { ratio, type Table, times } from '../lib/table';

const run = promisify(execFile);

const ROUNDS = 15;
const VERSIONS = [20, 24];
const MODULES = {
  nothing: null,
  './webhooks': 'pix-automatic-sdk/webhooks',
  'the root': 'pix-automatic-sdk',
  stripe: 'stripe',
};
type Name = keyof typeof MODULES;
const NAMES = Object.keys(MODULES) as Name[];
/** For `./webhooks`, as a share of stripe's processor time. */
const GOAL = 0.2;

/** Time that a new process takes to load a module, minus the time of a process that loads nothing. */
export async function coldImport({ random }: BenchContext): Promise<PartReport> {
  const tables: Table[] = [];
  const goals: Goal[] = [];
  for (const node of VERSIONS) {
    const executable = await nodeExecutable(node);
    for (const format of ['import', 'require'] as const) {
      const loading = await load(executable, format, random);
      const where = `\`${format}\` on Node ${node}`;
      tables.push(tableOf(where, loading));
      const measured = share('./webhooks', loading.processor);
      goals.push(atMost(`of stripe's processor time, ./webhooks, ${where}`, measured, GOAL, times));
    }
  }
  return {
    tables,
    goals,
    notes: [
      `${ROUNDS} rounds, a new process each time, in random order. Of each time, the median of the processes that load nothing is taken off. The processor's time is of all threads. The goals are judged by it, since it hardly depends on what else the machine does.`,
    ],
  };
}

/** Milliseconds of whole processes, with the start of Node. */
interface Loading {
  readonly elapsed: Samples<Name>;
  readonly processor: Samples<Name>;
}

async function load(
  executable: string,
  format: 'import' | 'require',
  random: () => number,
): Promise<Loading> {
  const processor = Object.fromEntries(NAMES.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  const candidates = NAMES.map((name) => {
    const file = moduleThatLoads(name, format);
    const measure = async () => {
      const start = performance.now();
      const { stdout } = await run(executable, [file]);
      processor[name].push(Number(stdout) / 1000);
      return performance.now() - start;
    };
    return [name, measure];
  });
  const elapsed = await interleave<Name>(Object.fromEntries(candidates), { rounds: ROUNDS, random });
  return { elapsed, processor };
}

/** Writes a module where it can import the peers. The module prints its CPU time in microseconds. */
function moduleThatLoads(name: Name, format: 'import' | 'require'): string {
  const directory = join(PEERS, 'node_modules/.cold-import');
  const file = join(directory, `${name.replaceAll(/\W/g, '-')}.${format === 'import' ? 'mjs' : 'cjs'}`);
  mkdirSync(directory, { recursive: true });
  const module = MODULES[name];
  const load =
    format === 'import'
      ? (from: string) => `import * as loaded from '${from}';`
      : (from: string) => `require('${from}');`;
  const report = 'const { user, system } = process.cpuUsage(); process.stdout.write(String(user + system));';
  writeFileSync(file, `${module === null ? '' : load(module)}\n${report}`);
  return file;
}

function tableOf(where: string, { elapsed, processor }: Loading): Table {
  const rows = NAMES.map((name) => [
    name,
    milliseconds(beyondNothing(name, elapsed)),
    [0.25, 0.75].map((part) => milliseconds(beyondNothing(name, elapsed, part))).join(' – '),
    ratio(share(name, elapsed)),
    milliseconds(beyondNothing(name, processor)),
    ratio(share(name, processor)),
  ]);
  const columns = ['', 'ms', 'middle half', '× stripe', "processor's ms", '× stripe'];
  return { title: where, columns, rows: rows.slice(1) };
}

/** The ratio of medians, not the median of ratios: a pause while loading nothing would spoil a whole round. */
function share(name: Name, samples: Samples<Name>): number {
  return beyondNothing(name, samples) / beyondNothing('stripe', samples);
}

function beyondNothing(name: Name, samples: Samples<Name>, part = 0.5): number {
  return quantile(samples[name], part) - median(samples.nothing);
}

function milliseconds(value: number): string {
  return value.toFixed(1);
}

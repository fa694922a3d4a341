import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { interleave } from '../lib/interleave';
import { atMost, type BenchContext, type Goal, type PartReport } from '../lib/part';
import { PEERS } from '../lib/prepare';
import { nodeExecutable, startProgram } from '../lib/programs';
import { median, ratioTo } from '../lib/statistics';
import { ratio, type Table, times } from '../lib/table';

const run = promisify(execFile);

const ROUNDS = 15;
const VERSIONS = [20, 24];
const UUID = '7d1f2a90-3c54-4c8e-9a55-5f3f1c0f6a11';
const GOAL = 0.6;

/** The programs that get a first transaction. Each has the service's `url`. */
const PROGRAMS = {
  'this library': `
import { PaymentsClient } from 'pix-automatic-sdk';
await new PaymentsClient({ baseUrl: url, apiKey: 'k-key', apiToken: 'token' }).getTransaction('${UUID}');`,
  stripe: `
import Stripe from 'stripe';
const { hostname: host, port } = new URL(url);
await new Stripe('sk_test_1', { host, port, protocol: 'http' }).customers.retrieve('${UUID}');`,
};
type Name = keyof typeof PROGRAMS;
const NAMES = Object.keys(PROGRAMS) as Name[];

/** Time from the start of a new process to the end of its first call. It includes what is loaded late. */
export async function firstCall({ random }: BenchContext): Promise<PartReport> {
  const service = await startProgram<{ readonly url: string }>('client-service');
  const tables: Table[] = [];
  const goals: Goal[] = [];
  for (const node of VERSIONS) {
    const executable = await nodeExecutable(node);
    const candidates = NAMES.map((name) => {
      const file = programOf(name);
      const measure = async () => Number((await run(executable, [file, service.ready.url])).stdout);
      return [name, measure];
    });
    const samples = await interleave<Name>(Object.fromEntries(candidates), { rounds: ROUNDS, random });
    const rows = NAMES.map((name) => [
      name,
      median(samples[name]).toFixed(0),
      ratio(ratioTo(samples.stripe, samples[name])),
    ]);
    tables.push({ title: `Node ${node}`, columns: ['', 'ms', '× stripe'], rows });
    const share = ratioTo(samples.stripe, samples['this library']);
    goals.push(atMost(`of stripe's time to the end of the first call, Node ${node}`, share, GOAL, times));
  }
  await service.stop();
  const notes = [
    `${ROUNDS} rounds, a new process each time, in random order, over loopback. The time is the process's own, from its start.`,
  ];
  return { tables, goals, notes };
}

/** Writes the program where it can import the peers. */
function programOf(name: Name): string {
  const directory = join(PEERS, 'node_modules/.first-call');
  const file = join(directory, `${name.replaceAll(/\W/g, '-')}.mjs`);
  mkdirSync(directory, { recursive: true });
  const begin = 'const [, , url] = process.argv;';
  const end = 'process.stdout.write(String(performance.now())); process.exit();';
  writeFileSync(file, `${begin}\n${PROGRAMS[name]}\n${end}`);
  return file;
}

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Samples } from '../lib/interleave';
import type { BenchContext, PartReport } from '../lib/part';
import { ROOT } from '../lib/prepare';
import { runProgram, startProgram } from '../lib/programs';
import { shuffled } from '../lib/random';
import { samplesTable, type Table } from '../lib/table';

const NODES = [20, 24];
const ROUNDS = 15;
const WHAT = ['cold import', 'first call'] as const;

/** In milliseconds. */
type Measured = Readonly<Record<(typeof WHAT)[number], number>>;

/** What a new process pays for the client; with `--beside`, also with another checkout, which must be built. */
export async function start({ random, beside }: BenchContext): Promise<PartReport> {
  const { ready, stop } = await startProgram<{ readonly url: string }>('client-service');
  const roots = { 'this library': ROOT, ...(beside !== undefined && { [beside]: beside }) };
  const tables: Table[] = [];
  for (const node of NODES) {
    const measured = Object.fromEntries(Object.keys(roots).map((name) => [name, [] as Measured[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, root] of shuffled(Object.entries(roots), random)) {
        const entry = pathToFileURL(join(root, 'dist/index.js')).href;
        const input = { entry, service: ready.url };
        measured[name]?.push(await runProgram<Measured>('start', { node, input }));
      }
    }
    for (const what of WHAT) {
      const samples: Samples = Object.fromEntries(
        Object.entries(measured).map(([name, values]) => [name, values.map((each) => each[what])]),
      );
      const format = (ms: number) => ms.toFixed(1);
      const title = `${what} on Node ${node}`;
      tables.push(samplesTable(title, samples, { unit: 'ms', baseline: beside ?? 'this library', format }));
    }
  }
  await stop();
  return { tables, notes: [`${ROUNDS} new processes for each. The first call is a query over loopback.`] };
}

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BenchContext, PartReport } from '../lib/part';
import { ROOT } from '../lib/prepare';
import { runProgram, startProgram } from '../lib/programs';

const DISTANCE_MS = 30;
const SETUPS = [
  {
    what: 'CPU a query over loopback, ms',
    figure: 'cpuMs',
    where: 'near',
    calls: 2_000,
    concurrency: 4,
    times: 1,
  },
  {
    what: `a query at ${DISTANCE_MS} ms, ms`,
    figure: 'ms',
    where: 'distant',
    calls: 100,
    concurrency: 1,
    times: 1,
  },
  {
    what: `10,000 queries at ${DISTANCE_MS} ms, four at a time, s`,
    figure: 'ms',
    where: 'distant',
    calls: 800,
    concurrency: 4,
    // From milliseconds a query to seconds.
    times: 10,
  },
] as const;

/** What a query costs over TLS, beside `fetch` alone; with `--beside`, also beside another checkout, which must be built. */
export async function connections({ beside }: BenchContext): Promise<PartReport> {
  const entryOf = (root: string) => pathToFileURL(join(root, 'dist/index.js')).href;
  const candidates = [
    { name: '`fetch`' },
    ...(beside === undefined ? [] : [{ name: beside, entry: entryOf(beside) }]),
    { name: 'this library', entry: entryOf(ROOT) },
  ];
  const { ready, stop } = await startProgram<Record<'near' | 'distant', string>>('tls-service', {
    input: { distanceMs: DISTANCE_MS },
  });
  const rows: string[][] = [];
  for (const { what, figure, where, calls, concurrency, times } of SETUPS) {
    const measured: string[] = [];
    for (const { name: _, ...of } of candidates) {
      const input = { url: ready[where], ...of, calls, concurrency };
      const result = await runProgram<{ ms: number; cpuMs: number }>('queries', { input });
      measured.push((result[figure] * times).toFixed(1));
    }
    rows.push([what, ...measured]);
  }
  await stop();
  return {
    tables: [{ title: 'Queries over TLS', columns: ['', ...candidates.map(({ name }) => name)], rows }],
    notes: [`The time of 10,000 queries is that of ${SETUPS[2].calls}, multiplied.`],
  };
}

import type { PartReport } from '../lib/part';
import { runProgram, startProgram } from '../lib/programs';

const DISTANCE_MS = 30;
const SETUPS = [
  {
    what: 'CPU a query over loopback, ms',
    of: 'cpuMs',
    where: 'near',
    calls: 2_000,
    concurrency: 4,
    times: 1,
  },
  {
    what: `a query at ${DISTANCE_MS} ms, ms`,
    of: 'ms',
    where: 'distant',
    calls: 100,
    concurrency: 1,
    times: 1,
  },
  {
    what: `10,000 queries at ${DISTANCE_MS} ms, four at a time, s`,
    of: 'ms',
    where: 'distant',
    calls: 800,
    concurrency: 4,
    // From milliseconds a query to seconds.
    times: 10,
  },
] as const;

/** What a connection for each query costs over TLS, beside connections that are kept. */
export async function connections(): Promise<PartReport> {
  const { ready, stop } = await startProgram<Record<'near' | 'distant', string>>('tls-service', {
    input: { distanceMs: DISTANCE_MS },
  });
  const rows: string[][] = [];
  for (const { what, of, where, calls, concurrency, times } of SETUPS) {
    const measured: string[] = [];
    for (const kept of [true, false]) {
      const input = { url: ready[where], kept, calls, concurrency };
      const result = await runProgram<{ ms: number; cpuMs: number }>('queries', { input });
      measured.push((result[of] * times).toFixed(1));
    }
    rows.push([what, ...measured]);
  }
  await stop();
  return {
    tables: [{ title: 'Queries over TLS', columns: ['', '`fetch`, kept connections', 'this library'], rows }],
    notes: [`The time of 10,000 queries is that of ${SETUPS[2].calls}, multiplied.`],
  };
}

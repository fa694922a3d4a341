import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { interleave, type Samples } from '../lib/interleave';
import { atMost, type BenchContext, type Goal, type PartReport } from '../lib/part';
import { ROOT } from '../lib/prepare';
import { runProgram, startProgram } from '../lib/programs';
import { median, ratioTo } from '../lib/statistics';
import { type Table, times } from '../lib/table';
import type { Calls, Measured } from '../programs/connections';

const NODES = [20, 24];
const DISTANCE_MS = 30;
/** `SCALE=0.1` shortens a run, to see whether it works. */
const SCALE = Number(process.env['SCALE'] ?? 1);
const ROUNDS = Math.max(2, Math.round(15 * SCALE));
const CALLS = Math.max(20, Math.round(400 * SCALE));
const DISTANT_CALLS = Math.max(40, Math.round(800 * SCALE));

/** No slower, but for what two runs of the same code differ by. */
const NO_SLOWER = 1.05;

const KY = 'ky alone';
const THIS = 'this library';
const SHIPPED = 'shipped';

type Service = Readonly<Record<'http' | 'tls' | 'distant', string>>;

/** A row of the table, with the goal for its ratio to ky, and to what was shipped. */
interface Row {
  readonly what: string;
  readonly unit: string;
  readonly samples: Samples;
  readonly ofKy?: number;
  readonly ofShipped?: number;
}

/**
 * What connections cost a query and a POST, in one run a version of Node whose candidates take turns: ky alone, this
 * library, and with `--beside` the one of another checkout, which must be built.
 */
export async function connections({ random, beside }: BenchContext): Promise<PartReport> {
  const entryOf = (root: string) => pathToFileURL(join(root, 'dist/index.js')).href;
  const entries: Record<string, string | undefined> = {
    [KY]: undefined,
    ...(beside !== undefined && { [SHIPPED]: entryOf(beside) }),
    [THIS]: entryOf(ROOT),
  };
  const { ready, stop } = await startProgram<Service>('connections-service', {
    input: { distanceMs: DISTANCE_MS },
  });
  const tables: Table[] = [];
  const goals: Goal[] = [];
  for (const node of NODES) {
    const { version, rows } = await measure(node, ready, entries, random);
    tables.push(tableOf(version, rows, Object.keys(entries)));
    goals.push(...rows.flatMap((row) => goalsOf(version, row)));
  }
  await stop();
  return {
    tables,
    goals,
    notes: [
      ...(beside === undefined ? ['SKIPPED: no --beside. Nothing was compared with what is shipped.'] : []),
      `${ROUNDS} rounds, with ${CALLS} calls one after the other for each row; a first call is one of a new process. ky keeps its ` +
        `connections, for a POST too. The time of 10,000 queries at ${DISTANCE_MS} ms is that of ${DISTANT_CALLS} over TLS, multiplied.`,
    ],
  };
}

async function measure(
  node: number,
  service: Service,
  entries: Readonly<Record<string, string | undefined>>,
  random: () => number,
): Promise<{ version: string; rows: Row[] }> {
  const names = Object.keys(entries);
  const callers = await Promise.all(names.map((name) => startCaller(node, entries[name])));
  /** What each candidate gives for the same calls; the first round only warms up. */
  const interleaved = async (calls: Calls) => {
    const measured = Object.fromEntries(names.map((name) => [name, [] as Measured[]]));
    const candidates = names.map((name, index) => [
      name,
      async () => {
        const one = (await callers[index]?.measure(calls)) as Measured;
        measured[name]?.push(one);
        return one.cpu;
      },
    ]);
    await interleave(Object.fromEntries(candidates), { rounds: ROUNDS + 1, random });
    return (figure: keyof Measured): Samples =>
      Object.fromEntries(
        names.map((name) => [name, measured[name]?.slice(1).map((one) => one[figure]) ?? []]),
      );
  };
  const rows: Row[] = [];
  for (const scheme of ['http', 'tls'] as const) {
    for (const operation of ['query', 'post'] as const) {
      const what = `a ${operation === 'post' ? 'POST' : 'query'} over ${scheme === 'tls' ? 'TLS' : 'HTTP'}`;
      const of = await interleaved({ url: service[scheme], operation, calls: CALLS, concurrency: 1 });
      const goal = operation === 'query' ? { ofKy: 1.3 } : { ofShipped: NO_SLOWER };
      rows.push({ what: `CPU of ${what}`, unit: 'µs', samples: of('cpu'), ...goal });
      rows.push({
        what: `median of ${what}`,
        unit: 'µs',
        samples: of('median'),
        ...(goal.ofShipped && goal),
      });
    }
  }
  for (const scheme of ['http', 'tls'] as const) {
    const first = Object.fromEntries(
      names.map((name) => [
        name,
        async () => {
          const input = { entry: entries[name], first: service[scheme] };
          return (await runProgram<Measured>('connections', { node, input })).median;
        },
      ]),
    );
    rows.push({
      what: `first call, over ${scheme === 'tls' ? 'TLS' : 'HTTP'}`,
      unit: 'µs',
      samples: await interleave(first, { rounds: ROUNDS, random }),
      ofShipped: NO_SLOWER,
    });
  }
  const distant = { url: service.distant, operation: 'query', calls: DISTANT_CALLS, concurrency: 4 } as const;
  const seconds = (await interleaved(distant))('seconds');
  rows.push({
    what: `10,000 queries at ${DISTANCE_MS} ms, four at a time`,
    unit: 's',
    samples: Object.fromEntries(
      names.map((name) => [name, (seconds[name] ?? []).map((each) => (each * 10_000) / DISTANT_CALLS)]),
    ),
    ofKy: 1.2,
  });
  await Promise.all(callers.map(({ stop }) => stop()));
  return { version: callers[0]?.version ?? '', rows };
}

async function startCaller(node: number, entry: string | undefined) {
  const input = { entry };
  const { ready, process, stop } = await startProgram<{ version: string }>('connections', { node, input });
  const ended = once(process, 'exit').then(() => {
    throw new Error(`${entry ?? KY} ended while it was measured.`);
  });
  ended.catch(() => undefined);
  const measure = async (calls: Calls): Promise<Measured> => {
    process.send(calls);
    return (await Promise.race([once(process, 'message'), ended]))[0];
  };
  return { version: ready.version, measure, stop };
}

function tableOf(version: string, rows: readonly Row[], names: readonly string[]): Table {
  const others = names.filter((name) => name !== THIS);
  return {
    title: `Node ${version}`,
    columns: ['', ...names, ...others.map((name) => `× ${name}`)],
    rows: rows.map(({ what, unit, samples }) => [
      `${what}, ${unit}`,
      ...names.map((name) => median(samples[name] ?? []).toFixed(unit === 's' ? 1 : 0)),
      ...others.map((name) => ratioTo(samples[name] ?? [], samples[THIS] ?? []).toFixed(2)),
    ]),
  };
}

function goalsOf(version: string, { what, samples, ofKy, ofShipped }: Row): Goal[] {
  const goalOf = (name: string, limit: number | undefined) =>
    limit === undefined || samples[name] === undefined
      ? []
      : [
          atMost(
            `${what} on Node ${version}, of ${name}`,
            ratioTo(samples[name], samples[THIS] ?? []),
            limit,
            times,
          ),
        ];
  return [...goalOf(KY, ofKy), ...goalOf(SHIPPED, ofShipped)];
}

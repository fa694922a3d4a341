import { interleave } from '../lib/interleave';
import { type Ask, CREDENTIALS, type Load, startSender } from '../lib/listeners';
import type { BenchContext, PartReport } from '../lib/part';
import { median, quantile } from '../lib/statistics';
import type { Table } from '../lib/table';

const ROUNDS = 5;
const USUAL: Ask = { connections: 32, milliseconds: 300, subjects: 'new', bodyBytes: 0 };
const CONNECTIONS = [1, 2, 4, 8, 16, 32, 64];
/** The last is the largest body that a listener accepts by default. */
const BODY_BYTES = [0, 1024, 16 * 1024, 128 * 1024, 1024 * 1024];
const PAIRS = [1, 2, 4, 8, 16];

/** How the handler's throughput changes with connections, size of the body, and number of credential pairs. */
export async function growth({ random }: BenchContext): Promise<PartReport> {
  const sender = await startSender();
  const listener = await sender.listen();
  const listeners = await Promise.all(PAIRS.map((pairs) => sender.listen({ credentials: pairsOf(pairs) })));
  const measure = async (title: string, loads: Readonly<Record<string, () => Promise<Load>>>) =>
    tableOf(title, await sample(loads, random));
  const tables = [
    await measure(
      'Connections',
      named(CONNECTIONS, String, (connections) => listener({ ...USUAL, connections })),
    ),
    await measure(
      'Size of the body',
      named(BODY_BYTES, sizeOf, (bodyBytes) => listener({ ...USUAL, bodyBytes })),
    ),
    await measure(
      'Pairs of credentials',
      named(PAIRS, String, (pairs) => listeners[PAIRS.indexOf(pairs)]?.(USUAL) ?? listener(USUAL)),
    ),
  ];
  await sender.stop();
  const note = `Every notification is new; ${ROUNDS} rounds of ${USUAL.milliseconds} ms each, over ${USUAL.connections} connections where nothing else is said. With several pairs, the last one is sent.`;
  return { tables, notes: [note] };
}

function named(
  values: readonly number[],
  name: (value: number) => string,
  load: (value: number) => Promise<Load>,
) {
  return Object.fromEntries(values.map((value) => [name(value), () => load(value)]));
}

async function sample(loads: Readonly<Record<string, () => Promise<Load>>>, random: () => number) {
  const results = Object.fromEntries(Object.keys(loads).map((name) => [name, [] as Load[]]));
  const candidates = Object.entries(loads).map(([name, load]) => {
    const measure = async () => {
      const result = await load();
      results[name]?.push(result);
      return result.perSecond;
    };
    return [name, measure];
  });
  for (const load of Object.values(loads)) await load();
  await interleave(Object.fromEntries(candidates), { rounds: ROUNDS, random });
  return results;
}

function tableOf(title: string, results: Readonly<Record<string, readonly Load[]>>): Table {
  const rows = Object.entries(results).map(([name, loads]) => {
    const perSecond = loads.map((load) => load.perSecond);
    return [
      name,
      median(perSecond).toFixed(0),
      [0.25, 0.75].map((part) => quantile(perSecond, part).toFixed(0)).join(' – '),
      median(loads.map(({ processor }) => processor)).toFixed(1),
      median(loads.map(({ p50 }) => p50)).toFixed(2),
      median(loads.map(({ p99 }) => p99)).toFixed(2),
    ];
  });
  const columns = ['', 'notifications/s', 'middle half', "listener's processor, µs", 'p50, ms', 'p99, ms'];
  return { title, columns, rows };
}

function pairsOf(count: number) {
  const others = Array.from({ length: count - 1 }, (_, at) => ({
    apiKey: CREDENTIALS.apiKey,
    apiToken: `token-of-before-${at}`,
  }));
  return [...others, CREDENTIALS];
}

function sizeOf(bytes: number): string {
  if (bytes === 0) return 'as documented, 319 bytes';
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
}

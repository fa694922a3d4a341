import { interleave, type Samples } from '../lib/interleave';
import { type Ask, type Load, startSender } from '../lib/listeners';
import { atLeast, atMost, type BenchContext, type Goal, type PartReport } from '../lib/part';
import { ratioTo } from '../lib/statistics';
import { samplesTable, type Table, times } from '../lib/table';

const ROUNDS = 15;
const CONNECTIONS = 32;
const MILLISECONDS = 400;

const BARE = 'bare node:http';
const OURS = 'this handler';
const NAMES = [BARE, OURS] as const;

type Name = (typeof NAMES)[number];
type All = Samples<Name>;

/** The handler on node:http over a memory store, beside a server that reads and parses the body. */
export async function handler({ random }: BenchContext): Promise<PartReport> {
  const sender = await startSender();
  const listeners: Record<Name, (ask: Ask) => Promise<Load>> = {
    [BARE]: await sender.listen({ kind: 'bare' }),
    [OURS]: await sender.listen({ kind: 'handler' }),
  };
  const tables: Table[] = [];
  const goals: Goal[] = [];
  for (const subjects of ['new', 'duplicates'] as const) {
    const ask = { connections: CONNECTIONS, milliseconds: MILLISECONDS, subjects };
    // Warm up, so that the engine has compiled all of them.
    for (const listener of Object.values(listeners)) await listener({ ...ask, milliseconds: 1500 });
    const loads = byName((): Load[] => []);
    const candidates = byName((name) => async () => {
      const load = await listeners[name](ask);
      loads[name].push(load);
      return load.perSecond;
    });
    await interleave(candidates, { rounds: ROUNDS, random });
    const of = (key: keyof Load) => byName((name) => loads[name].map((load) => load[key]));
    const what = subjects === 'new' ? 'each notification new' : 'duplicates of one';
    tables.push(...tablesOf(what, of));
    goals.push(
      atLeast(`of the requests a second, ${what}`, toBare(of('perSecond')), 0.85, times),
      atMost(`of the p99, ${what}`, toBare(of('p99')), 1.3, times),
    );
  }
  await sender.stop();
  return {
    tables,
    goals,
    notes: [
      `${CONNECTIONS} connections, ${ROUNDS} rounds of ${MILLISECONDS} ms each. The bare server checks no credentials and answers without a header of its own. Ratios are medians of those within each round.`,
    ],
  };
}

function byName<T>(make: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(NAMES.map((name) => [name, make(name)])) as Record<Name, T>;
}

function tablesOf(what: string, of: (key: keyof Load) => All): Table[] {
  const table = (title: string, key: keyof Load, unit: string, digits: number) =>
    samplesTable(`${title}, ${what}`, of(key), {
      unit,
      baseline: BARE,
      format: (value) => value.toFixed(digits),
    });
  return [
    table('Requests', 'perSecond', 'requests/s', 0),
    table('Processor of the listener', 'processor', 'µs a request', 1),
    table('Half of the answers within', 'p50', 'ms', 2),
    table('99 of 100 answers within', 'p99', 'ms', 2),
  ];
}

function toBare(samples: All): number {
  return ratioTo(samples[BARE], samples[OURS]);
}

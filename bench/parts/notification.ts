import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Samples } from '../lib/interleave';
import { atLeast, atMost, type BenchContext, type Goal, type PartReport } from '../lib/part';
import { ROOT } from '../lib/prepare';
import { runProgram } from '../lib/programs';
import { median, ratioTo } from '../lib/statistics';
import { samplesTable, type Table, times } from '../lib/table';

const ROUNDS = 150;
const VERSIONS = [20, 24];

/** What the program returns, in nanoseconds per call. */
interface Measured {
  readonly version: string;
  readonly bodyBytes: readonly number[];
  readonly text: Samples<'the floor' | 'this library' | 'stripe'>;
  /** `payment` and `payment, the floor`, and so on. */
  readonly kinds: Samples<string>;
  readonly bytes: Samples<'the floor' | 'this library' | 'stripe'>;
  readonly forged: Samples<'the floor' | 'this library'>;
}

/** What two builds take, in nanoseconds per call. */
interface Compared {
  readonly version: string;
  readonly samples: Readonly<Record<string, Samples<'this library' | 'shipped'>>>;
}

/** No slower, but for what two runs of the same code differ by. */
const NO_SLOWER = 1.05;

/**
 * Time to verify, parse and validate one notification; with `--beside`, in place of that, what another checkout takes, which
 * must be built.
 */
export async function notification({ seed, beside }: BenchContext): Promise<PartReport> {
  if (beside !== undefined) return compared(seed, beside);
  const tables: Table[] = [];
  const goals: Goal[] = [];
  let bodyBytes: readonly number[] = [];
  for (const node of VERSIONS) {
    const measured = await runProgram<Measured>('notification', { node, input: { seed, rounds: ROUNDS } });
    tables.push(...tablesOf(measured));
    goals.push(...goalsOf(measured));
    ({ bodyBytes } = measured);
  }
  const payloads = `The documented payloads in turn, of ${bodyBytes.join(', ')} bytes.`;
  return {
    tables,
    goals,
    notes: [
      `${payloads} The floor is \`timingSafeEqual\` and \`JSON.parse\`. stripe verifies an HMAC over the body and validates nothing.`,
    ],
  };
}

async function compared(seed: number, beside: string): Promise<PartReport> {
  const tables: Table[] = [];
  const goals: Goal[] = [];
  const entryOf = (root: string) => pathToFileURL(join(root, 'dist/webhooks.js')).href;
  const entries = { shipped: entryOf(beside), 'this library': entryOf(ROOT) };
  for (const node of VERSIONS) {
    const input = { seed, rounds: ROUNDS, entries };
    const { version, samples } = await runProgram<Compared>('notification-builds', { node, input });
    for (const [what, of] of Object.entries(samples)) {
      const options = { unit: 'µs', baseline: 'shipped', format: microseconds } as const;
      tables.push(samplesTable(`Node ${version}: ${what}`, of, options));
      const ratio = ratioTo(of.shipped, of['this library']);
      goals.push(atMost(`${what}, of the time of ${beside}, on Node ${version}`, ratio, NO_SLOWER, times));
    }
  }
  return { tables, goals, notes: ['The handler has a store in memory, and a callback that does nothing.'] };
}

function tablesOf({ version, text, kinds, bytes, forged }: Measured): Table[] {
  const options = { unit: 'µs', baseline: 'the floor', format: microseconds } as const;
  return [
    samplesTable(`Node ${version}: one notification, its body as text`, text, options),
    kindsTable(version, kinds),
    samplesTable(`Node ${version}: its body as bytes`, bytes, options),
    samplesTable(`Node ${version}: a forged header refused`, forged, options),
  ];
}

function goalsOf({ version, text, kinds, bytes, forged }: Measured): Goal[] {
  const on = `on Node ${version}`;
  return [
    atMost(`of the floor's time, text, the worst kind, ${on}`, worstOf(kinds), 1.45, times),
    atMost(`of the floor's time, bytes, ${on}`, toFloor(bytes), 1.45, times),
    atLeast(`faster than stripe, ${on}`, ratioTo(text['this library'], text.stripe), 3, times),
    atMost(`of the floor's time for a forged header, ${on}`, toFloor(forged), 1, times),
  ];
}

function kindsTable(version: string, kinds: Samples<string>): Table {
  const rows = ratiosOf(kinds).map(([kind, ratio]) => [
    kind,
    microseconds(median(kinds[`${kind}, the floor`] ?? [])),
    microseconds(median(kinds[kind] ?? [])),
    times(ratio),
  ]);
  return {
    title: `Node ${version}: each kind, its body as text`,
    columns: ['', 'the floor, µs', 'this library, µs', '× the floor'],
    rows,
  };
}

function worstOf(kinds: Samples<string>): number {
  return Math.max(...ratiosOf(kinds).map(([, ratio]) => ratio));
}

function ratiosOf(kinds: Samples<string>): [kind: string, ratio: number][] {
  const names = Object.keys(kinds).filter((name) => !name.includes(','));
  return names.map((kind) => [kind, ratioTo(kinds[`${kind}, the floor`] ?? [], kinds[kind] ?? [])]);
}

function toFloor(samples: Samples<'the floor' | 'this library'>): number {
  return ratioTo(samples['the floor'], samples['this library']);
}

function microseconds(nanoseconds: number): string {
  return (nanoseconds / 1000).toFixed(2);
}

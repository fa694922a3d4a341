import type { Table } from './table';

/**
 * A part of the benchmark: one function in its own file under `parts`, with a line in `parts/index.ts`. It returns
 * tables and goals, and `run.ts` prints them. What it measures runs in separate processes, from `programs`, with the
 * built package: see `runProgram`.
 */
export type Part = (context: BenchContext) => Promise<PartReport>;

export interface BenchContext {
  /** Random numbers from 0 to 1, from the seed of the run: for the order of candidates, and for made-up data. */
  readonly random: () => number;
  /** The seed of the run, for programs. */
  readonly seed: number;
  /** Another checkout to measure beside, which is built. */
  readonly beside: string | undefined;
}

export interface PartReport {
  readonly tables: readonly Table[];
  readonly goals?: readonly Goal[];
  /** Each is a paragraph after the tables. */
  readonly notes?: readonly string[];
}

/** What is wanted, and what was measured. */
export interface Goal {
  readonly what: string;
  readonly wanted: string;
  readonly measured: string;
  readonly met: boolean;
}

type Format = (value: number) => string;

export function atMost(what: string, measured: number, limit: number, format: Format): Goal {
  return { what, wanted: `≤ ${format(limit)}`, measured: format(measured), met: measured <= limit };
}

export function atLeast(what: string, measured: number, limit: number, format: Format): Goal {
  return { what, wanted: `≥ ${format(limit)}`, measured: format(measured), met: measured >= limit };
}

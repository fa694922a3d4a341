import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Target } from './target';

/** The memory in use between two slices of a run, without garbage. */
export interface Reading {
  readonly megabytes: number;
  /** How many things the targets themselves remember, which is no leak of the library. */
  readonly kept: number;
}

/** In the 200,000 runs of each night, a leak of 100 bytes per parsing, or of 1 kB per HTTP request, exceeds this. */
const MAX_GROWTH_MB = 1.5;
/** Over millions of runs, the amount of garbage varies. A leak in one of a hundred runs still exceeds this per run. */
const PER_RUN_MB = 4 / 2 ** 20;
/** Heap for each remembered thing: a record in a store, its key, a digest. */
const KEPT_MB = 1 / 2 ** 10;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

export async function read(targets: readonly Target[]): Promise<Reading> {
  collectGarbage();
  // Some objects are freed only in a later turn of the event loop: those that finished promises and connections held.
  await new Promise((resolve) => setTimeout(resolve, 20));
  collectGarbage();
  const kept = targets.reduce((sum, target) => sum + (target.kept?.() ?? 0), 0);
  return { megabytes: process.memoryUsage().heapUsed / 2 ** 20, kept };
}

/**
 * Compares the last quarter of a run with the one before, each at its lowest. Earlier, code is compiled and the
 * targets’ own maps fill.
 *
 * @throws when memory grows by more than the targets remember
 */
export function assertFlat(readings: readonly Reading[], runs: number): void {
  const quarter = Math.floor(readings.length / 4);
  const before = lowest(readings.slice(-2 * quarter, -quarter));
  const last = lowest(readings.slice(-quarter));
  const growth = last.megabytes - before.megabytes - (last.kept - before.kept) * KEPT_MB;
  const limit = MAX_GROWTH_MB + (runs / 4) * PER_RUN_MB;
  assert.ok(growth <= limit, `memory grows, by ${growth.toFixed(1)} MB over the last quarter`);
}

function lowest(readings: readonly Reading[]): Reading {
  return readings.reduce((low, reading) => (reading.megabytes < low.megabytes ? reading : low));
}

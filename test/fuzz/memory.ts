import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Target } from './target';

/** What is in use between two slices of a run, garbage aside. */
export interface Reading {
  readonly megabytes: number;
  /** How many things the targets themselves remember, which is no leak of the library's. */
  readonly kept: number;
}

/** In CI's 200,000 runs a leak of 100 bytes in each parsing is more, and one of 1 kB in each HTTP request. */
const MAX_GROWTH_MB = 1.5;
/** Of the heap, for each thing kept: a record in a store, its key, a digest. */
const KEPT_MB = 1 / 2 ** 10;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

export function read(targets: readonly Target[]): Reading {
  collectGarbage();
  const kept = targets.reduce((sum, target) => sum + (target.kept?.() ?? 0), 0);
  return { megabytes: process.memoryUsage().heapUsed / 2 ** 20, kept };
}

/**
 * The last quarter of a run against the one before: earlier, code is compiled and the targets' own maps fill.
 *
 * @throws when more is in use, and not by what the targets keep
 */
export function assertFlat(readings: readonly Reading[]): void {
  const quarter = Math.floor(readings.length / 4);
  const before = mean(readings.slice(-2 * quarter, -quarter));
  const last = mean(readings.slice(-quarter));
  const growth = last.megabytes - before.megabytes - (last.kept - before.kept) * KEPT_MB;
  assert.ok(growth <= MAX_GROWTH_MB, `memory grows, by ${growth.toFixed(1)} MB over the last quarter`);
}

function mean(readings: readonly Reading[]): Reading {
  const of = (property: keyof Reading) =>
    readings.reduce((sum, reading) => sum + reading[property], 0) / Math.max(1, readings.length);
  return { megabytes: of('megabytes'), kept: of('kept') };
}

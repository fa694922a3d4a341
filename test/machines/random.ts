import { createHash, randomInt } from 'node:crypto';

/**
 * A number from 0 up to 1 that depends only on the seed and on its purpose. It does not depend on the order of
 * events, so the same seed gives the same notifications and kills on a machine of any speed.
 */
export type Random = (...purpose: readonly (string | number)[]) => number;

export function randomFrom(seed: number): Random {
  return (...purpose) =>
    createHash('sha256')
      .update(JSON.stringify([seed, ...purpose]))
      .digest()
      .readUInt32BE(0) /
    2 ** 32;
}

/** The seed of this run. `CRASH_SEED=123 npm run machine -- chaos` repeats a run. */
export function chooseSeed(): number {
  const given = process.env['CRASH_SEED'];
  return given === undefined ? randomInt(2 ** 31) : Number(given);
}

import { createHash, randomInt } from 'node:crypto';

/**
 * A number from 0 up to 1 that depends on the seed and what it is for, and on nothing else: not on the order in which
 * things happen, so that the same seed gives the same notifications and kills however fast the machine is.
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

/** The seed of this run: `CRASH_SEED=123 npm run test:crash` repeats one. */
export function chooseSeed(): number {
  const given = process.env['CRASH_SEED'];
  return given === undefined ? randomInt(2 ** 31) : Number(given);
}

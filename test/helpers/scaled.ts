/**
 * A limit in milliseconds of an idle machine, times `TEST_TIME_SCALE`: `TEST_TIME_SCALE=4 npm test` runs on a busy one.
 * `vitest.config.ts` scales the limits of all tests and hooks.
 */
export function scaled(ms: number): number {
  return ms * Number(process.env['TEST_TIME_SCALE'] || 1);
}

import { defineConfig } from 'vitest/config';
import { common } from '../../../vitest.config';

/**
 * The tests that must notice the faults of one file. `run.ts` names them, because Stryker passes no list of tests to
 * vitest.
 */
export default defineConfig({
  ...common,
  // Longer, because a test that times out on a busy machine would count as one that noticed.
  test: { ...common.test, testTimeout: 60_000, include: process.env['MUTATION_TESTS']?.split(',') ?? [] },
});

import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config';

/** The tests that are to notice the faults of one file; `run.ts` names them. Stryker hands no list of its own to vitest. */
export default defineConfig({
  ...common,
  // Longer, because a test that is cut off on a busy machine would be taken for one that has noticed.
  test: { ...common.test, testTimeout: 60_000, include: process.env['MUTATION_TESTS']?.split(',') ?? [] },
});

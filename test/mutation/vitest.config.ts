import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config';

/** The tests that are to notice the faults of one file; `run.ts` names them. Stryker hands no list of its own to vitest. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: process.env['MUTATION_TESTS']?.split(',') ?? [] },
});

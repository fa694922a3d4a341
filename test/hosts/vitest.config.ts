import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config';

/** A listener on each host, run for real. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/hosts/*.test.ts'], maxWorkers: 2 },
});

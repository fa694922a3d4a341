import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config';

/** The transactions of six ORMs, over real servers. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/orms/**/*.test.ts'] },
});

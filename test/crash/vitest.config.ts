import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config';

/** The crash test in its full size, with its figures printed as they come. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['test/crash/**/*.test.ts'],
    env: { CRASH_SIZE: 'full' },
    disableConsoleIntercept: true,
  },
});

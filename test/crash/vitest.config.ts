import { defineConfig } from 'vitest/config';
import root from '../../vitest.config';

/** The crash test in its full size, with its figures printed as they come. */
export default defineConfig({
  ...root,
  test: {
    ...root.test,
    include: ['test/crash/**/*.test.ts'],
    env: { CRASH_SIZE: 'full' },
    disableConsoleIntercept: true,
  },
});

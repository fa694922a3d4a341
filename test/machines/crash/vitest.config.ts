import { defineConfig } from 'vitest/config';
import { common } from '../../../vitest.config';

/** The full crash test, with its figures printed as they come. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['test/machines/crash/**/*.test.ts'],
    env: { CRASH_SIZE: 'full' },
    disableConsoleIntercept: true,
  },
});

import { defineConfig } from 'vitest/config';
import { common } from '../../../vitest.config';

/** The small crash test, the outages and the chaos run, with their figures printed as they come. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['test/machines/{crash,outages}/*.test.ts', 'test/machines/crash/*.chaos.ts'],
    disableConsoleIntercept: true,
  },
});

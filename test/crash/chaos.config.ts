import { defineConfig } from 'vitest/config';
import root from '../../vitest.config';

/** The chaos run, after its judge's own tests, with its figures printed as they come. */
export default defineConfig({
  ...root,
  test: {
    ...root.test,
    include: ['test/crash/judge.test.ts', 'test/crash/*.chaos.ts'],
    disableConsoleIntercept: true,
  },
});

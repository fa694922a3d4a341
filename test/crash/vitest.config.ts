import { mergeConfig } from 'vitest/config';
import root from '../../vitest.config';

/** The crash test in its full size, with its figures printed as they come. */
export default mergeConfig(root, {
  test: {
    root: new URL('../..', import.meta.url).pathname,
    dir: 'test/crash',
    env: { CRASH_SIZE: 'full' },
    disableConsoleIntercept: true,
  },
});

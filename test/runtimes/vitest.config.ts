import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config';

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['test/runtimes/**/*.test.ts'],
    globalSetup: 'test/package/install-tarball.ts',
    // Generous, because the first run downloads the runtimes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // One after the other: beside other programs, emulated databases are slower than the leases of their tests.
    fileParallelism: false,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/examples/**/*.examples.ts'],
    globalSetup: 'test/package/install-tarball.ts',
    // Each file runs npm and a compiler; more than two at once only makes all of them slow.
    maxWorkers: 2,
    env: { NEXT_TELEMETRY_DISABLED: '1' },
    // With nothing in npm's cache, installing a framework takes a while.
    testTimeout: 300_000,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/examples/**/*.examples.ts'],
    globalSetup: 'test/package/install-tarball.ts',
    // Each file runs npm and a compiler, so more than two files at once only slow each other down.
    maxWorkers: 2,
    env: { NEXT_TELEMETRY_DISABLED: '1' },
    // With an empty npm cache, installing a framework takes a while.
    testTimeout: 300_000,
  },
});

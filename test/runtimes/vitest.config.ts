import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/runtimes/**/*.test.ts'],
    globalSetup: 'test/package/install-tarball.ts',
    // Generous, because the first run downloads the runtimes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});

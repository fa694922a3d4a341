import { defineConfig } from 'vitest/config';
import root, { common } from '../../vitest.config';

export default defineConfig({
  ...common,
  test: {
    include: ['test/page/**/*.page.ts'],
    // Generous, because a browser on a busy machine is slow.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: root.test?.reporters ?? ['default'],
  },
});

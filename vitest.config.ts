import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { Reporter, TestModule, TestSuite } from 'vitest/node';
import tsconfig from './tsconfig.json' with { type: 'json' };

/** The package's own entries resolve to their source, so that tests and examples run with nothing built. */
const entries = Object.entries(tsconfig.compilerOptions.paths).map(([entry, [source]]) => ({
  find: new RegExp(`^${entry}$`),
  replacement: fileURLToPath(new URL(source as string, import.meta.url)),
}));

/** Says at the end which suites did not run, so that nobody takes a missing Redis or PostgreSQL for a pass. */
const skippedSuites: Reporter = {
  onTestRunEnd(modules) {
    const skipped = modules.flatMap((module) =>
      skippedIn(module).map((name) => `${module.relativeModuleId}: ${name}`),
    );
    if (skipped.length === 0) return;
    console.log(`\nSKIPPED (not run, not passed):\n${skipped.map((line) => `  ${line}`).join('\n')}\n`);
  },
};

/** The outermost suites and tests of a file that were skipped as a whole. */
function skippedIn(parent: TestModule | TestSuite): string[] {
  return parent.children.array().flatMap((child) => {
    const state = child.type === 'suite' ? child.state() : child.result().state;
    if (state === 'skipped') return [child.fullName];
    return child.type === 'suite' ? skippedIn(child) : [];
  });
}

export default defineConfig({
  resolve: { alias: entries },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/{package,runtimes}/**', '**/node_modules/**'],
    // Generous, because the slow tests wait for real time-outs over real sockets, and CI machines are slow.
    testTimeout: 15_000,
    hookTimeout: 30_000,
    reporters: ['default', skippedSuites],
  },
});

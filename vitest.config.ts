import { availableParallelism } from 'node:os';
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

/** What every suite has in common, the ones with a configuration of their own included. */
export const common = {
  resolve: { alias: entries },
  test: {
    // Generous, because the slow tests wait for real timeouts over real sockets, and CI machines are slow.
    testTimeout: 15_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
  },
};

/**
 * Suites over the command line, the sandbox, web frameworks or databases. All others are `unit`: they may start HTTP
 * servers on loopback, and need neither Redis nor PostgreSQL.
 */
const integration = [
  'test/{cli,frameworks,sandbox,secrets}/**/*.test.ts',
  'test/journal/{crash/*,mysql-*,postgres-*,sqlite-*}.test.ts',
  'test/stores/{better-sqlite3,mysql-*,postgres-*,redis-*,sql-*,sqlite-*,two-years}.test.ts',
];
const types = ['test/types/**/*.test.ts'];
/** Every word and block of code that people read, and what is made from the source for them. */
const docs = [
  'test/{docs,docs-api}/**/*.test.ts',
  'test/errors/page.test.ts',
  'test/cli/wrong-listeners.test.ts',
];
/** Suites with a configuration of their own: the packed package, a browser, and the chaos run with the outages. */
const elsewhere = [
  'test/{hosts,machines/crash,machines/outages,orms,package,page,runtimes}/**',
  '**/node_modules/**',
];

function project(name: string, include: string[], exclude: string[] = [], globalSetup: string[] = []) {
  return {
    ...common,
    test: { ...common.test, name, include, exclude: [...elsewhere, ...exclude], globalSetup },
  };
}

export default defineConfig({
  test: {
    // Most of the slow tests wait for timeouts and servers, so twice as many files as cores run side by side.
    maxWorkers: 2 * availableParallelism(),
    reporters: ['default', skippedSuites],
    projects: [
      project('unit', ['test/**/*.test.ts'], [...integration, ...types, ...docs]),
      project('integration', integration, docs, ['test/helpers/better-sqlite3.ts']),
      project('types', types),
      project('docs', docs),
    ],
  },
});

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import type { Reporter, TestModule, TestSuite } from 'vitest/node';
import { scaled } from './test/helpers/scaled.ts';
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

/** What the projects have in common. Stryker has a configuration of its own: it cannot name a project to vitest. */
export const common = {
  resolve: { alias: entries },
  test: {
    // Generous, because the slow tests wait for real timeouts over real sockets, and CI machines are slow.
    testTimeout: scaled(30_000),
    hookTimeout: scaled(60_000),
    expect: { poll: { timeout: scaled(10_000) } },
    // In Portuguese, the messages of errors would point to another page.
    env: { LANG: 'C', LC_ALL: '', LC_MESSAGES: '' },
  },
};

/** Over the command line, web frameworks or databases. */
const integration = [
  // They watch sockets, mock a module, change globals, or load the library anew, so no other file may run in their process.
  'test/client/{connections,dispatcher,transport-ky}.test.ts',
  'test/{cli,frameworks,secrets}/**/*.test.ts',
  'test/orders/{order-records,create-orders-money,create-orders-transactions,recurrence-orders,early-returns,begun,lost-events,dismissals,settled,maintain-waits,one-return,forget-person-stores}.test.ts',
  'test/stores/{better-sqlite3,mysql-*,postgres-*,redis-*,sql-*,sqlite-*,transact-*}.test.ts',
];
const types = ['test/types/**/*.test.ts'];
/** Every word and block of code that people read, and what is made from the source for them. */
const docs = ['test/{docs,docs-api}/**/*.test.ts', 'test/errors/page.test.ts'];
/** More than a minute: each way to write a listener wrong, under `verify`. */
const wrongListeners = ['test/cli/wrong-listeners.test.ts'];
/** What runs on several versions of Node, without a database that is emulated. */
const senders = ['test/runtimes/{http2,senders,sqlite,strays}.test.ts'];
/** Needs an installation, a browser or minutes: only by name, `npx vitest run --project page`. */
const elsewhere = [
  'test/{hosts,orms,package,page,runtimes}/**',
  'test/machines/{orders-crash,outages,two-years}/**',
];

type Settings = NonNullable<TestProjectInlineConfiguration['test']>;

function project(name: string, include: string[], { exclude = [], ...settings }: Settings = {}) {
  const test = { ...common.test, name, include, exclude: ['**/node_modules/**', ...exclude], ...settings };
  return { ...common, test };
}

const examples: Settings = {
  globalSetup: 'test/package/install-tarball.ts',
  // Each file runs npm and a compiler, so more than two files at once only slow each other down.
  maxWorkers: 2,
  env: { ...common.test.env, NEXT_TELEMETRY_DISABLED: '1' },
  // With an empty npm cache, installing a framework takes a while.
  testTimeout: scaled(300_000),
  // Real builds and processes beside other tests: a second try, which is printed, tells a busy machine from a fault.
  retry: 1,
};

/** What installs or starts much. If several of these are run, it is one after the other. */
const heavy = [
  project('page', ['test/page/**/*.page.ts'], {
    // Generous, because a browser on a busy machine is slow.
    testTimeout: scaled(60_000),
    hookTimeout: scaled(60_000),
    // Each file starts a browser; more than two files at once only slow each other down.
    maxWorkers: 2,
  }),
  project('package', ['test/package/**/*.test.ts'], {
    globalSetup: 'test/package/install-tarball.ts',
    // Each file starts its own compilers and package managers; more than two files at once only slow each other down.
    maxWorkers: 2,
    testTimeout: scaled(180_000),
    hookTimeout: scaled(180_000),
  }),
  project('runtimes', ['test/runtimes/**/*.test.ts'], {
    globalSetup: 'test/package/install-tarball.ts',
    // Generous, because the first run downloads the runtimes.
    testTimeout: scaled(180_000),
    hookTimeout: scaled(180_000),
    exclude: senders,
    // One after the other: beside other programs, emulated databases are slower than the leases of their tests.
    fileParallelism: false,
  }),
  project('senders', senders, {
    globalSetup: 'test/package/install-tarball.ts',
    testTimeout: scaled(180_000),
    hookTimeout: scaled(180_000),
    // One program after the other, beside `runtimes` in CI.
    maxWorkers: 1,
  }),
  project('examples', ['test/examples/**/*.examples.ts'], { ...examples, exclude: ['**/verify-*'] }),
  project('examples-verify', ['test/examples/verify-*.examples.ts'], examples),
  project('orms', ['test/orms/**/*.test.ts'], { globalSetup: 'test/orms/install.ts' }),
  project('hosts', ['test/hosts/*.test.ts'], { globalSetup: 'test/hosts/install.ts', maxWorkers: 2 }),
  project('wrong-listeners', wrongListeners),
  // Two years of notifications in each store, and a shop that is killed between any two steps of `open`.
  project('histories', ['test/machines/{orders-crash,two-years}/*.test.ts']),
  // Ten times the orders that live at random, with their figures printed as they come.
  project('orders', ['test/machines/orders-crash/at-random.test.ts'], {
    disableConsoleIntercept: true,
    env: { ORDERS_SIZE: process.env['ORDERS_SIZE'] ?? '10' },
  }),
  // The chaos run and the outages, with their figures printed as they come.
  project('chaos', ['test/machines/outages/*.test.ts', 'test/machines/crash/*.chaos.ts'], {
    disableConsoleIntercept: true,
  }),
].map((each, index) => ({ ...each, test: { ...each.test, sequence: { groupOrder: index + 1 } } }));

export default defineConfig({
  test: {
    // Most of the slow tests wait for timeouts and servers, so twice as many files as cores run side by side.
    maxWorkers: 2 * availableParallelism(),
    reporters: ['default', skippedSuites],
    coverage: { include: ['src/**/*.ts'], exclude: ['src/sandbox/page/app/**', '**/*.generated.ts'] },
    projects: [
      // They may start HTTP servers on loopback, and need no database.
      project('unit', ['test/**/*.test.ts'], {
        exclude: [...elsewhere, ...integration, ...types, ...docs],
        // Most files load most of the source, which takes longer than most of their tests.
        isolate: false,
        setupFiles: 'test/helpers/leave-nothing.ts',
      }),
      project('integration', integration, {
        exclude: [...docs, ...wrongListeners],
        globalSetup: 'test/helpers/better-sqlite3.ts',
      }),
      project('types', types),
      // Its files load the same source and compiler, change neither, and put back what they stub.
      project('docs', docs, { isolate: false }),
      ...heavy,
    ],
  },
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { type Mutant, report } from './report';
import { scopes } from './scopes';

/**
 * Puts faults into the source, one at a time, and sees whether a test notices.
 *
 *     npm run machine -- mutation                                 every scope
 *     npm run machine -- mutation client                          one scope: client, webhooks or stores
 *     npm run machine -- mutation client --mutate retry           the files with this in their names
 *     npm run machine -- mutation --changed                       the files that differ from main
 *     npm run machine -- mutation client --force                  also mutants whose result is known
 *     npm run machine -- mutation client --timeout 3000           for files whose mutants loop without end
 *
 * What a run found is kept under `node_modules/.cache`, file by file: a run that was ended goes on from there, and only
 * tries what has changed since.
 */
const { values: args, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutate: { type: 'string', default: '' },
    changed: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
    concurrency: { type: 'string', default: '2' },
    // Generous, because tests wait for real timeouts and the machine may be busy.
    timeout: { type: 'string', default: '20000' },
  },
});

const CACHE = 'node_modules/.cache/mutation';
mkdirSync(CACHE, { recursive: true });

/** The files of the source that differ from main. */
const changed = args.changed
  ? execFileSync('git', ['diff', '--name-only', 'main', '--', 'src'], { encoding: 'utf8' }).split('\n')
  : undefined;
const all: Mutant[] = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(scopes)) {
  const scope = scopes[name];
  if (scope === undefined) throw new Error(`No scope "${name}": ${Object.keys(scopes).join(', ')}`);
  for (const [file, testFiles] of Object.entries(scope)) {
    if (file.includes(args.mutate) && (changed?.includes(file) ?? true))
      all.push(...(await mutate(file, testFiles)));
  }
}
const survivors = report(all);
process.exit(survivors > 0 ? 1 : 0);

/** One run per file, with its own tests and its own cache, so that ending a later run loses nothing. */
async function mutate(file: string, testFiles: readonly string[]): Promise<Mutant[]> {
  const known = `${CACHE}/${file.replaceAll('/', '-')}.json`;
  process.env['MUTATION_TESTS'] = testFiles.join(',');
  await new Stryker({
    plugins: ['@stryker-mutator/vitest-runner'],
    testRunner: 'vitest',
    // `run.ts` names the tests. They import the source by the package’s name as well as by path, so `related` would
    // not find them all.
    vitest: { configFile: 'test/machines/mutation/vitest.config.ts', related: false },
    mutate: [file],
    ignorePatterns: ['dist', 'docs/api', 'examples', '.git'],
    coverageAnalysis: 'perTest',
    incremental: true,
    incrementalFile: known,
    force: args.force,
    concurrency: Number(args.concurrency),
    timeoutMS: Number(args.timeout),
    dryRunTimeoutMinutes: 10,
    tempDirName: '.stryker-tmp',
    reporters: ['progress-append-only'],
    checkers: [],
    allowConsoleColors: false,
    fileLogLevel: 'off',
    logLevel: 'warn',
    allowEmpty: true,
  } as ConstructorParameters<typeof Stryker>[0]).runMutationTest();
  const { files } = JSON.parse(readFileSync(known, 'utf8')) as {
    files: Record<string, { source: string; mutants: Omit<Mutant, 'file' | 'source'>[] }>;
  };
  const { mutants = [], source = '' } = files[file] ?? {};
  return mutants.map((mutant) => ({ ...mutant, file, source }));
}

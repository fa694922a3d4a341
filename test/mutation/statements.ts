import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNodeWithSqlite } from '../helpers/node-with-sqlite';
import type { TextMutant } from './mutant';
import { mutants } from './mutants';

/** The result for one fault. */
interface Result {
  readonly status: 'killed' | 'survived' | 'not run';
  /** The test that failed first. */
  readonly by?: string;
}

const TIMEOUT_MS = 240_000;

/**
 * Puts the listed faults into the source, one at a time, and runs the tests that must notice each. Returns how many
 * survived that are not listed as equivalent.
 */
export async function runStatements(only: RegExp): Promise<number> {
  const chosen = mutants.filter(({ name, file }) => only.test(`${file} ${name}`));
  const sqliteNode = await findNodeWithSqlite();
  const counts = { killed: 0, survived: 0, equivalent: 0, 'not run': 0 };

  const sound = new Map<string, boolean>();
  for (const mutant of chosen) {
    const node = mutant.needsSqlite ? sqliteNode : process.execPath;
    const { status, by } = node === undefined ? NOT_RUN : await judge(mutant, node);
    const shown = status === 'survived' && mutant.equivalent !== undefined ? 'equivalent' : status;
    counts[shown] += 1;
    console.log(`${shown.padEnd(10)}  ${mutant.file}: ${mutant.name}`);
    if (by !== undefined) console.log(`            by "${by}"`);
    if (shown === 'equivalent') console.log(`            ${mutant.equivalent}`);
  }
  console.log(
    `\n${Object.entries(counts)
      .map(([status, count]) => `${count} ${status}`)
      .join(', ')}`,
  );
  return counts.survived;

  /** Runs the tests first without the fault where needed: tests that fail anyway prove nothing about the fault. */
  async function judge(mutant: TextMutant, node: string): Promise<Result> {
    const key = mutant.tests.join();
    if (!sound.has(key)) {
      const failure = await firstFailure(mutant.tests, undefined, node);
      if (failure !== undefined) console.log(`without a fault, ${key} fails: "${failure}"`);
      sound.set(key, failure === undefined);
    }
    if (sound.get(key) !== true) return NOT_RUN;
    const failure = await firstFailure(mutant.tests, mutant, node);
    return failure === undefined ? { status: 'survived' } : { status: 'killed', by: failure };
  }
}

const NOT_RUN: Result = { status: 'not run' };

/** The name of the first failing test, or of another failure; `undefined` when all pass. */
async function firstFailure(
  tests: readonly string[],
  mutant: TextMutant | undefined,
  node: string,
): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'mutant-'));
  const outputFile = join(folder, 'report.json');
  const run = spawn(
    node,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/mutation/mutant.config.ts',
      '--bail=1',
      '--reporter=json',
      `--outputFile=${outputFile}`,
    ],
    {
      stdio: 'ignore',
      env: { ...process.env, MUTATION_TESTS: tests.join(), MUTANT: JSON.stringify(mutant ?? null) },
      timeout: TIMEOUT_MS,
    },
  );
  try {
    const [code] = await once(run, 'exit');
    if (code === 0) return undefined;
    if (code === null) return `no end within ${TIMEOUT_MS / 1000} s`;
    return failureIn(JSON.parse(readFileSync(outputFile, 'utf8')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function failureIn({ testResults }: Report): string {
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed');
  return (
    failed?.fullName ??
    `before any test: ${testResults
      .map(({ message }) => message)
      .join(' ')
      .slice(0, 200)}`
  );
}

import { cp } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { checkDeliveries } from './deliveries';
import { type Program, startProgram } from './program';
import { type Runtime, runtimes } from './runtimes';
import { startTestService, type TestService } from './test-service';

interface Result {
  readonly name: string;
  /** The error text; `null` when the check passed. */
  readonly problem: string | null;
}

const project = inject('consumer');
const required = process.env['CI_REQUIRE_RUNTIMES'] === '1' || process.env['CI'] === 'true';
const summary: string[] = [];
let testService: TestService;
let commands: Promise<readonly string[]>[];

beforeAll(async () => {
  testService = await startTestService();
  await cp('test/runtimes/programs', project, { recursive: true });
  // npm fetches all runtimes while the first ones run.
  commands = runtimes.map((runtime) => runtime.command(project));
  for (const command of commands) command.catch(() => undefined);
});

afterAll(async () => {
  await testService?.close();
  const passed = summary.filter((line) => line.includes('passed')).length;
  console.log([...summary, `${passed} runtimes passed of ${runtimes.length}`].join('\n'));
});

it.for(runtimes.map((runtime, index) => ({ ...runtime, index })))(
  '$name runs the client and the listener of the packed package',
  async ({ index, ...runtime }, { skip }) => {
    const command = await (commands[index] as Promise<readonly string[]>).catch((error: unknown) => {
      const message = `${runtime.name} cannot be had from the npm registry`;
      if (required) throw new Error(message, { cause: error });
      summary.push(`${runtime.name}: SKIPPED, not run: it cannot be had from the npm registry`);
      return skip(message);
    });
    const program = await startProgram(project, command);
    try {
      const results = await runSuite(program, runtime);
      const problems = results.flatMap(({ name, problem }) =>
        problem === null ? [] : [`${name}: ${problem}`],
      );
      expect(problems.join('\n')).toBe('');
      expect(results.map(({ name }) => name)).toEqual(namesFor(runtime, results));
      const deliveries = await checkDeliveries(program.url);
      // The marks of the suite’s credentials, and of the listener’s.
      expect(program.output()).not.toMatch(/M4RK|token:1/);
      summary.push(`${runtime.name}: ${results.length} checks and ${deliveries} deliveries passed`);
    } catch (error) {
      throw new Error(`${runtime.name} printed:\n${program.output()}`, { cause: error });
    } finally {
      await program.stop();
    }
  },
);

async function runSuite({ url }: Program, { expected }: Runtime): Promise<Result[]> {
  const { service, refused, untrusted } = testService;
  const world = JSON.stringify({ service, refused, untrusted, expected });
  const response = await fetch(`${url}/suite?${new URLSearchParams({ world })}`);
  if (!response.ok) throw new Error(`The suite ended with HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as Result[];
}

let suite: string[] | undefined;

/** The checks that must have run. The first runtime sets the list, and all others must run the same. */
function namesFor({ requires, sqlite }: Runtime, results: readonly Result[]): string[] {
  suite ??= results.map(({ name }) => name).filter((name) => !/^required: |^SqliteStore/.test(name));
  return [
    ...suite,
    ...(requires ? suite.map((name) => `required: ${name}`) : []),
    ...(sqlite ? ['SqliteStore keeps two handlers from acting twice'] : []),
  ];
}

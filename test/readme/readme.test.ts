import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { type CodeBlock, codeBlocks } from '../helpers/code-blocks';

const blocks = codeBlocks('README.md');
const typescript = blocks.filter(({ info }) => /^ts\b/.test(info));
const runnable = blocks.filter(({ info }) => info === 'ts run');

test('the README has code to look at', () => {
  expect(typescript.length).toBeGreaterThan(5);
  expect(runnable.length).toBeGreaterThan(0);
});

test('every TypeScript block of the README compiles', { timeout: 60_000 }, () => {
  expect(typecheck(typescript)).toEqual([]);
});

test('a block with a field that does not exist would be found', { timeout: 60_000 }, () => {
  const code = "import { PaymentsClient } from 'pix-automatic-sdk';\nPaymentsClient.fromEnvironment();\n";
  expect(typecheck([{ info: 'ts', code, place: 'nowhere:1' }])).toEqual([
    expect.stringContaining("nowhere:1 Property 'fromEnvironment' does not exist"),
  ]);
});

test.each(runnable.map((block) => [block.place, block] as const))('%s prints what it says', (_, { code }) => {
  const directory = mkdtempSync(join(tmpdir(), 'readme-'));
  try {
    const file = join(directory, 'block.mts');
    writeFileSync(file, code);
    // From here, where the package's name resolves to its source by way of tsconfig.json.
    const printed = execFileSync(process.execPath, ['--import', 'tsx', file], { encoding: 'utf8' });
    const promised = [...code.matchAll(/^console\.log\(.*\/\/ (.*)$/gm)].map(([, comment]) => comment);
    expect(promised.length).toBeGreaterThan(0);
    expect(printed.trim().split('\n')).toEqual(promised);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('every npm script that the README names exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const shell = blocks.filter(({ info }) => info === 'sh').map(({ code }) => code);
  const named = [...shell.join('\n').matchAll(/npm (?:run )?(demo|test|[\w:]+(?= *$))/gm)].map(
    ([, name]) => name,
  );
  expect(named).toEqual(expect.arrayContaining(['demo', 'test']));
  for (const name of named.filter((name) => name !== 'ci' && name !== undefined)) {
    expect(scripts, `npm run ${name}`).toHaveProperty([name as string]);
  }
});

/** The compiler's complaints, each with its place in the README. */
function typecheck(given: readonly CodeBlock[]): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const names = given.map((_, index) => resolve('test', 'readme', `block-${index}.mts`));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  const codeOf = (name: string) => given[names.indexOf(resolve(name))]?.code;
  host.readFile = (name) => codeOf(name) ?? readFile(name);
  host.fileExists = (name) => names.includes(resolve(name)) || fileExists(name);
  const getSourceFile = host.getSourceFile;
  host.getSourceFile = (name, target, ...rest) => {
    const code = codeOf(name);
    return code === undefined
      ? getSourceFile(name, target, ...rest)
      : ts.createSourceFile(name, code, target);
  };
  // Variables that a reader would go on to use are no mistake.
  const unused = { noUnusedLocals: false, noUnusedParameters: false };
  const program = ts.createProgram(
    [resolve('test/readme/prelude.ts'), ...names],
    { ...options, ...unused },
    host,
  );
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const place = given[names.indexOf(resolve(file?.fileName ?? ''))]?.place ?? file?.fileName;
    return `${place} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCli } from '../cli/run-cli';
import { type CodeBlock, codeBlocks, documents } from './markdown';
import { promisedOutput, runBlock } from './run-block';
import { extensionOf, typecheck } from './typecheck';

const blocks = [...documents(), 'llms.txt'].flatMap(codeBlocks);
/** The recipes of ORMs and hosts need their packages: `test/orms` and `test/hosts` compile and run them. */
const isRecipe = ({ info }: CodeBlock) => /^typescript (?:postgres|mysql|queues|hosts)\//.test(info);
const compiled = blocks.filter((block) => extensionOf(block) !== undefined && !isRecipe(block));
const runnable = blocks.filter(({ info }) => / run\b/.test(info));

const readmes = documents().filter((file) => file.startsWith('README'));

test.each(readmes)('%s has code blocks to compile', (file) => {
  const isHere = ({ place }: CodeBlock) => place.startsWith(`${file}:`);
  expect(compiled.filter(isHere).length).toBeGreaterThanOrEqual(4);
});

test('every TypeScript and JavaScript block compiles, and a wrong one would not', {
  timeout: 90_000,
}, () => {
  const wrong = ['ts', 'js'].map((info) => ({
    info,
    code: "import { PaymentsClient } from 'pix-automatic-sdk';\nPaymentsClient.fromEnvironment();\n",
    place: `nowhere.${info}:1`,
  }));
  expect(typecheck([...compiled, ...wrong])).toEqual([
    expect.stringContaining("nowhere.ts:3 Property 'fromEnvironment' does not exist"),
    expect.stringContaining("nowhere.js:3 Property 'fromEnvironment' does not exist"),
  ]);
});

test.concurrent.each(runnable.map((block) => [block.place, block] as const))(
  '%s prints what it promises to print',
  async (_, block) => {
    expect(extensionOf(block)).toBe('mts');
    const promised = promisedOutput(block);
    expect(promised).not.toEqual([]);
    expect(await runBlock(block)).toEqual(promised);
  },
  90_000,
);

test('every npm script that a document names exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const named = documents().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bnpm (?:run ([\w:-]+)|(test)\b)/g)].map(
      ([, run, test]) => `${run ?? test} in ${file}`,
    ),
  );
  expect(named).toEqual(expect.arrayContaining(['demo in README.md', 'test in README.md']));
  expect(named.filter((name) => !Object.hasOwn(scripts, name.split(' ')[0] ?? ''))).toEqual([]);
});

test('every command and option of the command line that a document names exists', {
  timeout: 60_000,
}, async () => {
  const named = documents().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bnpx pix-automatic-sdk ([a-z-]+)([^`\n]*)/g)].flatMap(
      ([, command = '', rest = '']) => [
        { file, command, word: `pix-automatic-sdk ${command}` },
        ...(/^ ([a-z-]+)(?= |$)/.exec(rest)?.slice(1) ?? []).map((word) => ({ file, command, word })),
        ...(rest.match(/--[a-z-]+/g) ?? []).map((word) => ({ file, command, word })),
      ],
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  const help = new Map<string, string>();
  for (const command of new Set(named.map(({ command }) => command))) {
    help.set(command, (await runCli([command, '--help'])).stdout);
  }
  expect(named.filter(({ command, word }) => !help.get(command)?.includes(word))).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { runCommand } from '../helpers/run-command';
import { type CodeBlock, codeBlocks, documents, extensionOf } from './markdown';
import { bundleBlocks, promisedOutput } from './run-block';

const blocks = [...documents(), 'llms.txt'].flatMap(codeBlocks);
/** The recipes of ORMs need their packages: `test/orms` compiles and runs them. */
const isRecipe = ({ info }: CodeBlock) => /^(?:typescript|javascript) (?:blocks|queues|shops)\//.test(info);
const compiled = blocks.filter((block) => extensionOf(block) !== undefined && !isRecipe(block));
const runnable = blocks.filter(({ info }) => / run\b/.test(info));

const runBlock = await bundleBlocks(runnable);

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

test('a page says how to install each package that its code imports, before it does', () => {
  const missing = documents().flatMap((file) => {
    const page = readFileSync(file, 'utf8');
    return codeBlocks(file).flatMap((block) => {
      const until = page.slice(0, page.indexOf(block.code) + block.code.length);
      const installed = [...until.matchAll(/npm install ([^`\n]+)/g)].flatMap(([, list = '']) =>
        list.split(/[\s,]+/).map((name) => name.replace(/(?<=.)@.*/, '')),
      );
      return importsOf(block)
        .filter((name) => !installed.includes(name))
        .map((name) => `${name} in ${block.place}`);
    });
  });
  expect(missing).toEqual([]);
});

/** The packages that a block imports, without this one and those of its runtime. */
function importsOf({ code }: CodeBlock): string[] {
  const specifiers = [...code.matchAll(/(?:\bfrom |\brequire\()'([^'.:][^':]*)'/g)].map(
    ([, name = '']) => name,
  );
  const names = specifiers.map((name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  return names.filter((name) => name !== 'pix-automatic-sdk');
}

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

test('every command and option of the command line that a document names exists', async () => {
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
  const commands = [...new Set(named.map(({ command }) => command))];
  const help = new Map<string, string>();
  for (const command of commands) help.set(command, (await runCommand([command, '--help'])).stdout);
  expect(named.filter(({ command, word }) => !help.get(command)?.includes(word))).toEqual([]);
});

/** The compiler’s errors in blocks, each with its place. Blocks may use the names of `prelude.ts`. */
function typecheck(blocks: readonly CodeBlock[]): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const names = blocks.map((block, index) => resolve('test', 'docs', `block-${index}.${extensionOf(block)}`));
  const given = new Map(blocks.map((block, index) => [names[index] as string, block]));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => given.get(resolve(name))?.code ?? readFile(name);
  host.fileExists = (name) => given.has(resolve(name)) || fileExists(name);
  host.getSourceFile = (name, target, ...rest) => {
    const block = given.get(resolve(name));
    return block === undefined
      ? getSourceFile(name, target, ...rest)
      : ts.createSourceFile(name, block.code, target);
  };
  const program = ts.createProgram(
    [resolve('test/docs/prelude.ts'), ...names],
    {
      ...options,
      allowJs: true,
      checkJs: true,
      // A block without an import is a module too, so its names do not clash with those of other blocks.
      moduleDetection: ts.ModuleDetectionKind.Force,
      // A reader would go on to use these variables, so they are no mistake.
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    host,
  );
  // Only in the blocks: the source has its own check.
  return names.flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ start = 0, messageText }) =>
        `${placeOf(file, start, given.get(name))} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
}

/** The line in the document for an error in a block. */
function placeOf(file: ts.SourceFile | undefined, start: number, block: CodeBlock | undefined): string {
  const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
  const [document, fence] = block?.place.split(':') ?? [];
  return `${document}:${Number(fence) + line + 1}`;
}

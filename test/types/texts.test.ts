import { resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import tsconfig from '../../tsconfig.json' with { type: 'json' };

/** Each catalogue: its file without the language, a key of it, and the file that compares the languages. */
const catalogues = [
  ['src/sandbox/texts', 'pay.about', 'src/sandbox/text.ts'],
  ['src/sandbox/inventions', 'shipping', 'src/sandbox/text.ts'],
  ['src/sandbox/page/app/texts', 'deliveries', 'src/sandbox/page/app/texts.ts'],
] as const;

/** A use of a key that no catalogue has, by the catalogue that should have it. */
const uses = {
  'src/sandbox/texts': "import { text } from '../../src/sandbox/text'; text('no.such');",
  'src/sandbox/page/app/texts':
    "import { textsIn } from '../../src/sandbox/page/app/texts'; textsIn('en').noSuch;",
};

/** What the compiler says of the source once these files have these contents. */
function complaints(planted: Readonly<Record<string, string>>, ...roots: readonly string[]): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: ['node'],
    strict: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    noEmit: true,
    paths: tsconfig.compilerOptions.paths,
  };
  const contents = new Map(Object.entries(planted).map(([file, text]) => [resolve(file), text]));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (file) => contents.get(resolve(file)) ?? readFile(file);
  host.fileExists = (file) => contents.has(resolve(file)) || fileExists(file);
  host.getSourceFile = (file, language, ...rest) => {
    const text = contents.get(resolve(file));
    return text === undefined
      ? getSourceFile(file, language, ...rest)
      : ts.createSourceFile(file, text, language);
  };
  const program = ts.createProgram(
    roots.map((root) => resolve(root)),
    options,
    host,
  );
  return roots.flatMap((root) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(resolve(root)))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}

function without(file: string, key: string, added: string): string {
  const { [key]: _, ...rest } = JSON.parse(ts.sys.readFile(file) ?? '');
  return JSON.stringify({ ...rest, [added]: '' });
}

describe('the compiler', { timeout: 120_000 }, () => {
  it('names the file and the key, if a language lacks a text, or has one that English lacks', () => {
    const planted = Object.fromEntries(
      catalogues.map(([file, key]) => [`${file}.pt.json`, without(`${file}.pt.json`, key, 'added')]),
    );
    const said = complaints(planted, ...new Set(catalogues.map(([, , root]) => root))).join('\n');
    for (const [file, key] of catalogues)
      expect(said).toContain(
        `{ readonly file: "${file}.pt.json"; readonly missing: "${key}"; readonly unknown: "added"; }`,
      );
  });

  it.each([
    ['src/cli/texts.pt.ts', 'exit.worked'],
    ['src/cli/verify/texts.pt.ts', 'cause.truncates'],
  ])('names the key that %s lacks', (file, key) => {
    const lacking = ts.sys.readFile(file)?.replace(`'${key}':`, "'no.such':") ?? '';
    expect(complaints({ [file]: lacking }, file).join('\n')).toContain("'no.such'' does not exist in type");
    const without = lacking.replace(/^ {2}'no\.such':\s+.*\n/m, '');
    expect(complaints({ [file]: without }, file).join('\n')).toContain(`Property '"${key}"' is missing`);
  });

  it('names the key, if the command line says a text, step or mistake that is in no catalogue', () => {
    for (const code of [
      "import { say } from '../../src/cli/language'; say('no.such');",
      "import type { StepId } from '../../src/cli/texts'; 'no.such' satisfies StepId;",
      "import type { CauseId } from '../../src/cli/texts'; 'no.such' satisfies CauseId;",
    ])
      expect(complaints({ 'test/types/planted.ts': code }, 'test/types/planted.ts').join('\n')).toContain(
        'no.such',
      );
  });

  it('names the file and the row, if an invention has no text', () => {
    const file = 'src/sandbox/inventions.en.json';
    const said = complaints({ [file]: without(file, 'shipping', 'added') }, 'src/sandbox/inventions.ts');
    expect(said.join('\n')).toMatch(
      /"shipping"' is not assignable to .*"src\/sandbox\/inventions\.en\.json"/,
    );
  });

  it('names the file and the key, if the source uses one that is in no catalogue', () => {
    const files = Object.entries(uses).map(([file, code], index) => ({
      file,
      sample: `test/types/planted-${index}.ts`,
      code,
    }));
    const planted = Object.fromEntries(files.map(({ sample, code }) => [sample, code]));
    for (const { file, sample } of files) {
      const [said = ''] = complaints(planted, sample);
      expect(said).toMatch(/no[.-]?[sS]uch/);
      expect(said).toContain(`${file}.en.json`);
    }
  });
});

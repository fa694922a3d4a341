import { resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import tsconfig from '../../tsconfig.json' with { type: 'json' };

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

describe('the compiler', { timeout: 120_000 }, () => {
  it.each([
    ['src/sandbox/texts.pt.ts', 'pay.about'],
    ['src/sandbox/inventions.pt.ts', 'shipping'],
    ['src/sandbox/page/app/texts.pt.ts', 'deliveries'],
  ])('names in %s the key that is missing there: %s', (file, key) => {
    const contents = ts.sys.readFile(file) ?? '';
    const lacking = contents.replace(
      new RegExp(`\\n  '?${key.replace('.', '\\.')}'?:(?:[^\\n]|\\n {4})*`),
      '',
    );
    expect(lacking).not.toBe(contents);
    expect(complaints({ [file]: lacking }, file).join('\n')).toMatch(new RegExp(`'"?${key}"?' is missing`));
    const added = contents.replace('\n};', "\n  'no-such': '',\n};");
    expect(complaints({ [file]: added }, file).join('\n')).toContain("'no-such'' does not exist");
  });

  it.each([
    [
      'text',
      "import { text } from '../../src/sandbox/text'; text('no.such');",
      'keyof TextsEnAndInventionsEn',
    ],
    [
      'control',
      "import type { ControlName } from '../../src/sandbox/text'; 'noSuch' satisfies ControlName;",
      'keyof AboutsInTextsEn',
    ],
  ])('names the catalogue of the sandbox that lacks the key of a %s', (_, code, catalogue) => {
    const sample = 'test/types/planted.ts';
    expect(complaints({ [sample]: code }, sample).join('\n')).toContain(`'${catalogue}'`);
  });

  it('names the row, if an invention has no text', () => {
    const file = 'src/sandbox/inventions.en.ts';
    const lacking = (ts.sys.readFile(file) ?? '').replace('  shipping:', '  shiping:');
    expect(complaints({ [file]: lacking }, 'src/sandbox/inventions.ts').join('\n')).toContain('"shipping"');
  });

  it.each([
    ["import { text } from '../../src/sandbox/text'; text('no.such');", '"no.such"'],
    ["import { textsIn } from '../../src/sandbox/page/app/texts'; textsIn('en').noSuch;", "'noSuch'"],
    ["import type { StepId } from '../../src/cli/verify/hints'; 'noSuch' satisfies StepId;", '"noSuch"'],
  ])('names the key that is in no catalogue, in %s', (code, key) => {
    const sample = 'test/types/planted.ts';
    expect(complaints({ [sample]: code }, sample).join('\n')).toContain(key);
  });
});

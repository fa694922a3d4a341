import { resolve } from 'node:path';
import ts from 'typescript';
import type { CodeBlock } from './markdown';

/** The file extension for a block’s language; `undefined` for one that no compiler checks. */
export function extensionOf({ info, code }: CodeBlock): string | undefined {
  const [language = ''] = info.split(' ');
  if (/^(ts|typescript|mts)$/.test(language)) return 'mts';
  if (/^(js|javascript|mjs|cjs)$/.test(language)) return /\brequire\(/.test(code) ? 'cjs' : 'mjs';
  return undefined;
}

/** The compiler’s errors in blocks, each with its place. Blocks may use the names of `prelude.ts`. */
export function typecheck(blocks: readonly CodeBlock[]): string[] {
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
    [resolve('test/docs/prelude.ts'), resolve('test/docs/databases.d.ts'), ...names],
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

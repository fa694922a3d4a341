// Writes `docs/api-report.md`: what each entry exports, with the full text of every type. Its diff shows every change
// of the public API, including members and signatures.
// Run: npm run api-report               writes the file
//      npm run api-report -- --check    fails when the file does not match the source
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const printer = ts.createPrinter({ removeComments: true });

const FILE = 'docs/api-report.md';
if (process.argv[1]?.endsWith('api-report.ts')) {
  const text = apiReport();
  if (!process.argv.includes('--check')) {
    writeFileSync(FILE, text);
  } else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
    console.error(
      `${FILE} does not match the source. Run \`npm run api-report\`, look at the diff, and commit it.`,
    );
    process.exit(1);
  }
}

/** The report on the entries in the `paths` of a folder's `tsconfig.json`. */
export function apiReport(root = '.'): string {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: { paths: Record<string, [source: string]> };
  };
  const { entries, declarations } = declarationsOf(
    root,
    Object.entries(compilerOptions.paths).map(([name, [source]]) => ({
      name,
      source: resolve(root, source),
    })),
  );
  const report = [
    '# API report',
    // An empty line follows the heading.
    '',
    'Made by `npm run api-report` from the source; do not edit. First the names that each entry exports, then every type',
    'with its members, including types that are not exported but are mentioned by an exported one.',
    ...entries.map(({ name, exports }) => `\n## ${name}\n\n${exports.map((each) => `- ${each}`).join('\n')}`),
    '\n## Declarations',
    ...declarations.map(({ title, code }) => `\n### ${title}\n\n\`\`\`\n${code}\n\`\`\``),
  ];
  return `${report.join('\n')}\n`;
}

/** What the entries export, and the declarations behind it. */
interface PublicDeclarations {
  readonly entries: ReadonlyArray<{ readonly name: string; readonly exports: readonly string[] }>;
  readonly declarations: ReadonlyArray<{ readonly title: string; readonly code: string }>;
}

/** Emits the declarations of the source in memory, and collects those that callers of the entries can see. */
function declarationsOf(
  root: string,
  sources: ReadonlyArray<{ readonly name: string; readonly source: string }>,
): PublicDeclarations {
  const program = declarationProgram(
    root,
    sources.map(({ source }) => source),
  );
  const checker = program.getTypeChecker();
  const reached = new Map<ts.Symbol, boolean>();

  const entries = sources.map(({ name, source }) => {
    const module = checker.getSymbolAtLocation(sourceFile(program, source));
    if (module === undefined) throw new Error(`${source} exports nothing.`);
    const exported = checker
      .getExportsOfModule(module)
      .map((symbol) => [symbol.name, original(symbol)] as const);
    for (const [, symbol] of exported) reached.set(symbol, true);
    return { name, exports: exported.map(([exportedAs]) => exportedAs).sort() };
  });

  function original(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  /** Adds the symbols that a declaration mentions. The loop over the map also visits those added while it runs. */
  function visit(node: ts.Node): void {
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      const mentioned = symbol && original(symbol);
      if (mentioned && isTopLevelOfOurs(root, mentioned) && !reached.has(mentioned))
        reached.set(mentioned, false);
    }
    ts.forEachChild(node, visit);
  }
  for (const [symbol] of reached) symbol.declarations?.forEach(visit);

  const declarations = [...reached].map(([symbol, isExported]) => ({
    title: isExported ? symbol.name : `${symbol.name} (not exported)`,
    code: (symbol.declarations ?? []).map(textOf).join('\n'),
  }));
  declarations.sort((one, other) => compare(one.title, other.title) || compare(one.code, other.code));
  return { entries, declarations };
}

/** A program of the sources' declarations, which are kept in memory. */
function declarationProgram(root: string, sources: readonly string[]): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const emitting = { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true };
  const emitted = new Map<string, string>();
  ts.createProgram(sources, emitting).emit(undefined, (file, text) => emitted.set(resolve(file), text));

  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => emitted.has(file) || (!isOurSource(root, file) && fileExists(file));
  host.readFile = (file) => emitted.get(file) ?? readFile(file);
  host.getSourceFile = (file, language, ...rest) => {
    const text = emitted.get(file);
    return text === undefined
      ? getSourceFile(file, language, ...rest)
      : ts.createSourceFile(file, text, language, true);
  };
  return ts.createProgram(sources.map(declarationFile), options, host);
}

function declarationFile(source: string): string {
  return source.replace(/\.ts$/, '.d.ts');
}

function isOurSource(root: string, file: string): boolean {
  return resolve(file).startsWith(resolve(root, 'src')) && file.endsWith('.ts');
}

function sourceFile(program: ts.Program, source: string): ts.SourceFile {
  const file = program.getSourceFile(declarationFile(source));
  if (file === undefined) throw new Error(`${source} gives no declarations.`);
  return file;
}

function isTopLevelOfOurs(root: string, symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some(
    (declaration) =>
      !ts.isSourceFile(declaration) &&
      isOurSource(root, declaration.getSourceFile().fileName) &&
      ts.isSourceFile(statementOf(declaration).parent),
  );
}

/** The statement of a declaration; for a variable, `declare const name: Type` around it. */
function statementOf(declaration: ts.Declaration): ts.Node {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function textOf(declaration: ts.Declaration): string {
  return printer.printNode(ts.EmitHint.Unspecified, statementOf(declaration), declaration.getSourceFile());
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

import { resolve } from 'node:path';
import ts from 'typescript';
import tsconfig from '../../tsconfig.json' with { type: 'json' };

/** Marks the cursor in a piece of code. */
const CURSOR = '|';
const file = resolve('test/types/in-the-editor.ts');

/** The settings of most projects. Settings stricter than `strict` would change the messages. */
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
  paths: tsconfig.compilerOptions.paths,
  configFilePath: resolve('tsconfig.json'),
};

/** A merchant's file in an editor, which shows what TypeScript's language service reports. */
export class Editor {
  readonly #service: ts.LanguageService;
  #code = '';
  #version = 0;

  constructor() {
    const host: ts.LanguageServiceHost = {
      getCompilationSettings: () => options,
      getScriptFileNames: () => [file],
      getScriptVersion: (name) => (name === file ? String(this.#version) : '0'),
      getScriptSnapshot: (name) => {
        const text = name === file ? this.#code : ts.sys.readFile(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => process.cwd(),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (name) => name === file || ts.sys.fileExists(name),
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
    };
    this.#service = ts.createLanguageService(host);
  }

  /** The program, with `code` as the merchant's file. */
  program(code: string): ts.Program {
    this.#open(code);
    const program = this.#service.getProgram();
    if (program === undefined) throw new Error('TypeScript made no program of the file.');
    return program;
  }

  /** The compiler's complaints, as `tsc` prints them: the first line and those that explain it. */
  complaints(code: string): string[] {
    this.#open(code);
    return this.#service
      .getSemanticDiagnostics(file)
      .map(
        ({ code: number, messageText }) =>
          `TS${number}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
  }

  /** The names offered at the cursor. */
  completions(code: string): string[] {
    const position = this.#open(code);
    const found = this.#service.getCompletionsAtPosition(file, position, {});
    return found?.entries.map(({ name }) => name.replace(/^["']|["']$/g, '')) ?? [];
  }

  /** The documentation shown beside a name that is offered at the cursor. */
  completionText(code: string, name: string): string {
    const position = this.#open(code);
    const details = this.#service.getCompletionEntryDetails(
      file,
      position,
      name,
      {},
      undefined,
      {},
      undefined,
    );
    return ts.displayPartsToString(details?.documentation);
  }

  /** The hover text at the cursor. */
  hover(code: string): string {
    return this.hoverAt(file, this.#open(code));
  }

  /** The hover text at a position in a file of the program. */
  hoverAt(name: string, position: number): string {
    const info = this.#service.getQuickInfoAtPosition(name, position);
    const tags = info?.tags?.map((tag) => `@${tag.name} ${ts.displayPartsToString(tag.text)}`) ?? [];
    return [ts.displayPartsToString(info?.documentation), ...tags].join('\n').trim();
  }

  /** @returns the position of the cursor */
  #open(code: string): number {
    this.#code = code.replace(CURSOR, '');
    this.#version += 1;
    return code.indexOf(CURSOR);
  }
}

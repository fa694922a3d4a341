import { resolve } from 'node:path';
import ts from 'typescript';
import tsconfig from '../../tsconfig.json' with { type: 'json' };

/** Marks the cursor in a piece of code. */
const CURSOR = '|';

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

/** An editor that has a file of a merchant open for each sample. One program has all of them, because each takes seconds. */
export class Editor {
  readonly #service: ts.LanguageService;
  readonly #files: ReadonlyMap<string, string>;

  constructor(samples: readonly string[]) {
    this.#files = new Map(samples.map((code, index) => [resolve(`test/types/sample-${index}.ts`), code]));
    const host: ts.LanguageServiceHost = {
      getCompilationSettings: () => options,
      getScriptFileNames: () => [...this.#files.keys()],
      getScriptVersion: () => '0',
      getScriptSnapshot: (name) => {
        const text = this.#files.get(name)?.replace(CURSOR, '') ?? ts.sys.readFile(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => process.cwd(),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (name) => this.#files.has(name) || ts.sys.fileExists(name),
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
    };
    this.#service = ts.createLanguageService(host);
  }

  /** The program of all samples. */
  program(): ts.Program {
    const program = this.#service.getProgram();
    if (program === undefined) throw new Error('TypeScript made no program of the samples.');
    return program;
  }

  /** The compiler's complaints, as `tsc` prints them: the first line and those that explain it. */
  complaints(code: string): string[] {
    return this.#service
      .getSemanticDiagnostics(this.#place(code)[0])
      .map(
        ({ code: number, messageText }) =>
          `TS${number}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
  }

  /** The names offered at the cursor. */
  completions(code: string): string[] {
    const found = this.#service.getCompletionsAtPosition(...this.#place(code), {});
    return found?.entries.map(({ name }) => name.replace(/^["']|["']$/g, '')) ?? [];
  }

  /** The documentation shown beside a name that is offered at the cursor. */
  completionText(code: string, name: string): string {
    const place = this.#place(code);
    const details = this.#service.getCompletionEntryDetails(...place, name, {}, undefined, {}, undefined);
    return ts.displayPartsToString(details?.documentation);
  }

  /** The hover text at the cursor. */
  hover(code: string): string {
    return this.hoverAt(...this.#place(code));
  }

  /** The hover text at a position in a file of the program. */
  hoverAt(name: string, position: number): string {
    const info = this.#service.getQuickInfoAtPosition(name, position);
    const tags = info?.tags?.map((tag) => `@${tag.name} ${ts.displayPartsToString(tag.text)}`) ?? [];
    return [ts.displayPartsToString(info?.documentation), ...tags].join('\n').trim();
  }

  /** The file of a sample, and the position of its cursor. */
  #place(sample: string): [file: string, position: number] {
    const [file] = [...this.#files].find(([, code]) => code === sample) ?? [];
    if (file === undefined) throw new Error(`The editor was not opened with ${sample}`);
    return [file, sample.indexOf(CURSOR)];
  }
}

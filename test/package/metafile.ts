import { readFileSync } from 'node:fs';
import type { Metafile } from 'esbuild';
import { buildSync } from 'esbuild';

export type Format = 'esm' | 'cjs';
export type Entry = 'index' | 'webhooks' | 'stores' | 'orders' | 'recurrence' | 'testing' | 'sandbox' | 'pix';

/** esbuild's report on what the build put into which file. */
export function metafile(format: Format): Metafile {
  return JSON.parse(readFileSync(`dist/metafile-${format}.json`, 'utf8')) as Metafile;
}

/** The source files that an entry loads: when it is imported, or (with `later`) also by a dynamic `import()`. */
export function sourcesOf(entry: Entry, format: Format, { later }: { later: boolean }): string[] {
  const { outputs } = metafile(format);
  const reached = new Set<string>();
  const visit = (output: string): void => {
    if (reached.has(output)) return;
    reached.add(output);
    const written = outputs[output];
    if (written === undefined) throw new Error(`The build has no ${output}.`);
    for (const { path, kind, external } of written.imports) {
      if (!external && (later || kind !== 'dynamic-import')) visit(path);
    }
  };
  visit(`dist/${entry}.${format === 'esm' ? 'js' : 'cjs'}`);

  // A source file that tree-shaking removed completely is not loaded.
  const inputs = [...reached].flatMap((output) => Object.entries(outputs[output]?.inputs ?? {}));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([source]) => source);
}

/** The npm package that a source file belongs to; `undefined` for our own. */
export function packageOf(source: string): string | undefined {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
}

/** The packages in the sandbox's page, whose script is bundled before the rest of the package. */
export function packagesOfPage(): string[] {
  const { metafile } = buildSync({
    entryPoints: ['src/sandbox/page/app/main.ts'],
    bundle: true,
    write: false,
    metafile: true,
  });
  return [...new Set(Object.keys(metafile.inputs).flatMap((file) => packageOf(file) ?? []))];
}

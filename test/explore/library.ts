import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';

/** The parts of the library that the explorer uses: its public entries and nothing inside. */
export type Library = Pick<typeof import('../../src/webhooks'), 'createWebhookHandler' | 'MemoryStore'> &
  Pick<typeof import('../../src/stores'), 'RedisStore' | 'PostgresStore' | 'SqliteStore'>;

/** Replaces the runtime’s timers and clocks for the library only. Drivers keep the real ones. */
export interface Runtime {
  readonly setTimeout: (action: () => void, ms?: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
  readonly setImmediate: (action: () => void) => unknown;
  readonly performance: { now(): number };
  readonly Date: DateConstructor;
}

/** A fault in a copy of the source: in `file`, `to` replaces the match of `from`. */
export interface Patch {
  readonly file: string;
  readonly from: RegExp;
  readonly to: string;
}

/** The source under test as one program, which can be started any number of times. */
export type Program = (runtime: Runtime) => Library;

/**
 * Bundles the source with the patches. Nothing is written to disk.
 *
 * @throws when a patch does not fit the source: a seeded fault that is not put in would look like one that was not
 * found
 */
export async function bundle(source: string, patches: readonly Patch[] = []): Promise<Program> {
  const applied = new Set<Patch>();
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from './webhooks/index'; export * from './stores/index';",
      resolveDir: resolve(source),
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'library',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
    nodePaths: [resolve('node_modules')],
    plugins: [patching(resolve(source), patches, applied)],
  });
  for (const patch of patches) {
    if (!applied.has(patch))
      throw new Error(`No ${patch.file} was bundled, so its fault could not be put in.`);
  }
  const names = ['setTimeout', 'clearTimeout', 'setImmediate', 'performance', 'Date', 'require'];
  const start = compileFunction(`${outputFiles[0]?.text}\nreturn library;`, names, {
    filename: 'library.js',
  });
  const require = createRequire(import.meta.url);
  return (runtime) =>
    start(
      runtime.setTimeout,
      runtime.clearTimeout,
      runtime.setImmediate,
      runtime.performance,
      runtime.Date,
      require,
    );
}

function patching(source: string, patches: readonly Patch[], applied: Set<Patch>): Plugin {
  return {
    name: 'patches',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const mine = patches.filter(({ file }) => file === relative(source, path));
        if (mine.length === 0) return undefined;
        let contents = await readFile(path, 'utf8');
        for (const patch of mine) {
          contents = replaceOnce(contents, patch);
          applied.add(patch);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
}

function replaceOnce(text: string, { file, from, to }: Patch): string {
  const found = text.match(new RegExp(from, 'g'))?.length ?? 0;
  if (found === 1) return text.replace(from, to);
  throw new Error(
    `${file} has ${found} places like ${from}, and a seeded fault needs one. The source has changed: adapt the fault.`,
  );
}

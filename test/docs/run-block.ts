import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, vi } from 'vitest';
import type { CodeBlock } from './markdown';

const scheme = 'block:';

/**
 * Gives a function that runs one of these blocks in a process of its own, and gives the lines that it prints. One build
 * bundles all of them with the package's source; their development dependencies come from this folder.
 */
export async function bundleBlocks(
  blocks: readonly CodeBlock[],
): Promise<(block: CodeBlock) => Promise<string[]>> {
  const directory = mkdtempSync(join(tmpdir(), 'docs-'));
  // For a symbolic link, this removes only the link.
  afterAll(() => rmSync(directory, { recursive: true }));
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  await build({
    entryPoints: Object.fromEntries(blocks.map((_, index) => [`block-${index}`, `${scheme}${index}`])),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    tsconfig: 'tsconfig.json',
    plugins: [
      {
        name: 'blocks',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^block:/ }, ({ path }) => ({ path, namespace: 'blocks' }));
          onLoad({ filter: /.*/, namespace: 'blocks' }, ({ path }) => ({
            contents: blocks[Number(path.slice(scheme.length))]?.code ?? '',
            loader: 'ts',
            resolveDir: process.cwd(),
          }));
        },
      },
    ],
  });
  return async (block) => {
    const file = join(directory, `block-${blocks.indexOf(block)}.mjs`);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], {
      timeout: 60_000,
      env: { ...process.env, NODE_ENV: 'development', FORCE_COLOR: '0' },
    });
    return `${stdout}${stderr}`.trimEnd().split('\n');
  };
}

/** The exports of a block. Another test checks what it prints. */
export async function loadBlock({ code }: CodeBlock) {
  const directory = mkdtempSync(join(tmpdir(), 'docs-'));
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const file = join(directory, 'block.ts');
    writeFileSync(file, code);
    return await import(/* @vite-ignore */ file);
  } finally {
    printed.mockRestore();
    rmSync(directory, { recursive: true });
  }
}

/** The output that a block promises: after each `console.log(…);`, and in the lines below `// prints:`. */
export function promisedOutput({ code }: CodeBlock): string[] {
  const promised: string[] = [];
  let isList = false;
  for (const line of code.split('\n')) {
    const [, listed] = /^\s*\/\/ (.*)$/.exec(line) ?? [];
    const [, behind] = /^\s*(?:console\.log\(.*)?\); \/\/ (.*)$/.exec(line) ?? [];
    if (isList && listed !== undefined) promised.push(listed);
    else if (behind !== undefined) promised.push(behind);
    isList = /^(prints|imprime):$/.test(listed ?? '') || (isList && listed !== undefined);
  }
  return promised;
}

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { vi } from 'vitest';
import type { CodeBlock } from './markdown';

/**
 * The lines that a block prints. It is bundled with the package's source, which a loader would take a second to compile,
 * and runs from this folder, where it can import the development dependencies.
 */
export async function runBlock({ code }: CodeBlock): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'docs-'));
  try {
    symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
    const file = join(directory, 'block.mjs');
    await build({
      stdin: { contents: code, loader: 'ts', resolveDir: process.cwd() },
      outfile: file,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      tsconfig: 'tsconfig.json',
    });
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], {
      timeout: 60_000,
      env: { ...process.env, NODE_ENV: 'development', FORCE_COLOR: '0' },
    });
    return `${stdout}${stderr}`.trimEnd().split('\n');
  } finally {
    // For a symbolic link, this removes only the link.
    rmSync(directory, { recursive: true });
  }
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

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import type { CodeBlock } from './markdown';

/**
 * The lines that a block prints. It runs from this folder, where tsconfig.json resolves the package’s name to its
 * source, and where it can import the development dependencies.
 */
export async function runBlock({ code }: CodeBlock, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'docs-'));
  try {
    symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
    const file = join(directory, 'block.mts');
    writeFileSync(file, code);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file], {
      timeout: 60_000,
      env: { ...process.env, NODE_ENV: 'development', FORCE_COLOR: '0', ...env },
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

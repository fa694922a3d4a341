import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { CodeBlock } from './markdown';

/**
 * What a block prints, line by line. It is run from here, where the package's name resolves to its source by way of
 * tsconfig.json, and finds the development dependencies as its own.
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
    // Of a symbolic link this removes the link.
    rmSync(directory, { recursive: true });
  }
}

/** What a block says that it prints: behind each `console.log(…);`, and in the lines below `// prints:`. */
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

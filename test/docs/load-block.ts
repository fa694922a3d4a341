import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { CodeBlock } from './markdown';

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

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The TypeScript files of a folder of a checkout that people write, with those of its folders. */
export function sourceFiles(root: string, folder: string): string[] {
  const listed = execFileSync('git', ['ls-files', `${folder}/*.ts`], { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((name) => /(?<!\.generated|\.d)\.ts$/.test(name));
}

/** How many lines of a file have code, in Biome's format: no blank ones, and none that are comments alone. */
export function codeLines(root: string, file: string): number {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.filter((line) => /^\s*(?!\/\/|\/\*|\*[\s/]|\*$)\S/.test(line)).length;
}

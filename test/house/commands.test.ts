import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scripts } from '../../package.json';

// Links of documents have test/docs/links.test.ts, and imports the compiler.

const files = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter(existsSync);

it('each script, test project and file that a script or a workflow names is there', () => {
  const projects = readFileSync('vitest.config.ts', 'utf8');
  const found = files(
    '.ci/run',
    '.github',
    'package.json',
    'scripts',
    'bench/*.ts',
    'CONTRIBUTING.md',
  ).flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
    const missing = [
      ...named(/npm run (?:--silent |-s )?([a-z]+(?:[:-][a-z]+)*)/g).filter((name) => !(name in scripts)),
      ...named(/--project ([a-z]+(?:-[a-z]+)*)/g).filter((name) => !projects.includes(`project('${name}'`)),
      ...named(/(?<![\w/.-])((?:src|test|scripts|bench|examples|docs)\/[\w./-]+\.\w+)/g).filter(
        (path) => !existsSync(path) && !/\/x\/y\.|\/my-|^docs\/api\//.test(path),
      ),
    ];
    return missing.map((name) => `${file}: ${name}`);
  });
  expect(found).toEqual([]);
});

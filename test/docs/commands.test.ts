import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import vitestConfig from '../../vitest.config';
import { documents } from './markdown';

const read = (file: string) => readFileSync(file, 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const workflows = readdirSync('.github', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yml'))
  .map((name) => join('.github', name));

/** Everything that runs something of this repository: what a person reads, CI, and the scripts themselves. */
const callers: readonly (readonly [file: string, text: string])[] = [
  ...[...documents(), ...workflows, '.ci/run'].map((file) => [file, read(file)] as const),
  ...Object.entries(scripts).map(([name, text]) => [`package.json, ${name}`, text] as const),
  ['test/machines/run.ts', read('test/machines/run.ts').replaceAll("', '", ' ')],
];

/** What matches in all callers, with where it stands. */
function found(pattern: RegExp): (readonly [name: string, file: string])[] {
  return callers.flatMap(([file, text]) =>
    [...text.matchAll(pattern)].map(([, name = '']) => [name, file] as const),
  );
}

const lost = (all: readonly (readonly [string, string])[], isThere: (name: string) => boolean) => {
  expect(all.length).toBeGreaterThan(3);
  return all.filter(([name]) => !isThere(name));
};

test('every npm script that is named exists', () => {
  expect(
    lost(
      found(/npm run (?:--silent )?([a-z][\w-]*(?::[\w-]+)?)/g),
      (name) => name in scripts || name === 'dev',
    ),
  ).toEqual([]);
});

test('every file that a command starts exists', () => {
  const files = found(/\btsx ((?:src|test|scripts|bench)\/[\w./-]+)/g);
  expect(lost(files, existsSync)).toEqual([]);
});

test('every project of vitest that is named exists', () => {
  const projects = vitestConfig.test?.projects ?? [];
  const names = projects.map((each) =>
    typeof each === 'object' && 'test' in each ? each.test?.name : undefined,
  );
  const named = found(/--project ([a-z-]+)/g);
  expect(lost(named, (name) => name === 'NAME' || name === 'name' || names.includes(name))).toEqual([]);
});

test('every machine that is named exists', () => {
  const machines = [...read('test/machines/run.ts').matchAll(/^ {2}(\w+): \[/gm)].map(([, name]) => name);
  expect(lost(found(/npm run machine -- ([a-z]+)/g), (name) => machines.includes(name))).toEqual([]);
});

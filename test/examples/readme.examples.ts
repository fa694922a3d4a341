import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { sections } from '../docs/markdown';
import { run } from '../package/run';
import { runShell } from './runner/program';

// The quick start of README.md as a reader follows it: from an empty folder, with each file and command as printed.
// Only the published package is replaced, by the packed one.

const quickStart = sections('README.md').find(({ heading }) => heading === 'Quick start');
const text = quickStart?.text ?? '';
const blocks = quickStart?.blocks ?? [];
const commands = blocks.filter(({ info }) => info === 'sh').flatMap(({ code }) => code.trim().split('\n'));

const program = 'shop.mts';
const commandWith = (part: string) => commands.find((command) => command.includes(part)) ?? `no ${part}`;

test('the quick start is within the first 60 lines, and names each file to save', async () => {
  const lines = (await readFile('README.md', 'utf8')).split('\n');
  expect(lines.indexOf('npx pix-automatic-sdk pay')).toBeGreaterThan(0);
  expect(lines.indexOf('npx pix-automatic-sdk pay')).toBeLessThan(60);
  expect(lines.length).toBeLessThanOrEqual(180);
  expect([...files().keys()]).toEqual(['.env', program]);
  expect(commands).toHaveLength(5);
});

test(`${program} of the README runs as it is printed`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'readme-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

  const install = commandWith('npm install').replace('pix-automatic-sdk', inject('tarball'));
  await run(directory, 'sh', '-c', install);
  for (const name of ['.env', program] as const) {
    await writeFile(join(directory, name), files().get(name) ?? '');
  }

  const sandbox = runShell(commandWith('sandbox --webhook-url'), directory);
  await sandbox.printed(/http:\/\/127\.0\.0\.1:4100/);
  const shop = runShell(commandWith(program), directory);
  await shop.printed(/QR code: /);
  await run(directory, 'sh', '-c', commandWith('pix-automatic-sdk pay'));
  await shop.printed(/^Paid: /m);
  await run(directory, 'sh', '-c', commandWith('pix-automatic-sdk charge'));
  const [printed] = await shop.printed(/[\s\S]*^Paid: .+\n[\s\S]*^Paid: .+$/m);

  const { code: promised = '' } = blocks.find(({ info }) => info === 'text') ?? {};
  expect(printed.split('\n').map(shape)).toEqual(promised.trim().split('\n').map(shape));
});

/** The part of a line that is the same in every run. */
function shape(line: string): string {
  return line.replace(/\b000201.*6304[\dA-F]{4}$/, 'CODE');
}

/**
 * The files that the quick start tells the reader to save, by name. The blocks of a section are in the order of its
 * text.
 */
function files(): Map<string, string> {
  const names = [...text.matchAll(/Save this as `([^`]+)`/g)].map(([, name = '']) => name);
  const contents = blocks.filter(({ info }) => info !== 'sh' && info !== 'text').map(({ code }) => code);
  return new Map(names.map((name, index) => [name, contents[index] ?? '']));
}

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

/** Checks the report against a copy of the source in which one file is changed. */
function checkCopy(file: string, from: string, to: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'pix-automatic-sdk-api-report-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  for (const path of ['src', 'scripts', 'tsconfig.json', 'package.json']) {
    cpSync(path, join(copy, path), { recursive: true });
  }
  mkdirSync(join(copy, 'docs'));
  cpSync('docs/api-report.md', join(copy, 'docs/api-report.md'));
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));

  const text = readFileSync(join(copy, file), 'utf8');
  if (!text.includes(from)) throw new Error(`${file} no longer has ${from}`);
  writeFileSync(join(copy, file), text.replace(from, to));
  const args = ['--import', 'tsx', 'scripts/api-report.ts', '--check'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
  return status === 0 ? 'up to date' : stderr;
}

const outOfDate = expect.stringContaining('docs/api-report.md does not match the source');
const client = 'src/client/payments-client.ts';

it.each([
  [
    'a changed comment does not change',
    'src/client/options.ts',
    '/** Options of a ',
    '/** All of a ',
    'up to date',
  ],
  [
    'a member that becomes required changes',
    'src/client/options.ts',
    'userAgent?: ',
    'userAgent: ',
    outOfDate,
  ],
  ['an argument changes', client, 'action(transactionUUID: ', 'action(transactionUUID: URL | ', outOfDate],
])('%s the report', { timeout: 120_000 }, (_, file, from, to, expected) => {
  expect(checkCopy(file, from, to)).toEqual(expected);
});

it('the report holds types that are not exported but that an exported type mentions', () => {
  expect(readFileSync('docs/api-report.md', 'utf8')).toContain('### CallContext (not exported)');
});

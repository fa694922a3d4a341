import { execFileSync } from 'node:child_process';
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
  try {
    const args = ['--import', 'tsx', 'scripts/api-report.ts', '--check'];
    execFileSync(process.execPath, args, { cwd: copy, encoding: 'utf8', stdio: 'pipe' });
    return 'up to date';
  } catch (error) {
    return String((error as { stderr?: string }).stderr);
  }
}

const outOfDate = 'docs/api-report.md does not match the source';
const timeout = 120_000;

it('the report is up to date, and a changed comment does not change it', { timeout }, () => {
  expect(
    checkCopy('src/client/options.ts', '/** Options of a single call', '/** All options of a single call'),
  ).toBe('up to date');
});

it('a member that becomes required changes the report', { timeout }, () => {
  expect(checkCopy('src/client/options.ts', 'userAgent?: string', 'userAgent: string')).toContain(outOfDate);
});

it('an argument of a method changes the report, though no name changes', { timeout }, () => {
  const found = checkCopy(
    'src/client/payments-client.ts',
    'getTransaction(transactionUUID: string',
    'getTransaction(transactionUUID: string | URL',
  );
  expect(found).toContain(outOfDate);
});

it('the report holds types that are not exported but that an exported type mentions', () => {
  expect(readFileSync('docs/api-report.md', 'utf8')).toContain('### CallContext (not exported)');
});

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiReport } from '../../scripts/api-report';

// A small project, because a report on this one takes seconds: `.ci/run` checks that.
const project = mkdtempSync(join(tmpdir(), 'pix-automatic-sdk-api-report-'));
const options = `/** Options of a client. */
export interface Options {
  userAgent?: string;
}
`;
const client = `import type { Options } from './options';
interface Unseen {
  readonly options: Options;
}
interface CallContext {
  readonly attempt: number;
}
export class Client {
  readonly #unseen: Unseen;
  constructor(options: Options) {
    this.#unseen = { options };
  }
  action(transactionUUID: string): CallContext {
    return { attempt: transactionUUID.length + Object.keys(this.#unseen).length };
  }
}
`;

let before: string;
beforeAll(() => {
  for (const folder of ['src', 'docs']) mkdirSync(join(project, folder));
  const settings = {
    strict: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    lib: ['es2022'],
  };
  const compilerOptions = { ...settings, paths: { 'a-package': ['./src/index.ts'] } };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  writeFileSync(
    join(project, 'src/index.ts'),
    "export { Client } from './client';\nexport type { Options } from './options';\n",
  );
  writeFileSync(join(project, 'src/options.ts'), options);
  writeFileSync(join(project, 'src/client.ts'), client);
  before = apiReport(project);
});
afterAll(() => rmSync(project, { recursive: true }));

it.each([
  ['a changed comment keeps', 'options', '/** Options of a ', '/** All of a '],
  ['a type that no export mentions keeps', 'client', 'Unseen {', 'Unseen {\n  readonly more?: string;'],
  ['a member that becomes required changes', 'options', 'userAgent?: ', 'userAgent: '],
  ['an argument changes', 'client', 'action(transactionUUID: ', 'action(transactionUUID: URL | '],
  ['a type that is mentioned and not exported changes', 'client', 'attempt: number', 'attempt?: number'],
])('%s the report', (about, file, from, to) => {
  const path = join(project, `src/${file}.ts`);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  const isSame = apiReport(project) === before;
  writeFileSync(path, text);
  expect(isSame).toBe(about.endsWith('keeps'));
});

it('npm run api-report -- --check fails when the report is out of date', () => {
  writeFileSync(join(project, 'docs/api-report.md'), `${before}more\n`);
  const tsx = resolve('node_modules/tsx/dist/esm/index.mjs');
  const args = ['--import', tsx, resolve('scripts/api-report.ts'), '--check'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' });
  expect(stderr).toContain('docs/api-report.md does not match the source');
  expect(status).toBe(1);
}, 60_000);

it('the report holds types that are not exported but that an exported type mentions', () => {
  expect(readFileSync('docs/api-report.md', 'utf8')).toContain('### CallContext (not exported)');
});

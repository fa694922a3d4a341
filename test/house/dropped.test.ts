import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scripts } from '../../package.json';

// Links of documents have test/docs/links.test.ts, and imports the compiler.

/** What docs/README.md lists as left out on purpose: names of exports and entries, and commands. */
const DROPPED = [
  /\b(?:waitForTransaction|adviseCheckout|checkBrCode|lookUp|lookUpBy\w+)\b/,
  /\b(?:JourneyJournal|(?:Sql|Memory)JourneyRecords|(?:Redis|Sql|Memory)DeadLetters|(?:postgres|mysql)StoreWithin)\b/,
  /pix-automatic-sdk\/journal|src\/journal|docs\/decisions\//,
  /\bpix-automatic-sdk (?:trigger|explain|read-qr|play|hide)\b|\bdemo --break\b/,
];

const files = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter(existsSync);

it('nothing names what was dropped, but the changelog and the list of it', () => {
  const found = files('*.md', '*.ts', '*.tsx', '*.json', '*.txt', '*.yml', '*.yaml', '.ci/run').flatMap(
    (file) => {
      if (['CHANGELOG.md', 'test/house/dropped.test.ts'].includes(file)) return [];
      const [before = '', list = ''] = readFileSync(file, 'utf8').split(/^## Left out on purpose$/m);
      const text = before + list.replace(/^\|.*$/gm, '');
      return DROPPED.flatMap((name) => (name.test(text) ? [`${file}: ${name.exec(text)?.[0]}`] : []));
    },
  );
  expect(found).toEqual([]);
});

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

// Writes `docs/api-report.md`: what each entry exports, with the full text of every type. Its diff shows every change
// of the public API, including members and signatures.
// Run: npm run api-report               writes the file
//      npm run api-report -- --check    fails when the file does not match the source
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { declarationsOf } from './declarations';

const FILE = 'docs/api-report.md';
const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as {
  compilerOptions: { paths: Record<string, [source: string]> };
};
const { entries, declarations } = declarationsOf(
  Object.entries(compilerOptions.paths).map(([name, [source]]) => ({ name, source })),
);

const report = [
  '# API report',
  'Made by `npm run api-report` from the source; do not edit. First the names that each entry exports, then every type',
  'with its members, including types that are not exported but are mentioned by an exported one.',
  ...entries.map(({ name, exports }) => `\n## ${name}\n\n${exports.map((each) => `- ${each}`).join('\n')}`),
  '\n## Declarations',
  ...declarations.map(({ title, code }) => `\n### ${title}\n\n\`\`\`\n${code}\n\`\`\``),
];
// An empty line follows the heading.
const text = `${report[0]}\n\n${report.slice(1).join('\n')}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, text);
} else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  console.error(
    `${FILE} does not match the source. Run \`npm run api-report\`, look at the diff, and commit it.`,
  );
  process.exit(1);
}

// Checks whether this commit can be released: a host, a dated section of the changelog, and one version everywhere.
// Run: npm run release:check [-- --tag v1.2.3]     prints what is missing, and fails
import { readFileSync } from 'node:fs';
import { VERSION } from '../src/version';
import { releaseProblems } from './release-problems';

const tagAt = process.argv.indexOf('--tag');
const problems = releaseProblems({
  manifest: JSON.parse(readFileSync('package.json', 'utf8')),
  lock: JSON.parse(readFileSync('package-lock.json', 'utf8')),
  sourceVersion: VERSION,
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
  tag: tagAt === -1 ? undefined : (process.argv[tagAt + 1] ?? ''),
});

for (const problem of problems) console.error(`- ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(`${VERSION} can be released.`);

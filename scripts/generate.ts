// Writes every generated file: the guards, and the sandbox's page.
// Run: npm run generate               writes the files
//      npm run generate -- --check    fails when a file does not match its sources
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { guards } from './generate-guards';
import { page } from './generate-page';

write('src/service/guards.generated.ts', guards());
write('src/sandbox/page/page.generated.ts', page);

/** Writes a generated file in the repository's format. With `--check`, fails instead if the file is not up to date. */
function write(file: string, code: string): void {
  const formatted = format(file, code);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, formatted);
  } else if (readFileSync(file, 'utf8') !== formatted) {
    console.error(`${file} does not match its sources. Run \`npm run generate\` and commit what it changes.`);
    process.exit(1);
  }
}

function format(file: string, code: string): string {
  return execFileSync('npx', ['biome', 'format', `--stdin-file-path=${file}`], {
    input: code,
    encoding: 'utf8',
  });
}

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** Writes a generated file in the repository's format. With `--check`, fails instead if the file is not up to date. */
export function writeGenerated(file: string, code: string): void {
  const formatted = file.endsWith('.md') ? code : format(file, code);
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

// Writes every generated file: the guards, the sandbox's page, and, in both languages, the table of payloads in
// docs/listener.md.
// Run: npm run generate               writes the files
//      npm run generate -- --check    fails when a file does not match its sources
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type * as z from 'zod/mini';
import { payoutObject } from '../src/service/notifications/payout';
import { refundObject } from '../src/service/notifications/refund';
import { reversalObject } from '../src/service/notifications/reversal';
import { saleObject } from '../src/service/notifications/sale';
import { guards } from './generate-guards';
import { page } from './generate-page';

write('src/service/guards.generated.ts', guards());
write('src/sandbox/page/page.generated.ts', page);

const payloads = [
  ['`payment`, `saleStatus`', saleObject],
  ['`reversal`', reversalObject],
  ['`refund`', refundObject],
  ['`payout`', payoutObject],
] as const;

for (const [file, head] of [
  ['docs/listener.md', '| kind | always there | may be missing or `null` |'],
  ['docs/pt/listener.md', '| tipo | nunca falta | pode faltar ou ser `null` |'],
] as const) {
  const rows = payloads.map(([kinds, schema]) => {
    const fields = fieldsOf(schema, '', 'never');
    const named = (missing: string) => [
      ...new Set(fields.filter((each) => each.missing === missing).map(({ name }) => `\`${name}\``)),
    ];
    return `| ${kinds} | ${named('never').join(', ')} | ${named('maybe').join(', ')} |`;
  });
  write(file, replacePart(readFileSync(file, 'utf8'), 'payloads', [head, '|---|---|---|', ...rows]));
}

/** The fields of a schema. A field of an object that may be missing may be missing. */
function fieldsOf(
  schema: z.core.$ZodType,
  name: string,
  missing: 'never' | 'maybe',
): { readonly name: string; readonly missing: string }[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'catch':
    case 'optional':
    case 'nullable':
      return fieldsOf(def.innerType, name, 'maybe');
    case 'union':
      return def.options.flatMap((option) => fieldsOf(option, name, missing));
    case 'object':
      return Object.entries(def.shape).flatMap(([key, inner]) =>
        fieldsOf(inner as z.core.$ZodType, name === '' ? key : `${name}.${key}`, missing),
      );
    default:
      return [{ name, missing }];
  }
}

function replacePart(page: string, name: string, lines: readonly string[]): string {
  const [start, end] = [`<!-- ${name}: generated -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`The page has no part ${name}.`);
  return `${page.slice(0, from + start.length)}\n\n${lines.join('\n')}\n\n${page.slice(to)}`;
}

/** Writes a generated file in the repository's format. With `--check`, fails instead if the file is not up to date. */
function write(file: string, code: string): void {
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

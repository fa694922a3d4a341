import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block of code. */
export interface CodeBlock {
  /** The text after the fence: `ts`, `ts run`, `sh`. */
  readonly info: string;
  readonly code: string;
  /** Where it starts, for messages: `README.md:12`. */
  readonly place: string;
}

/** A heading and everything after it, up to the next heading of any level. */
export interface Section {
  readonly level: number;
  readonly heading: string;
  /** The part after the `#` in a link to the heading. */
  readonly anchor: string;
  readonly place: string;
  readonly blocks: readonly CodeBlock[];
  /** Each table as rows of cells, without the line under the head. */
  readonly tables: readonly (readonly (readonly string[])[])[];
  /** All text except code and headings; tables are included. */
  readonly text: string;
}

/** The Markdown files that the repository shows to readers, without generated ones. */
export function documents(): string[] {
  const here = readdirSync('.').filter((name) => name.endsWith('.md'));
  const guides = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('api/') && name !== 'api-report.md')
    .map((name) => join('docs', name));
  return [...here, ...guides, 'examples/README.md', 'examples/own-store/README.md'].sort();
}

/** The translations, each with its original document. */
export function translations(): { translated: string; original: string }[] {
  return documents().flatMap((translated) => {
    const original = originalOf(translated);
    return original === translated ? [] : [{ translated, original }];
  });
}

/** The English original of a Portuguese document or picture. An English file is its own original. */
export function originalOf(file: string): string {
  return file
    .replace(/^README\.pt-BR\.md$/, 'README.md')
    .replace(/^docs\/pt\//, 'docs/')
    .replace(/-pt\.jpg$/, '-en.jpg');
}

/** The sections of a Markdown file. The first one is the text before any heading. */
export function sections(file: string, text = readFileSync(file, 'utf8')): Section[] {
  const all: CodeBlock[] = [];
  let line = 1;
  // A block becomes a mark, and as many empty lines as it had, so that its `#` and `|` mean nothing.
  const bare = text.replace(/^ *```(.*)\n([\s\S]*?)^ *```$/gm, (whole, info: string, code: string, at) => {
    all.push({ info, code, place: `${file}:${linesIn(text.slice(0, at))}` });
    return `\0${all.length - 1}\0${whole.replace(/[^\n]/g, '')}`;
  });
  if (/^ *```/m.test(bare)) throw new Error(`A block of code in ${file} has no end.`);
  const anchors = new Map<string, number>();
  return `\n${bare}`.split(/\n(?=#{1,6} )/).map((part, index) => {
    const place = `${file}:${line}`;
    line += linesIn(part) - (index === 0 ? 1 : 0);
    const [, marks = '', heading = ''] = /^(#{1,6}) (.*)/.exec(part) ?? [];
    const base = anchorOf(heading);
    const before = anchors.get(base) ?? 0;
    anchors.set(base, before + 1);
    const blocks = [...part.matchAll(/\0(\d+)\0/g)].map(([, block]) => all[Number(block)] as CodeBlock);
    const own = part.replace(/^#{1,6} .*\n?/, '').replace(/\0\d+\0/g, '');
    const anchor = before === 0 ? base : `${base}-${before}`;
    return { level: marks.length, heading, anchor, place, blocks, tables: tablesIn(own), text: own };
  });
}

const linesIn = (text: string) => text.split('\n').length;

/** Every code block of a file, in order. */
export function codeBlocks(file: string): CodeBlock[] {
  return sections(file).flatMap(({ blocks }) => blocks);
}

/** The code block of a file that has the text. */
export function blockWith(text: string, file: string): CodeBlock {
  const found = codeBlocks(file).find(({ code }) => code.includes(text));
  if (found === undefined) throw new Error(`No block of ${file} has ${text}.`);
  return found;
}

/** The file extension for a block’s language; `undefined` for one that no compiler checks. */
export function extensionOf({ info, code }: CodeBlock): string | undefined {
  const [language = ''] = info.split(' ');
  if (/^(ts|typescript|mts)$/.test(language)) return 'mts';
  if (/^(js|javascript|mjs|cjs)$/.test(language)) return /\brequire\(/.test(code) ? 'cjs' : 'mjs';
  return undefined;
}

/** The targets of all links in a text, except in code. */
export function linksIn(text: string): string[] {
  const prose = text.replace(/`[^`\n]*`/g, 'code');
  return [...prose.matchAll(/\]\(<?([^)\s>]+)>?\)|^\[[^\]]+\]: *(\S+)$/gm)].map(
    ([, inline, reference]) => inline ?? reference ?? '',
  );
}

/** The anchor that GitHub makes: lower case, without punctuation, with hyphens for spaces. */
function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

function tablesIn(text: string): string[][][] {
  const tables: string[][][] = [];
  let open = false;
  for (const line of text.split('\n')) {
    const isRow = line.startsWith('|');
    if (isRow && !open) tables.push([]);
    if (isRow && !/^[|\s:-]+$/.test(line)) tables.at(-1)?.push(cellsOf(line));
    open = isRow;
  }
  return tables;
}

function cellsOf(row: string): string[] {
  const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
  return cells.slice(1, -1);
}

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
  return [...here, ...guides, 'examples/README.md'].sort();
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
  const found: Draft[] = [draft(0, '', `${file}:1`)];
  const anchors = new Map<string, number>();
  let block: { info: string; lines: string[]; place: string } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const place = `${file}:${index + 1}`;
    const current = found.at(-1) as Draft;
    const fence = /^\s*```(.*)$/.exec(line);
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    if (block !== undefined) {
      if (fence === null) block.lines.push(line);
      else {
        current.blocks.push({ ...block, code: block.lines.map((inner) => `${inner}\n`).join('') });
        block = undefined;
      }
    } else if (fence !== null) {
      block = { info: fence[1] ?? '', lines: [], place };
    } else if (heading !== null) {
      const [, marks = '', title = ''] = heading;
      const base = anchorOf(title);
      const before = anchors.get(base) ?? 0;
      anchors.set(base, before + 1);
      found.push({ ...draft(marks.length, title, place), anchor: before === 0 ? base : `${base}-${before}` });
    } else {
      current.lines.push(line);
    }
  }
  if (block !== undefined) throw new Error(`${block.place}: this block of code has no end.`);
  return found.map(({ lines, ...rest }) => ({ ...rest, tables: tablesIn(lines), text: lines.join('\n') }));
}

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

type Draft = Omit<Section, 'tables' | 'text' | 'blocks'> & { blocks: CodeBlock[]; lines: string[] };

function draft(level: number, heading: string, place: string): Draft {
  return { level, heading, anchor: '', place, blocks: [], lines: [] };
}

function tablesIn(lines: readonly string[]): string[][][] {
  const tables: string[][][] = [];
  let open = false;
  for (const line of lines) {
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

import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { type CodeBlock, linksIn, originalOf, type Section } from './markdown';
import { extensionOf } from './typecheck';

/** What a translation lacks, or should not have, compared with its original; each with its place. */
export function differences(original: readonly Section[], translated: readonly Section[]): string[] {
  const found: string[] = [];
  for (let index = 0; index < Math.max(original.length, translated.length); index += 1) {
    const [from, to] = [original[index], translated[index]];
    if (from === undefined || to === undefined) {
      const [extra, other] = [from ?? to, from === undefined ? 'original' : 'translation'];
      found.push(`${extra?.place} "${extra?.heading}": the ${other} has no heading for it`);
      continue;
    }
    const about = `${to.place} "${to.heading}" (${from.place} "${from.heading}")`;
    if (from.level !== to.level) found.push(`${about}: a heading of level ${to.level}, not ${from.level}`);
    const wanted = facts(from, original);
    const given = facts(to, translated);
    for (const [name, values] of wanted) found.push(...compare(`${about}: ${name}`, values, given.get(name)));
    for (const [name] of given) if (!wanted.has(name)) found.push(`${about}: ${name} is not in the original`);
  }
  return found;
}

/** The parts of a section that are the same in every language, by the name for messages. */
function facts(section: Section, document: readonly Section[]): Map<string, readonly string[]> {
  const prose = section.text
    .split('\n')
    .filter((line) => !line.startsWith('|'))
    .join('\n');
  const paragraphs = prose.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  const named = new Map<string, readonly string[]>([
    ['links', linksIn(section.text).map((target) => positionOf(target, document))],
    ['paragraphs', [String(paragraphs.length)]],
    ['items of lists', [String(prose.match(/^\s*(?:[-*]|\d+\.) /gm)?.length ?? 0)]],
    ['inline code', codeIn(prose)],
    ['numbers', numbersIn(prose)],
    ['blocks of code', section.blocks.map(({ info }) => info)],
    ['tables', section.tables.map((rows) => `${rows.length} rows`)],
  ]);
  for (const [index, block] of section.blocks.entries()) {
    named.set(`block of code ${index + 1}`, codeOf(block));
  }
  for (const [index, rows] of section.tables.entries()) {
    for (const [row, cells] of rows.entries()) {
      const about = `table ${index + 1}, row ${row + 1}`;
      named.set(`${about}, columns`, [String(cells.length)]);
      // A name in code is the same everywhere; a cell of words is translated.
      if (row > 0 && cells[0]?.startsWith('`')) named.set(`${about}, first column`, cells.slice(0, 1));
      for (const [column, cell] of cells.entries()) {
        named.set(`${about}, column ${column + 1}, inline code`, codeIn(cell));
        named.set(`${about}, column ${column + 1}, numbers`, numbersIn(cell));
      }
    }
  }
  return named;
}

/** Compares the values one by one, in any order, because a translation may reorder a sentence. */
function compare(about: string, wanted: readonly string[], given: readonly string[] = []): string[] {
  const missing = subtract(wanted, given).map((value) => `${about}: missing ${value}`);
  const extra = subtract(given, wanted).map((value) => `${about}: not in the original ${value}`);
  return [...missing, ...extra];
}

function subtract(values: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return values.filter((value) => {
    const index = left.indexOf(value);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
}

/**
 * The target of a link in a form that is the same in every language: a heading of this document by its number,
 * because its text is translated, and a document by its original.
 */
function positionOf(target: string, document: readonly Section[]): string {
  if (/^[a-z]+:/.test(target)) return target;
  if (target.startsWith('#')) return `heading ${document.findIndex(({ anchor }) => `#${anchor}` === target)}`;
  const [file = ''] = document[0]?.place.split(':') ?? [];
  const [path = '', anchor = ''] = target.split('#');
  const linked = normalize(join(dirname(file), path));
  const original = originalOf(linked);
  if (original === originalOf(file)) return 'the other language';
  // The headings of a translated document are translated too.
  const isTranslated = original !== linked || existsSync(linked.replace(/^docs\//, 'docs/pt/'));
  return isTranslated || anchor === '' ? original : `${original}#${anchor}`;
}

function codeIn(text: string): string[] {
  return text.match(/`[^`\n]+`/g) ?? [];
}

/** Numbers, with a decimal point instead of a comma. */
function numbersIn(text: string): string[] {
  const prose = text.replace(/`[^`\n]*`/g, '').replace(/\]\([^)]*\)/g, ']');
  return (prose.match(/\d+(?:[.,]\d+)*/g) ?? []).map((number) => number.replace(',', '.'));
}

/**
 * The part of a block that is the same in every language. For a drawing or printed output, that is the number of
 * lines.
 */
function codeOf(block: CodeBlock): string[] {
  if (block.info === 'text') return [`${block.code.split('\n').length} lines`];
  return withoutComments(block.code, extensionOf(block));
}

/** The lines that a machine reads, trimmed. */
function withoutComments(code: string, extension: string | undefined): string[] {
  const bare = extension === undefined ? code.replace(/(^|\s)#.*$/gm, '') : withoutScriptComments(code);
  return bare
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function withoutScriptComments(code: string): string {
  const source = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest, true);
  return ts.createPrinter({ removeComments: true }).printFile(source);
}

import { readFileSync } from 'node:fs';

// The facts of the service's public pages, as a table that is written by hand: nothing in it comes from the source.

const page = readFileSync(new URL('recurrence-facts.md', import.meta.url), 'utf8');

/** The rows of the table whose first heading is this. */
function rowsOf(heading: string): string[][] {
  const [, table = ''] = page.split(`| ${heading} |`);
  const [, , ...lines] = (table.split('\n\n')[0] ?? '').split('\n');
  return lines
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim().replace(/\|$/, '').trim()),
    );
}

const words = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

/** By event: the status of the recurrence, where it has one. */
export const events = Object.fromEntries(
  rowsOf('`eventType`').map(([event, status]) => [words(event)[0] ?? '', words(status)[0]]),
);

/** A field of an event: whether all have it, or those of a charge, or of one that failed; and the values that it may have. */
export interface FieldFact {
  readonly field: string;
  readonly types: readonly string[];
  readonly of: 'all' | 'charge' | 'failed';
  readonly values: readonly string[];
}

export const fields: readonly FieldFact[] = rowsOf('field').flatMap(([names, type = '', notes = '']) =>
  words(names).map((field) => ({
    field,
    types: type.split(' or '),
    of: notes.startsWith('`CHARGE_FAILED`') ? 'failed' : notes.startsWith('charge events') ? 'charge' : 'all',
    values: words(notes.replace('`CHARGE_FAILED` only', '')).filter((word) => /^[A-Z0-9_]{4,}$/.test(word)),
  })),
);

/** The paths of the fields in the answer to a call, such as `results.sale.uuid`. */
export function answerFields(call: string): string[] {
  const [, shape = ''] = rowsOf('call').find(([name]) => words(name)[0]?.split('?')[0] === call) ?? [];
  const paths: string[] = [];
  const at: string[] = [];
  let last = '';
  for (const [token] of shape.matchAll(/\w+|[{}]/g)) {
    if (token === '{') at.push(last);
    else if (token === '}') at.pop();
    else if (!/^\d/.test(token)) {
      last = token;
      paths.push([...at.slice(1), token].join('.'));
    }
  }
  return paths;
}

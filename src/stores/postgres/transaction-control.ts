const CONTROL = /^\s*(BEGIN|START|COMMIT|END|ABORT|ROLLBACK|PREPARE\s+TRANSACTION)\b/i;
const TO_SAVEPOINT = /^\s*ROLLBACK\s+((WORK|TRANSACTION)\s+)?TO\b/i;

/** Whether one of the statements in the text begins or ends a transaction. */
export function isTransactionControl(statements: readonly string[]): boolean {
  return statements.some((statement) => CONTROL.test(statement) && !TO_SAVEPOINT.test(statement));
}

/** Whether one of the statements contains the word `role`, and so may have changed the role. */
export function mentionsRole(statements: readonly string[]): boolean {
  return statements.some((statement) => /\brole\b/i.test(statement));
}

/** A letter of a name. For PostgreSQL, every character beyond ASCII is one. */
const LETTER = 'A-Za-z_\\x80-\\uffff';
const TOKEN = [
  '--[^\\n\\r]*',
  '/\\*',
  // Strings, quoted names, and the start of dollar-quoted strings. A doubled quote counts as two adjacent strings,
  // which end at the same place. An escape string handles it itself, because a backslash can escape a quote there.
  "[eE]'(?:[^'\\\\]|\\\\[^]|'')*'?",
  "'[^']*'?",
  '"[^"]*"?',
  `\\$(?:[${LETTER}][${LETTER}0-9]*)?\\$`,
  `[${LETTER}][${LETTER}0-9$]*`,
  '[^]',
].join('|');

/**
 * Splits a text into statements, with a space for each comment, and with strings kept as they are. Splits where the
 * server would with `standard_conforming_strings = on`, its default; and, unlike the server, also at a semicolon within
 * parentheses or in the body of `BEGIN ATOMIC`.
 */
export function statementsIn(text: string): readonly string[] {
  const token = new RegExp(TOKEN, 'y');
  const statements = [''];
  while (token.lastIndex < text.length) {
    const start = token.lastIndex;
    const found = token.exec(text)?.[0] ?? '';
    if (found === ';') {
      statements.push('');
      continue;
    }
    const isComment = found.startsWith('--') || found === '/*';
    if (found === '/*') token.lastIndex = endOfComment(text, start);
    if (found.startsWith('$') && found.length > 1) token.lastIndex = endOf(text, found, token.lastIndex);
    statements[statements.length - 1] += isComment ? ' ' : text.slice(start, token.lastIndex);
  }
  return statements.filter((statement) => statement.trim() !== '');
}

/** PostgreSQL's block comments nest. */
function endOfComment(text: string, start: number): number {
  let depth = 0;
  for (const { 0: mark, index } of text.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1;
    if (depth === 0) return start + index + mark.length;
  }
  return text.length;
}

function endOf(text: string, closing: string, from: number): number {
  const index = text.indexOf(closing, from);
  return index === -1 ? text.length : index + closing.length;
}

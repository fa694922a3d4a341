const CONTROL = /^(BEGIN|START|COMMIT|END|ABORT|ROLLBACK|PREPARE\s+TRANSACTION)\b/i;
const TO_SAVEPOINT = /^ROLLBACK\s+((WORK|TRANSACTION)\s+)?TO\b/i;

/**
 * Whether a statement begins or ends a transaction. A help against mistakes, which fail here with a reason; that no
 * such statement leads to a wrong result is up to the checks at the transaction's end.
 */
export function isTransactionControl(text: string): boolean {
  const statement = withoutLeadingComments(text);
  return CONTROL.test(statement) && !TO_SAVEPOINT.test(statement);
}

function withoutLeadingComments(text: string): string {
  let rest = text;
  for (;;) {
    const stripped = withoutBlockComment(rest.replace(/^[\s;]+/, '').replace(/^--.*/, ''));
    if (stripped === rest) return rest;
    rest = stripped;
  }
}

/** PostgreSQL's block comments nest. */
function withoutBlockComment(text: string): string {
  if (!text.startsWith('/*')) return text;
  let depth = 0;
  for (const { 0: mark, index } of text.matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1;
    if (depth === 0) return text.slice(index + mark.length);
  }
  return '';
}

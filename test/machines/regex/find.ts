import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A regular expression in the source. */
export interface Found {
  /** File and line. */
  readonly where: string;
  readonly pattern: RegExp;
}

/** The literal regular expressions of the library, and the places where others are constructed at run time. */
export function findRegularExpressions(): { literals: Found[]; constructed: string[] } {
  const literals: Found[] = [];
  const constructed: string[] = [];
  for (const file of sourceFiles()) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const where = () => `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
      if (ts.isRegularExpressionLiteral(node))
        literals.push({ where: where(), pattern: toPattern(node.text) });
      if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') constructed.push(where());
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { literals, constructed };
}

function sourceFiles(): string[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join('src', file))
    .sort();
}

function toPattern(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

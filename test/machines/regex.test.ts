import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from 'scslre';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** The literal regular expressions of the library by file and line, and the files where others are constructed. */
const literals: (readonly [where: string, pattern: RegExp])[] = [];
const constructed: string[] = [];
for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' }).sort()) {
  if (!name.endsWith('.ts')) continue;
  const file = join('src', name);
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      const end = node.text.lastIndexOf('/');
      const pattern = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
      literals.push([`${file}:${line}`, pattern]);
    }
    if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') constructed.push(file);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

function slowPartsOf({ source, flags }: RegExp): string[] {
  return analyse({ source, flags }).reports.map(({ type, character }) => `${type} of ${character.pick}`);
}

describe('regular expressions take no more than linear time', () => {
  it('and all of them are found in the source', () => {
    expect(literals.length).toBeGreaterThan(30);
    expect(literals.map(([where]) => where.replace(/:\d+$/, ''))).toContain('src/webhooks/payout-failure.ts');
  });

  it('wherever they are written', () => {
    const slow = literals.map(([where, pattern]) => [where, String(pattern), ...slowPartsOf(pattern)]);
    expect(slow.filter(([, , ...parts]) => parts.length > 0)).toEqual([]);
  });

  it('also when constructed at run time, from fixed text: a colour, a person, a credential, a URL, a path template', () => {
    expect(constructed).toEqual([
      'src/cli/output.ts',
      'src/orders/forget-person.ts',
      'src/sandbox/model/service-model.ts',
      'src/sandbox/server/control-routes.ts',
      'src/service/credentials.ts',
      'src/testing/mock-service.ts',
    ]);
    expect(slowPartsOf(/(?<![\p{L}\p{N}])a[^\p{L}\p{N}]*b[^\p{L}\p{N}]*a(?![\p{L}\p{N}])/iu)).toEqual([]);
    expect(slowPartsOf(/(?:a|%61)(?: |%20|\+)(?:\.|%2e)(?:\[|%5b)(?:%|%25)/gi)).toEqual([]);
    expect(slowPartsOf(/^\/v1\.1\/pix-automatic\/scheduled-payments\/([^/]+)\/cancel$/)).toEqual([]);
    expect(slowPartsOf(/^\/sandbox\/transactions\/([^/]+)\/pay$/)).toEqual([]);
    expect(slowPartsOf(/^https:\/\/api\.example\.com\//)).toEqual([]);
  });

  it.each([/(a+)+$/, /^data:(image\/[^;,]*)?[^,]*,/, /\/+$/, /\s*,\s*;/])(
    'while the slow %s is detected',
    (slow) => {
      expect(slowPartsOf(slow)).not.toEqual([]);
    },
  );
});

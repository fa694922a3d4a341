import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { type CodeBlock, codeBlocks, documents } from './markdown';

// A notification proves that its sender knows the credentials, and nothing about its content. What readers copy must
// ask the service before it marks an order as paid.

/** A handler without `confirm` says why in a comment, in the language of its page. */
const REASON = /\/\/.*(?:(?:without|no) `confirm`|sem `confirm`)/;

const tracked = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

const examples = tracked('examples').filter((file) => /\.[cm]?[jt]sx?$/.test(file));
const shown: readonly CodeBlock[] = [
  ...[...documents(), 'llms.txt']
    .flatMap(codeBlocks)
    .filter(({ info }) => /^(?:[cm]?[jt]s|typescript|javascript)\b/.test(info)),
  ...examples.map((file) => ({ info: 'ts', code: readFileSync(file, 'utf8'), place: `${file}:1` })),
  ...tracked('src').flatMap(codeInComments),
];

test('every handler that a reader can copy confirms a payment, or says why not', () => {
  const handlers = shown.flatMap(handlersIn);
  expect(handlers.length).toBeGreaterThan(25);
  expect(handlers.filter(({ isSafe }) => !isSafe).map(({ place }) => place)).toEqual([]);
});

test.each([
  ['a callback', 'createWebhookHandler({ on: { payment: () => save() } });', false],
  ['a method', 'createWebhookHandler({ on: { async payment() {} } });', false],
  ['a confirming handler', 'createWebhookHandler({ confirm: client, on: { payment() {} } });', true],
  ['an ignored kind', "createWebhookHandler({ on: { payment: 'ignore' } });", true],
  ['another kind', 'createWebhookHandler({ on: { refund() {} } });', true],
  ['orders, which ask by themselves', 'createOrders({ client, on: { payment() {} } });', true],
  ['orders that do not', 'createOrders({ client, confirm: other, on: { payment() {} } });', false],
  ['a reason', 'createWebhookHandler({\n  // without `confirm`: a test\n  on: { payment() {} } });', true],
])('the check judges %s', (_, code, isSafe) => {
  expect(handlersIn({ info: 'ts', code, place: 'x.md:1' })).toEqual([{ place: 'x.md:2', isSafe }]);
});

/** Each call of `createWebhookHandler` or `createOrders` that a block shows. */
function handlersIn({ code, place }: CodeBlock): { place: string; isSafe: boolean }[] {
  const source = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest, true);
  const found: { place: string; isSafe: boolean }[] = [];
  const [file, start] = place.split(':');
  const visit = (node: ts.Node): void => {
    const called = ts.isCallExpression(node) ? node.expression.getText() : '';
    if (ts.isCallExpression(node) && /^create(WebhookHandler|Orders)$/.test(called)) {
      const [options] = node.arguments;
      const on = options && property(options, 'on');
      const payment =
        on && 'initializer' in on && on.initializer
          ? property(on.initializer as ts.Node, 'payment')
          : undefined;
      const isSafe =
        payment === undefined ||
        payment.getText().endsWith("'ignore'") ||
        (property(options as ts.Node, 'confirm') === undefined) === (called === 'createOrders') ||
        REASON.test(node.getText());
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ place: `${file}:${Number(start) + line + 1}`, isSafe });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function property(node: ts.Node, name: string): ts.ObjectLiteralElementLike | undefined {
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  return node.properties.find((candidate) => candidate.name?.getText() === name);
}

/** The blocks of code in a source file's TSDoc. */
function codeInComments(file: string): CodeBlock[] {
  if (!file.endsWith('.ts') || file.endsWith('.generated.ts')) return [];
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^ *\* ```[jt]s\n([\s\S]*?)^ *\* ```$/gm)].map((match) => ({
    info: 'ts',
    code: (match[1] ?? '').replace(/^ *\* ?/gm, ''),
    place: `${file}:${text.slice(0, match.index).split('\n').length}`,
  }));
}

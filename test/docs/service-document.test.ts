import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The sections of the service's document, which is not in the repository. */
const SECTIONS = new Set('1 2 2.1 2.2 2.3 3 4 4.1 4.2 4.3 5 6 6.1 6.2 6.3 6.4 6.5 7 7.1 7.2 8 9'.split(' '));

/** Sentences that said more about the service than its document does, and what the document says. */
const CLAIMS: readonly (readonly [claim: RegExp, truth: string])[] = [
  [
    /saleToken`? (?:is|é) (?:that|the journey's|the|o) `?response\.uuid|whose `saleToken` is the journey|call it `?saleToken|ele se chama saleToken/i,
    'the document says only "Transaction UUID": look an order up by `saleToken`, then by `referenceCode`',
  ],
  [/has no look-?up|has no idempotency keys|não tem chaves de/i, 'the document shows none'],
  [
    /says that the service sends some|the service has notifications (?:of|for) the recurring|says that (?:a|the) recurr\w+ (?:\w+ ){0,6}ha(?:s|ve)|says that there are notifications|says that they exist|diz que (?:a recorrência tem|existem) notificaç/i,
    'the document says that the payloads of the recurring journey are not shown',
  ],
  [
    /the same from `?PENDING`? to the end/i,
    'the document says that one reversal is notified in several states',
  ],
  [/keeps its uuid from/i, 'the document does not say that a reversal has one uuid in all its states'],
  [
    /\bamounts are in reais\b|\bvalores são em reais\b/i,
    'the document states no unit: the main unit of the currency is our reading',
  ],
  [
    /service would not (?:say|warn)|serviço não avisaria/i,
    'the document does not say what the service does with a field that it does not have',
  ],
  [/\baccount that was credited\./i, 'the document only names `bankDetails` of a refund in a query'],
];

const files = execFileSync('git', ['ls-files', '*.md', 'llms.txt', 'examples', 'src', 'test'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) =>
      /\.(md|txt|[cm]?[jt]sx?)$/.test(file) && !/\.generated\.|test\/docs\/service-document/.test(file),
  );
const texts = files.map((file) => [file, inOneLine(readFileSync(file, 'utf8'))] as const);

test('every section of the document that is cited exists', () => {
  const cited = texts.flatMap(([file, text]) => sectionsIn(text).map((section) => ({ file, section })));
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.filter(({ section }) => !SECTIONS.has(section))).toEqual([]);
});

test.each([
  ['(document section 6.6)', ['6.6']],
  ['(document sections 2, 4.4 and 7.2 to 7.9)', ['2', '4.4', '7.2', '7.9']],
  ['Section 3.1 says', ['3.1']],
  ['(§10)', ['10']],
  ['(RFC 9110, sections 5.6.7 and 10.2.3)', []],
  ['the section 1.2.3 of the changelog', []],
])('the check reads %s', (text, sections) => {
  expect(sectionsIn(text)).toEqual(sections);
});

test('nothing says more about the service than its document', () => {
  const found = texts.flatMap(([file, text]) =>
    CLAIMS.flatMap(([claim, truth]) => {
      const [said] = claim.exec(text) ?? [];
      return said === undefined ? [] : [`${file}: "${said}", but ${truth}`];
    }),
  );
  expect(found).toEqual([]);
});

/** Without line breaks and the marks of comments, so that a sentence is found over two lines. */
function inOneLine(text: string): string {
  return text.replace(/\n\s*(?:\*|\/\/)?\s*/g, ' ');
}

function sectionsIn(text: string): string[] {
  const own = text.replace(/\bRFC \d+, sections? [\d., and]*/g, '');
  const cited = own.matchAll(
    /(?:\b[Ss]ections? |§ ?)(\d+(?:\.\d+)?(?:(?:, | and | to )\d+(?:\.\d+)?)*)(?![\d.]*\.\d)/g,
  );
  return [...cited].flatMap(([, list = '']) => list.split(/, | and | to /));
}

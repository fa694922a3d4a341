import { checklist } from '../../src/cli/verify/run-checklist';

/** A row of the table of wrong listeners. */
export interface Row {
  readonly does: string;
  readonly check: string;
  readonly advice: string;
}

/** The page with its two generated parts up to date. */
export function verifyPage(page: string, rows: readonly Row[]): string {
  const table = [
    '| A listener that … | fails | and is told |',
    '|---|---|---|',
    ...rows.map(
      ({ does, check, advice }) => `| ${does} | [\`${check}\`](#${check}) | ${firstSentence(advice)} |`,
    ),
  ];
  const withChecks = replacePart(page, 'checks', checklist.map(describeCheck).join('\n\n'));
  return replacePart(withChecks, 'wrong-listeners', table.join('\n'));
}

function describeCheck({ id, title, asks, why, fix }: (typeof checklist)[number]): string {
  return [
    `### ${id}`,
    `**${title}.**`,
    `- What it sends or looks at: ${asks}`,
    `- Why it costs money: ${why}`,
    `- How to fix it: ${fix}`,
  ]
    .join('\n')
    .replace(/(###.*)\n(.*)\n-/, '$1\n\n$2\n\n-');
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text.replaceAll('|', '\\|'))?.[0] ?? text;
}

function replacePart(page: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name}: generated -->`, `<!-- /${name} -->`];
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`docs/verify.md has no part ${name}.`);
  return `${page.slice(0, from + start.length)}\n\n${content}\n\n${page.slice(to)}`;
}

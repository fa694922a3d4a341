import { checklist } from '../../src/cli/verify/run-checklist';

const [START, END] = ['<!-- checks: generated -->', '<!-- /checks -->'];

/** The page with its table of checks up to date. */
export function verifyPage(page: string): string {
  const from = page.indexOf(START);
  const to = page.indexOf(END);
  if (from === -1 || to === -1) throw new Error('docs/verify.md has no table of checks.');
  const rows = checklist.map(({ id, asks }) => `| \`${id}\` | ${asks.replaceAll('|', '\\|')} |`);
  const table = ['| check | what it sends or looks at |', '|---|---|', ...rows].join('\n');
  return `${page.slice(0, from + START.length)}\n\n${table}\n\n${page.slice(to)}`;
}

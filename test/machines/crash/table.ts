import type { Row } from './run';

/** The results of all scenarios, as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ scenario, store, verdict: { figures }, seconds }) => {
    const { notifications, deliveries, effects, lost, doubled } = figures;
    return [scenario, store, notifications, deliveries, effects, lost, doubled, `${Math.round(seconds)} s`];
  });
  const head = ['scenario', 'store', 'notifications', 'deliveries', 'effects', 'lost', 'doubled', 'time'];
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

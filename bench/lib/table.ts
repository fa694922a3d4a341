import type { Samples } from './interleave';
import { median, quantile, ratioTo } from './statistics';

/** The first column is text, the others are formatted numbers. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Returns Markdown that also reads well in a terminal. */
export function renderTable({ title, columns, rows }: Table): string {
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (at === 0 ? (cells[at] ?? '').padEnd(width) : (cells[at] ?? '').padStart(width))).join(' | ')} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [`**${title}**`, '', line(columns), rule, ...rows.map(line)].join('\n');
}

/** One row per candidate: the median, the middle half of all rounds, and the ratio to the candidate `baseline`. */
export function samplesTable<Name extends string>(
  title: string,
  samples: Samples<Name>,
  { unit, baseline, format }: { unit: string; baseline: NoInfer<Name>; format: (value: number) => string },
): Table {
  const rows = (Object.entries(samples) as [Name, readonly number[]][]).map(([name, values]) => [
    name,
    format(median(values)),
    `${format(quantile(values, 0.25))} – ${format(quantile(values, 0.75))}`,
    ratio(ratioTo(samples[baseline], values)),
  ]);
  return { title, columns: ['', unit, 'middle half', `× ${baseline}`], rows };
}

function ratio(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}

export function times(value: number): string {
  return `${ratio(value)} ×`;
}

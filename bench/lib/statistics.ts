/** Interpolates between the two nearest values. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('There is nothing to take a quantile of.');
  const sorted = Float64Array.from(values).sort();
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The median of the ratios within each round. */
export function ratioTo(baseline: readonly number[], values: readonly number[]): number {
  if (baseline.length !== values.length) throw new Error('Ratios are taken within rounds: they must match.');
  return median(values.map((value, round) => value / (baseline[round] ?? Number.NaN)));
}

/** A fault that was put into the source, as the mutation testing report describes it. */
export interface Mutant {
  readonly file: string;
  /** The whole text of the file. */
  readonly source: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Prints the mutants that no test noticed, and one line per file. Returns how many survived. */
export function report(mutants: readonly Mutant[]): number {
  const files = new Map<string, Mutant[]>();
  for (const mutant of mutants) files.set(mutant.file, [...(files.get(mutant.file) ?? []), mutant]);
  for (const mutant of mutants.filter(isAlive)) console.log(describe(mutant));
  console.log();
  for (const [file, own] of [...files, ['all', mutants] as const]) {
    const counted = own.filter(isCounted);
    const alive = own.filter(isAlive).length;
    const noticed = counted.length - alive;
    const score = counted.length === 0 ? '-' : `${((100 * noticed) / counted.length).toFixed(1)} %`;
    console.log(`${score.padStart(8)}  ${noticed} of ${counted.length} noticed, ${alive} survived  ${file}`);
  }
  return mutants.filter(isAlive).length;
}

function isAlive({ status }: Mutant): boolean {
  return status === 'Survived' || status === 'NoCoverage';
}

/** Mutants that do not compile, or were left out on purpose, do not count. */
function isCounted(mutant: Mutant): boolean {
  return isAlive(mutant) || mutant.status === 'Killed' || mutant.status === 'Timeout';
}

function describe({
  file,
  source,
  location: { start, end },
  replacement,
  mutatorName,
  status,
}: Mutant): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  const text = lines
    .map((line, at) => line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined))
    .join(' ')
    .replace(/\s+/g, ' ');
  const shown = (replacement ?? '').replace(/\s+/g, ' ');
  return `${status}  ${file}:${start.line}:${start.column}  ${mutatorName}\n    - ${text}\n    + ${shown}`;
}

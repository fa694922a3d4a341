/** A fault to put into the source: where, what, and which tests must notice it. */
export interface TextMutant {
  /** What goes wrong, in words. */
  readonly name: string;
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  readonly tests: readonly string[];
  /** Whether the tests need a Node with `node:sqlite`. */
  readonly needsSqlite?: true;
  /** Why no test can notice it. */
  readonly equivalent?: string;
}

/** The source with the fault in it. Throws unless `from` occurs exactly once. */
export function mutated(source: string, { name, file, from, to }: TextMutant): string {
  const places = source.split(from).length - 1;
  if (places !== 1) {
    throw new Error(`"${name}" is to be put into ${file}, where its text is found ${places} times.`);
  }
  // A function, because `to` may contain `$&`.
  return source.replace(from, () => to);
}

type Row = readonly [name: string, from: string, to: string, equivalent?: string];

/** Faults of one file, all with the same tests. */
export function mutantsOf(
  file: string,
  tests: readonly string[],
  rows: readonly Row[],
  options: Pick<TextMutant, 'needsSqlite'> = {},
): readonly TextMutant[] {
  return rows.map(([name, from, to, equivalent]) => ({
    name,
    file,
    from,
    to,
    tests,
    ...options,
    ...(equivalent !== undefined && { equivalent }),
  }));
}

/** Uses of the public API that can fail, by name. Both the result and the error of each are checked. */
export type Paths = Readonly<Record<string, () => unknown>>;

/** The same use for each row of a table. */
export function pathsOver<Row>(
  name: string,
  table: Readonly<Record<string, Row>> | readonly Row[],
  run: (row: Row) => unknown,
): Paths {
  return Object.fromEntries(
    Object.entries(table).map(([what, row]) => [`${name}: ${what}`, () => run(row as Row)]),
  );
}

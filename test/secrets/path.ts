/** A use of the public API that can fail. Both its result and its error are checked. */
export type Path = readonly [name: string, run: () => unknown];

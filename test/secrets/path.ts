/** A public path that can fail. What it gives and what it throws are both looked at. */
export type Path = readonly [name: string, run: () => unknown];

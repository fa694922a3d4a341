import type fc from 'fast-check';

/** Something that is fed with mutations. */
export interface Target {
  readonly name: string;
  /** Its share of all runs. */
  readonly share: number;
  readonly property: fc.IAsyncProperty<unknown> | fc.IProperty<unknown>;
  /** What it says of itself at the end: figures that show that it did not only see refusals. */
  summary(): string;
  /** How many things it remembers by now; their memory is its own. */
  kept?(): number;
  close?(): Promise<void>;
}

/** Counts what the runs came to. */
export class Tally {
  readonly #counts = new Map<string, number>();

  count(outcome: string): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  toString(): string {
    return [...this.#counts]
      .sort(([, a], [, b]) => b - a)
      .map(([outcome, count]) => `${outcome} ${count}`)
      .join(', ');
  }
}

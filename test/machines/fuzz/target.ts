import type fc from 'fast-check';

/** Code under test that gets mutated inputs. */
export interface Target {
  readonly name: string;
  /** Its share of all runs. */
  readonly share: number;
  readonly property: fc.IAsyncProperty<unknown> | fc.IProperty<unknown>;
  /** Figures for the end of the run, which show that the target saw more than refusals. */
  summary(): string;
  /** How many things it remembers, whose memory is no leak. */
  kept?(): number;
  close?(): Promise<void>;
}

/** Counts the results of the runs. */
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

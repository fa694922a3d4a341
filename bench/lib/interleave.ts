import { shuffled } from './random';

/** Measures once. The caller decides what the number means: a time, requests per second, bytes. */
export type Candidate = () => number | Promise<number>;

/** One number per round for each candidate, in the order of the rounds. Can be sent as JSON. */
export type Samples<Name extends string = string> = Readonly<Record<Name, readonly number[]>>;

/**
 * Measures every candidate once per round, in random order, so that other work on the machine slows all of them alike.
 * Compare them by the ratios within a round (`ratioTo`), not by their medians.
 */
export async function interleave<Name extends string>(
  candidates: Readonly<Record<Name, Candidate>>,
  { rounds, random }: { readonly rounds: number; readonly random: () => number },
): Promise<Samples<Name>> {
  const entries = Object.entries(candidates) as [Name, Candidate][];
  const samples = Object.fromEntries(entries.map(([name]) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measure] of shuffled(entries, random)) samples[name].push(await measure());
  }
  return samples;
}

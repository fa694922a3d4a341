import { shuffled } from './random';

/** Measures once; what the number means is the caller's: a time, requests a second, bytes. */
export type Candidate = () => number | Promise<number>;

/** One number a round for each candidate, in the order of the rounds. Survives JSON. */
export type Samples<Name extends string = string> = Readonly<Record<Name, readonly number[]>>;

/**
 * Measures every candidate once a round, in random order, so that what else happens on the machine meets all of them:
 * compare them by the ratios within a round (`ratioTo`), not by their medians.
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

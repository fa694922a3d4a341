import { atMost, type BenchContext, type PartReport } from '../lib/part';
import { runProgram } from '../lib/programs';
import { times } from '../lib/table';
import type { Block } from '../programs/memory-store';

interface Measured {
  readonly keys: number;
  readonly bytesAKey: number;
  readonly blocks: readonly Block[];
  /** Of new subjects beyond what the store holds. */
  readonly full: Block;
  readonly expiry: { readonly longestMs: number; readonly longestCollectionMs: number };
  readonly bytesAfterwards: number;
}

/** What a million keys take, and the longest pause that they cause. */
export async function memoryStore({ seed }: BenchContext): Promise<PartReport> {
  const options = { node: 24, nodeOptions: ['--expose-gc'], input: { seed } };
  const measured = await runProgram<Measured>('memory-store', options);
  const { keys, bytesAKey, blocks, full, expiry, bytesAfterwards } = measured;
  return {
    tables: [
      {
        title: 'Memory store as it grows',
        columns: ['keys', 'CPU a notification, µs', 'longest step, ms'],
        rows: [
          ...blocks.map((block) => row(block.keys.toLocaleString('en'), block)),
          row(`${full.keys.toLocaleString('en')}, full: each forgets one`, full),
        ],
      },
    ],
    goals: [
      atMost('bytes a key, beyond the key itself', bytesAKey, 200, (value) => value.toFixed(0)),
      atMost(`time a notification at ${keys} keys, of that at a tenth`, growth(measured), 3, times),
      atMost(
        'time a notification in a full store, of that before it is full',
        fullToLast(measured),
        3,
        times,
      ),
      atMost('longest step while all expire', expiry.longestMs, 10, (value) => `${value.toFixed(2)} ms`),
    ],
    notes: [
      'On Node 24. A notification is a claim and a completion. Steps are without the collections of garbage that fall into them: ' +
        `the longest of those, while all ${keys} keys expired, took ${expiry.longestCollectionMs.toFixed(1)} ms. ` +
        `Afterwards ${(bytesAfterwards / 2 ** 20).toFixed(1)} MiB of the store were left.`,
    ],
  };
}

function row(keys: string, { microseconds, longestMs }: Block): string[] {
  return [keys, microseconds.toFixed(2), longestMs.toFixed(2)];
}

function fullToLast({ blocks, full }: Measured): number {
  return full.microseconds / (blocks.at(-1)?.microseconds ?? Number.NaN);
}

function growth({ blocks }: Measured): number {
  return (blocks.at(-1)?.microseconds ?? Number.NaN) / (blocks[0]?.microseconds ?? Number.NaN);
}

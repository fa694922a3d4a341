import { atMost, type BenchContext, type PartReport } from '../lib/part';
import { runProgram } from '../lib/programs';
import { median } from '../lib/statistics';
import { times } from '../lib/table';
import type { Block } from '../programs/memory-store';

interface Measured {
  readonly keys: number;
  readonly bytesAKey: number;
  readonly blocks: readonly Block[];
  /** New subjects in a full store: each makes it forget another one. */
  readonly full: Block;
  readonly expiry: { readonly longestMs: number; readonly longestCollectionMs: number };
  readonly bytesAfterwards: number;
}

const RUNS = 3;

/** Memory and CPU time of the default number of keys, and the longest pause that they cause. */
export async function memoryStore({ seed }: BenchContext): Promise<PartReport> {
  const options = { node: 24, nodeOptions: ['--expose-gc'], input: { seed } };
  const runs: Measured[] = [];
  while (runs.length < RUNS) runs.push(await runProgram<Measured>('memory-store', options));
  const measured = together(runs);
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
      `On Node 24, ${RUNS} runs. A notification is a claim and a completion; its time is the median of the runs. The longest step is that of the run where it is shortest: what the store does, it does in each run, and what the machine does is in some. ` +
        `While all ${keys} keys expired, the runs had ${runs.map((run) => run.expiry.longestMs.toFixed(1)).join(', ')} ms. ` +
        `Steps are without the collections of garbage that fall into them, of which the longest then was ${expiry.longestCollectionMs.toFixed(1)} ms. ` +
        `Afterwards ${(bytesAfterwards / 2 ** 20).toFixed(1)} MiB of the store were left.`,
    ],
  };
}

/** Combines runs: the median of each figure, but the shortest of the longest steps, which a busy machine makes longer. */
function together(runs: readonly Measured[]): Measured {
  const last = runs.at(-1) as Measured;
  const block = (of: (run: Measured) => Block | undefined, keys: number): Block => {
    const blocks = runs.map(of).filter((each) => each !== undefined);
    return {
      keys,
      microseconds: median(blocks.map((each) => each.microseconds)),
      longestMs: Math.min(...blocks.map((each) => each.longestMs)),
    };
  };
  return {
    ...last,
    bytesAKey: median(runs.map((run) => run.bytesAKey)),
    blocks: last.blocks.map(({ keys }, index) => block((run) => run.blocks[index], keys)),
    full: block((run) => run.full, last.full.keys),
    expiry: {
      longestMs: Math.min(...runs.map((run) => run.expiry.longestMs)),
      longestCollectionMs: Math.max(...runs.map((run) => run.expiry.longestCollectionMs)),
    },
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

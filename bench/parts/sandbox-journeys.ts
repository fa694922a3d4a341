import { atMost, type BenchContext, type PartReport } from '../lib/part';
import { runProgram } from '../lib/programs';
import { times } from '../lib/table';

interface Block {
  readonly journeys: number;
  readonly create: number;
  readonly query: number;
  readonly megabytes: number;
}

/** Whether a sandbox stays fast and small as the number of journeys grows. */
export async function sandboxJourneys({ seed }: BenchContext): Promise<PartReport> {
  const options = { nodeOptions: ['--expose-gc'], input: { seed } };
  const blocks = await runProgram<readonly Block[]>('sandbox-journeys', options);
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new Error('The program measured nothing.');
  return {
    tables: [
      {
        title: 'Journeys in one sandbox, each created, paid and queried over HTTP (median ms)',
        columns: ['journeys', 'create', 'query', 'process, MB'],
        rows: blocks.map(({ journeys, create, query, megabytes }) => [
          journeys.toLocaleString('en'),
          create.toFixed(2),
          query.toFixed(2),
          megabytes.toFixed(0),
        ]),
      },
    ],
    goals: [
      atMost(`create, of the first ${first.journeys}`, last.create / first.create, 1.5, times),
      atMost(`query, of the first ${first.journeys}`, last.query / first.query, 1.5, times),
      atMost(
        `process with ${last.journeys} journeys`,
        last.megabytes,
        200,
        (value) => `${value.toFixed(0)} MB`,
      ),
    ],
  };
}

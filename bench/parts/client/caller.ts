import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { startProgram } from '../../lib/programs';

/** What a caller is told to measure. */
export interface Measure {
  readonly operation: 'get' | 'post';
  readonly calls: number;
}

export interface Caller {
  /** The version of Node that it runs in. */
  readonly version: string;
  /** CPU time a call, in microseconds. */
  measure(what: Measure): Promise<number>;
  stop(): Promise<void>;
}

interface Ready {
  readonly version: string;
  readonly answers: readonly unknown[];
}

/** A process with one client in it, which gave both answers of the service before it is measured. */
export async function startCaller(
  input: object,
  node: number,
  expected: readonly unknown[],
): Promise<Caller> {
  const { ready, process, stop } = await startProgram<Ready>('client', { node, input });
  // Not by their text: zod gives fields in the order of its schema.
  if (!isDeepStrictEqual(ready.answers, JSON.parse(JSON.stringify(expected)))) {
    throw new Error(`${JSON.stringify(input)} does not give the answers that the service sent.`);
  }
  const ended = once(process, 'exit').then(() => {
    throw new Error(`${JSON.stringify(input)} ended while it was measured.`);
  });
  // Also when it is stopped at the end, where nobody waits for it.
  ended.catch(() => undefined);
  return {
    version: ready.version,
    async measure(what) {
      process.send(what);
      const [microseconds] = await Promise.race([once(process, 'message'), ended]);
      return microseconds;
    },
    stop,
  };
}

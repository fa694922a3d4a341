import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { startProgram } from '../../lib/programs';

/** The message that tells a caller what to measure. */
export interface Measure {
  readonly operation: 'get' | 'post';
  readonly calls: number;
}

export interface Caller {
  /** The version of Node that it runs in. */
  readonly version: string;
  /** Returns CPU time per call, in microseconds. */
  measure(what: Measure): Promise<number>;
  stop(): Promise<void>;
}

interface Ready {
  readonly version: string;
  readonly answers: readonly unknown[];
}

/** Starts a process with one client, and checks that the client returns both answers of the service correctly. */
export async function startCaller(
  input: object,
  node: number,
  expected: readonly unknown[],
): Promise<Caller> {
  const { ready, process, stop } = await startProgram<Ready>('client', { node, input });
  // Not compared as text, because zod returns fields in the order of its schema.
  if (!isDeepStrictEqual(ready.answers, JSON.parse(JSON.stringify(expected)))) {
    throw new Error(`${JSON.stringify(input)} does not give the answers that the service sent.`);
  }
  const ended = once(process, 'exit').then(() => {
    throw new Error(`${JSON.stringify(input)} ended while it was measured.`);
  });
  // When it is stopped at the end, nobody awaits `ended`: without this, Node would report an unhandled rejection.
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

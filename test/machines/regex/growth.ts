import { PaymentsError } from 'pix-automatic-sdk';

/** A function to measure with texts of growing length. */
export interface Subject {
  readonly name: string;
  /** Make texts of about this length that are as bad as possible. */
  readonly inputs: ReadonlyArray<(length: number) => string>;
  run(input: string): unknown;
}

export interface Growth {
  readonly name: string;
  /** CPU time for the worst input at the full length, in milliseconds. */
  readonly ms: number;
  /** The factor by which the time grows for four times the input: 4 is linear, 16 is quadratic. */
  readonly factor: number;
}

/** Below this, a measurement shows only the clock and the garbage collector. */
const SHORTEST_MS = 1;

/** Measures a subject, and gives the worst results of its inputs. */
export async function measure({ name, inputs, run }: Subject, length: number): Promise<Growth> {
  let ms = 0;
  let factor = 0;
  for (const input of inputs) {
    // Over two steps of four times, because a single step is easily disturbed.
    const first = Math.max(await fastest(run, input(length / 16)), SHORTEST_MS);
    const last = await fastest(run, input(length));
    ms = Math.max(ms, last);
    factor = Math.max(factor, Math.sqrt(last / first));
  }
  return { name, ms, factor };
}

async function fastest(run: (input: string) => unknown, input: string): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 5 && (turn < 2 || best < 200); turn += 1) {
    const started = cpuMs();
    try {
      await run(input);
    } catch (error) {
      // A refusal takes time too, so it counts. Any other error, such as a stack overflow, is a finding.
      if (!(error instanceof PaymentsError)) throw error;
    }
    best = Math.min(best, cpuMs() - started);
  }
  return best;
}

/** CPU time of this process. On a busy machine, clock time would also measure other processes. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

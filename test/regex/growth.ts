import { PaymentsError } from 'pix-automatic-sdk';

/** Something that is given texts of growing length. */
export interface Subject {
  readonly name: string;
  /** Texts of about this length that are as bad as can be. */
  readonly inputs: ReadonlyArray<(length: number) => string>;
  run(input: string): unknown;
}

export interface Growth {
  readonly name: string;
  /** For the worst input at the full length, in milliseconds. */
  readonly ms: number;
  /** How many times as long it takes for four times the input: 4 is linear, 16 is quadratic. */
  readonly factor: number;
}

/** Below this, the clock and the collector of garbage are what is measured. */
const SHORTEST_MS = 1;

/** The worst of a subject's inputs. */
export async function measure({ name, inputs, run }: Subject, length: number): Promise<Growth> {
  let ms = 0;
  let factor = 0;
  for (const input of inputs) {
    // Over two steps, because one is easily disturbed.
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
      // A refusal takes its time, too; a full stack is none.
      if (!(error instanceof PaymentsError)) throw error;
    }
    best = Math.min(best, cpuMs() - started);
  }
  return best;
}

/** Of this process alone: on a busy machine the clock measures the others, and how long garbage waits for a thread. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

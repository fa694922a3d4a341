import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The lines that a listener process writes to its own file. Written lines survive its kill. */
export type LogLine =
  /** A callback begins. `claimAsked` is when the process asked for the claim, so its lease began no earlier. */
  | {
      readonly type: 'begin';
      readonly run: number;
      readonly subject: string;
      readonly state: string;
      readonly fence: number;
      readonly handledStates: readonly string[];
      readonly claimAsked: number;
      readonly at: number;
    }
  /** A callback has returned. */
  | { readonly type: 'end'; readonly run: number; readonly at: number }
  /** The store has answered whether the callback’s success is recorded. */
  | { readonly type: 'recorded'; readonly run: number; readonly recorded: boolean; readonly at: number }
  /** The process kills itself, at a point of the schedule. */
  | { readonly type: 'killed'; readonly point: CrashPoint; readonly at: number }
  /** The handler sent a report. */
  | {
      readonly type: 'report';
      readonly code: string;
      readonly key?: string | undefined;
      readonly at: number;
    };

/** The points at which a listener can be told to kill itself. */
export type CrashPoint =
  | 'before claim'
  | 'after claim'
  | 'in callback'
  | 'after callback'
  | 'after completion';

export const CRASH_POINTS: readonly CrashPoint[] = [
  'before claim',
  'after claim',
  'in callback',
  'after callback',
  'after completion',
];

/** Milliseconds of the machine's steady clock, which all processes share. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

export class LogWriter {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  write(line: LogLine): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

export function readLog(path: string): LogLine[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // The kill cut off the text after the last line break.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as LogLine);
}

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** What a listener process writes to a file of its own, line by line: what it has written survives its kill. */
export type LogLine =
  /** A callback begins. `claimAsked` is when the process asked for the claim: its lease began no sooner. */
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
  /** A callback has done all it has to do. */
  | { readonly type: 'end'; readonly run: number; readonly at: number }
  /** The store has answered whether the callback's success is recorded. */
  | { readonly type: 'recorded'; readonly run: number; readonly recorded: boolean; readonly at: number }
  /** The process kills itself, at a point of the schedule. */
  | { readonly type: 'killed'; readonly point: CrashPoint; readonly at: number }
  /** The handler reported something. */
  | {
      readonly type: 'report';
      readonly code: string;
      readonly key?: string | undefined;
      readonly at: number;
    };

/** Where a listener can be told to die. */
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
  // What follows the last line break was cut off by the kill.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as LogLine);
}

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Processor time that a process has used so far, user and system, in microseconds; `NaN` if it cannot be seen. */
export function cpuOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  // The process name may contain spaces. After it, the 12th and 13th fields are user and system time in ticks.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) / ticksASecond()) * 1e6;
}

let ticks: number | undefined;

function ticksASecond(): number {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return ticks;
}

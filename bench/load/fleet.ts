import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Credentials } from 'pix-automatic-sdk/webhooks';
import { cpuOf } from '../lib/cpu';

/** The input of `programs/load-listener.ts`. */
export interface LoadListener {
  readonly databaseUrl: string;
  /** `plain`: the row is written outside the transaction of its notification, as the planted fault. */
  readonly store: 'transactional' | 'plain';
  /** How long a callback waits after it has written, as for another service. */
  readonly workMs: number;
  readonly credentials: readonly Credentials[];
}

/** How a listener is started. */
export interface Command {
  readonly command: readonly string[];
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** One place in the dispatcher's round. Its process is replaced when it ends. */
interface Place {
  port: number | undefined;
  child: ChildProcess;
}

/** The processes of the listener, and the dispatcher in front of them, which gives each request to the next one. */
export class Fleet {
  readonly #start: Command;
  readonly #places: Place[] = [];
  readonly #startCpu = new Map<number, number>();
  readonly #cpu = new Map<number, number>();
  #turn = 0;
  #isClosed = false;
  readonly restarts = { SIGKILL: 0, SIGTERM: 0 };

  constructor(start: Command) {
    this.#start = start;
  }

  async open(processes: number): Promise<void> {
    // Not all at once: while a process loads, it takes a whole core.
    for (let index = 0; index < processes; index += 2) {
      const pair = [index, index + 1].filter((each) => each < processes);
      await Promise.all(pair.map((each) => this.#fill(each)));
    }
  }

  /** The port of the next process, also of one that is ending or has just died. */
  next(): number | undefined {
    this.#turn += 1;
    return this.#places[this.#turn % this.#places.length]?.port;
  }

  /** Ends a process and starts another one in its place. Resolves when that one listens. */
  async restart(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const place = this.#places[index];
    if (place === undefined || this.#isClosed) return;
    this.restarts[signal] += 1;
    this.measure();
    place.child.kill(signal);
    await this.#fill(index);
  }

  /** Processor time of all processes since they listened, in microseconds. Call it often: the dead cannot be asked. */
  measure(): number {
    for (const { child } of this.#places) {
      const now = cpuOf(child.pid ?? 0);
      if (child.pid !== undefined && !Number.isNaN(now)) this.#cpu.set(child.pid, now);
    }
    let sum = 0;
    for (const [pid, start] of this.#startCpu) sum += (this.#cpu.get(pid) ?? start) - start;
    return sum;
  }

  /** From the start of a process until it listened, in microseconds of processor time: the mean of all. */
  get startUp(): number {
    const all = [...this.#startCpu.values()];
    return all.reduce((sum, each) => sum + each, 0) / all.length;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      this.#places.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }),
    );
  }

  async #fill(index: number): Promise<void> {
    const { command, cwd, env } = this.#start;
    const [program = process.execPath, ...args] = command;
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const before = this.#places[index];
    const port = await new Promise<number>((resolve, reject) => {
      let printed = '';
      child.stdout.on('data', (chunk) => {
        if (printed === 'seen') return;
        printed += chunk;
        const [, found] = /http:\/\/localhost:(\d+)/.exec(printed) ?? [];
        if (found === undefined) return;
        printed = 'seen';
        resolve(Number(found));
      });
      child.once('exit', (code) => reject(new Error(`A listener ended with ${code}.\n${printed}`)));
      child.once('error', reject);
    });
    if (child.pid !== undefined) this.#startCpu.set(child.pid, cpuOf(child.pid));
    // A process that got SIGTERM still answers what it has taken. It is killed if that takes it too long.
    if (before !== undefined) setTimeout(() => before.child.kill('SIGKILL'), 30_000).unref();
    this.#places[index] = { port, child };
    if (this.#isClosed) child.kill('SIGKILL');
  }
}

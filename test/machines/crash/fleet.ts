import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ListenerConfig, type LogLine, now } from './config';

/** One listener process, from its start to its end. */
export interface Incarnation {
  readonly lines: readonly LogLine[];
  /** The earliest time of its kill. Its callbacks ended then. */
  readonly killedAt: number;
}

interface Running {
  readonly child: ChildProcess;
  readonly logFile: string;
  readonly ended: Promise<void>;
  /** Its port while it takes deliveries. */
  port: number | undefined;
  killedAt: number | undefined;
}

/** Three listener processes that share a store. A killed one is replaced at once. */
export class Fleet {
  readonly #config: Omit<ListenerConfig, 'logFile'>;
  readonly #directory: string;
  readonly #execPath: string;
  readonly #slots: Running[] = [];
  readonly #all: Running[] = [];
  #isStopping = false;

  /** @param directory - of the bundle `listener.mjs`, and of the logs */
  constructor(config: Omit<ListenerConfig, 'logFile'>, directory: string, execPath = process.execPath) {
    this.#config = config;
    this.#directory = directory;
    this.#execPath = execPath;
  }

  async start(): Promise<void> {
    for (const slot of [0, 1, 2]) this.#launch(slot);
    while (this.#slots.some(({ port }) => port === undefined)) {
      if (this.#all.some(({ child }) => child.exitCode !== null))
        throw new Error('A listener did not start.');
      await sleep(10);
    }
  }

  /** The URL of the slot's listener, or of the next one that takes deliveries, as a load balancer finds it. */
  async urlOf(slot: number): Promise<string> {
    for (; ; await sleep(20)) {
      for (const step of [0, 1, 2]) {
        const port = this.#slots[(slot + step) % 3]?.port;
        if (port !== undefined) return `http://127.0.0.1:${port}/webhooks`;
      }
    }
  }

  /** Whether one can be killed while another takes deliveries: six of them without a listener would prove nothing. */
  get hasSpare(): boolean {
    return this.#slots.filter(({ port }) => port !== undefined).length > 1;
  }

  /** Kills the slot's listener, whatever it is doing. */
  kill(slot: number): void {
    const running = this.#slots[slot % 3];
    if (running?.port !== undefined && this.hasSpare) this.#kill(running);
  }

  /** Kills the running listeners, and returns all that ever ran. */
  async stop(): Promise<Incarnation[]> {
    this.#isStopping = true;
    for (const running of this.#slots) this.#kill(running);
    await Promise.all(this.#all.map(({ ended }) => ended));
    return this.#all.map(({ logFile, killedAt }) => {
      // The kill may have cut off the text after the last line break.
      const texts = existsSync(logFile) ? readFileSync(logFile, 'utf8').split('\n').slice(0, -1) : [];
      const lines = texts.map((line) => JSON.parse(line) as LogLine);
      const ownKill = lines.find(({ type }) => type === 'killed')?.at;
      const endedAt = ownKill ?? killedAt;
      if (endedAt === undefined) throw new Error('A listener died without being killed.');
      return { lines, killedAt: endedAt };
    });
  }

  #kill(running: Running): void {
    running.port = undefined;
    running.killedAt ??= now();
    running.child.kill('SIGKILL');
  }

  #launch(slot: number): void {
    const logFile = join(this.#directory, `${this.#config.run}-${this.#all.length}.jsonl`);
    const child = fork(join(this.#directory, 'listener.mjs'), {
      execPath: this.#execPath,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: { ...process.env, CRASH_CONFIG: JSON.stringify({ ...this.#config, logFile }) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let isReady = false;
    const ended = new Promise<void>((resolve) => {
      child.on('exit', () => {
        running.port = undefined;
        // A listener that cannot even start would be restarted for ever.
        if (isReady && !this.#isStopping) this.#launch(slot);
        resolve();
      });
    });
    const running: Running = { child, logFile, ended, port: undefined, killedAt: undefined };
    child.on('message', (port: number) => {
      running.port = port;
      isReady = true;
    });
    this.#slots[slot] = running;
    this.#all.push(running);
  }
}

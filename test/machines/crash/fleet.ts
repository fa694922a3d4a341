import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import type { ListenerConfig } from './config';
import type { Interval } from './judge';
import { type LogLine, now, readLog } from './log';

/** One listener process, from its start to its end. */
export interface Incarnation {
  readonly lines: readonly LogLine[];
  /** The earliest time of its kill; `Infinity` if it was not killed. Its callbacks ended then. */
  readonly killedAt: number;
  /** The times when a signal had stopped it. */
  readonly pauses: readonly Interval[];
  readonly stderr: string;
  /** Whether it ended without being killed. */
  readonly diedByItself: boolean;
}

interface Running {
  readonly child: ChildProcess;
  readonly logFile: string;
  /** Its port while it takes deliveries. */
  port: number | undefined;
  ready: boolean;
  stderr: string;
  killedAt: number | undefined;
  readonly pauses: Interval[];
  readonly ended: Promise<void>;
}

/**
 * Bundles the listener, because the test starts hundreds of processes, and each would take half a second from source.
 */
export async function buildListener(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, 'listener.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['pg-native', 'node:sqlite'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

interface FleetSettings {
  /** The folder for the listeners’ logs. */
  readonly directory: string;
  /** The file that `buildListener` wrote. */
  readonly bundle: string;
  readonly execPath: string;
}

/** Listener processes that share a store. A killed one is replaced at once. */
export class Fleet {
  readonly #config: Omit<ListenerConfig, 'logFile'>;
  readonly #directory: string;
  readonly #bundle: string;
  readonly #execPath: string;
  readonly #slots: Running[] = [];
  readonly #all: Running[] = [];
  #stopping = false;

  constructor(config: Omit<ListenerConfig, 'logFile'>, { directory, bundle, execPath }: FleetSettings) {
    this.#config = config;
    this.#directory = directory;
    this.#bundle = bundle;
    this.#execPath = execPath;
  }

  async start(size: number): Promise<void> {
    mkdirSync(this.#directory, { recursive: true });
    for (let slot = 0; slot < size; slot += 1) this.#launch(slot);
    while (this.#slots.some(({ port }) => port === undefined)) {
      const dead = this.#all.find(({ child }) => child.exitCode !== null);
      if (dead !== undefined) throw new Error(`A listener did not start:\n${dead.stderr}`);
      await sleep(10);
    }
  }

  /**
   * The URL of a listener that can take a delivery: the slot’s, or the next one’s. Waits for one, as a load balancer
   * does, so that a slow machine only slows the test down.
   */
  async urlOf(slot: number, deadline: number): Promise<string | undefined> {
    for (; now() < deadline; await sleep(20)) {
      for (let step = 0; step < this.#slots.length; step += 1) {
        const running = this.#slots[(slot + step) % this.#slots.length];
        if (running?.port !== undefined) return `http://127.0.0.1:${running.port}/webhooks`;
      }
    }
    return undefined;
  }

  /**
   * Whether one listener can be killed while another still takes deliveries. Where processes start slowly, fewer are
   * killed, because six deliveries without a listener would prove nothing about the store.
   */
  get hasSpare(): boolean {
    return this.#slots.filter(({ port }) => port !== undefined).length > 1;
  }

  /** Kills the slot's listener, whatever it is doing. */
  kill(slot: number): void {
    const running = this.#slots[slot % this.#slots.length];
    if (running?.port === undefined || !this.hasSpare) return;
    this.#kill(running);
  }

  /** Stops the slot’s listener for `ms`, like a suspended machine: it keeps its connections and its port. */
  async pause(slot: number, ms: number): Promise<void> {
    const running = this.#slots[slot % this.#slots.length];
    if (running?.port === undefined) return;
    const from = now();
    running.child.kill('SIGSTOP');
    await sleep(ms);
    running.child.kill('SIGCONT');
    running.pauses.push({ from, to: now() });
  }

  /** Kills the running listeners, and returns all that ever ran. */
  async stop(): Promise<Incarnation[]> {
    this.#stopping = true;
    for (const running of this.#slots) this.#kill(running);
    await Promise.all(this.#all.map(({ ended }) => ended));
    return this.#all.map(({ logFile, killedAt, pauses, stderr }) => {
      const lines = existsSync(logFile) ? readLog(logFile) : [];
      const ownKill = lines.find((line) => line.type === 'killed')?.at;
      return {
        lines,
        killedAt: Math.min(ownKill ?? Number.POSITIVE_INFINITY, killedAt ?? Number.POSITIVE_INFINITY),
        pauses,
        stderr,
        diedByItself: ownKill === undefined && killedAt === undefined,
      };
    });
  }

  #kill(running: Running): void {
    if (running.child.exitCode !== null || running.child.signalCode !== null) return;
    running.port = undefined;
    running.killedAt ??= now();
    running.child.kill('SIGKILL');
  }

  #launch(slot: number): void {
    const logFile = join(this.#directory, `${slot}-${this.#all.length}.jsonl`);
    const config: ListenerConfig = { ...this.#config, logFile };
    const child = fork(this.#bundle, {
      execPath: this.#execPath,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: { ...process.env, CRASH_CONFIG: JSON.stringify(config) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const ended = new Promise<void>((resolve) => {
      child.on('exit', () => {
        running.port = undefined;
        // A listener that cannot even start would be restarted for ever.
        if (running.ready && !this.#stopping) this.#launch(slot);
        resolve();
      });
    });
    const running: Running = {
      child,
      logFile,
      port: undefined,
      ready: false,
      stderr: '',
      killedAt: undefined,
      pauses: [],
      ended,
    };
    child.on('message', (port: number) => {
      running.port = port;
      running.ready = true;
    });
    child.stderr?.on('data', (chunk) => {
      running.stderr += chunk;
    });
    this.#slots[slot] = running;
    this.#all.push(running);
  }
}

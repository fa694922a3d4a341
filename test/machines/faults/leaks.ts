import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** The timers that one call starts, kept apart from those of other calls, because cells run at the same time. */
export class Watch {
  readonly timers = new Map<number, NodeJS.Timeout>();

  constructor(readonly random: number) {}

  /** How many timers would keep the process alive. The platform's pool also has timers that would not. */
  async timersLeft(): Promise<number> {
    // Node reports the end of a timer a moment later.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return [...this.timers.values()].filter((timer) => timer.hasRef()).length;
  }
}

const current = new AsyncLocalStorage<Watch>();

/** Runs a function, and watches the timers that it starts. */
export function watched<T>(watch: Watch, run: () => T): T {
  return current.run(watch, run);
}

const owners = new Map<number, Watch>();

createHook({
  init(id, type, _, resource) {
    const watch = type === 'Timeout' ? current.getStore() : undefined;
    if (watch === undefined) return;
    owners.set(id, watch);
    watch.timers.set(id, resource as NodeJS.Timeout);
  },
  destroy(id) {
    owners.get(id)?.timers.delete(id);
    owners.delete(id);
  },
}).enable();

// Back-off is a random fraction of a growing limit. Each row says which fraction.
const random = Math.random;
Math.random = () => current.getStore()?.random ?? random();

/** Records what the process must not do in any cell. */
export class ProcessWatch {
  readonly problems: string[] = [];
  readonly #before = count(process.getActiveResourcesInfo());

  constructor() {
    process.on('unhandledRejection', (reason) =>
      this.problems.push(`unhandled rejection: ${String(reason)}`),
    );
    process.on('uncaughtException', (error) => this.problems.push(`uncaught exception: ${error.stack}`));
    process.on('warning', (warning) => this.problems.push(`process warning: ${warning.message}`));
  }

  /** What keeps the process alive and did not before, when everything is closed. */
  async resourcesLeft(withinMs: number): Promise<string[]> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      // This function's own timer does not count, because it has fired by now.
      const left = [...count(process.getActiveResourcesInfo())]
        .filter(([type, number]) => number > (this.#before.get(type) ?? 0))
        .map(([type, number]) => `${number - (this.#before.get(type) ?? 0)} ${type}`);
      if (left.length === 0 || performance.now() > deadline) return left;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function count(types: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

import type { SandboxClient } from '../sandbox-client';

/** What a run gets that must leave no trace. */
export interface Traces {
  /** How many armed faults were set aside. */
  readonly setAside: number;
  /** Keeps an interrupted run from ending in the middle of this. */
  hold(making: Promise<unknown>): void;
}

/** In place of `Infinity`, which JSON does not have. */
const EVERY_CALL = 1_000_000_000;

/**
 * Sets the sandbox's armed faults aside while `work` runs, and arms them again afterwards: they would meet the calls that
 * create the sales, or those of a listener that confirms. An interrupted run (SIGINT, SIGTERM) does so too.
 */
export async function withoutTrace<Result>(
  sandbox: SandboxClient | undefined,
  work: (traces: Traces) => Promise<Result>,
): Promise<Result> {
  if (sandbox === undefined) return work({ setAside: 0, hold: () => undefined });
  const faults = await sandbox.faults();
  if (faults.length > 0) await sandbox.call('DELETE', '/sandbox/faults');
  const underWay = new Set<Promise<unknown>>();
  const restore = async () => {
    await Promise.all(underWay);
    const armed = (await sandbox.faults()).filter(({ fault }) => fault.transactionUUID !== undefined);
    // The journeys of this run are hidden. Somebody else may have armed a fault meanwhile.
    const listed = armed.length === 0 ? [] : (await sandbox.transactions()).map(({ uuid }) => uuid);
    for (const { id, fault } of armed)
      if (!listed.includes(fault.transactionUUID ?? ''))
        await sandbox.call('DELETE', '/sandbox/faults', { id });
    for (const { operation, fault, left } of faults) {
      const times = left ?? EVERY_CALL;
      await sandbox.call('POST', '/sandbox/faults', { operation, fault: { ...fault, times } });
    }
  };
  const ends = { SIGINT: 130, SIGTERM: 143 } as const;
  const onSignal = (signal: NodeJS.Signals) =>
    void restore().finally(() => process.exit(ends[signal as keyof typeof ends]));
  // A second signal ends at once.
  for (const signal of Object.keys(ends)) process.once(signal, onSignal);
  try {
    return await work({
      setAside: faults.length,
      hold(making) {
        underWay.add(making);
        void making.finally(() => underWay.delete(making));
      },
    });
  } finally {
    for (const signal of Object.keys(ends)) process.off(signal, onSignal);
    await restore();
  }
}

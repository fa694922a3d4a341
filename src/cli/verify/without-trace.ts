import type { SandboxClient } from '../sandbox-client';

/** Does something that must be whole before an interrupted run ends. Once a run is interrupted, it begins no more. */
export type Hold = <Result>(act: () => Promise<Result>) => Promise<Result>;

/** In place of `Infinity`, which JSON does not have. */
const EVERY_CALL = 1_000_000_000;

const ends = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Sets the sandbox's armed faults aside while `work` runs, and arms them again afterwards: they would meet the calls that
 * create the sales, or those of a listener that confirms. An interrupted run (SIGINT, SIGTERM) does so too.
 *
 * @param work - gets how many faults were set aside
 */
export async function withoutTrace<Result>(
  sandbox: SandboxClient | undefined,
  work: (setAside: number, hold?: Hold) => Promise<Result>,
): Promise<Result> {
  if (sandbox === undefined) return work(0);
  const faults = await sandbox.faults();
  const underWay = new Set<Promise<unknown>>();
  let restored: Promise<void> | undefined;
  const hold: Hold = (act) => {
    if (restored !== undefined) return new Promise(() => undefined);
    const acting = act();
    underWay.add(acting);
    return acting.finally(() => underWay.delete(acting));
  };
  const rearm = async () => {
    await Promise.allSettled(underWay);
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
  const restore = () => {
    restored ??= rearm();
    return restored;
  };
  const onSignal = (signal: NodeJS.Signals) =>
    void restore().finally(() => process.exit(ends[signal as keyof typeof ends]));
  // A second signal ends at once.
  for (const signal of Object.keys(ends)) process.once(signal, onSignal);
  try {
    if (faults.length > 0) await sandbox.call('DELETE', '/sandbox/faults');
    return await work(faults.length, hold);
  } finally {
    await restore();
    for (const signal of Object.keys(ends)) process.off(signal, onSignal);
  }
}

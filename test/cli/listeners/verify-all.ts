import { startSandbox } from 'pix-automatic-sdk/sandbox';
import type { CheckResult } from '../../../src/cli/verify/check';
import { inParallel } from './in-parallel';
import type { TestListener } from './listen';
import { pair } from './merchant';
import { verifyListener } from './verify-listener';

/** What is to be started and verified. */
interface Startable {
  readonly asksService?: boolean;
  readonly limitMs?: number;
  start(service: string): Promise<TestListener>;
}

/** A run mostly waits for things that do not come, so many run at a time. */
const AT_A_TIME = 20;

/** Verifies every listener. @returns what each got, or throws what its run threw */
export async function verifyAll<Listener extends Startable>(
  listeners: readonly Listener[],
): Promise<(listener: Listener) => CheckResult[]> {
  const results = await inParallel(AT_A_TIME, listeners, verifyOne);
  return (listener) => {
    const result = results.get(listener);
    if (result?.status !== 'fulfilled') throw result?.reason;
    return result.value;
  };
}

async function verifyOne({ asksService, limitMs, start }: Startable): Promise<CheckResult[]> {
  if (!asksService) return verifyListener(await start(''), { limitMs });
  // Each listener has its own sandbox, because a check lets the sandbox answer with errors for a while.
  const sandbox = await startSandbox({ credentials: pair });
  try {
    return await verifyListener(await start(sandbox.url), { limitMs, sandbox: sandbox.url });
  } finally {
    await sandbox.close();
  }
}

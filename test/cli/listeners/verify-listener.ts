import { SandboxClient } from '../../../src/cli/sandbox-client';
import type { CheckResult } from '../../../src/cli/verify/check';
import { Effects } from '../../../src/cli/verify/effects';
import { runChecklist } from '../../../src/cli/verify/run-checklist';
import type { TestListener } from './listen';
import { pair } from './merchant';

interface Options {
  readonly limitMs?: number | undefined;
  /** URL of a sandbox, for real sales. */
  readonly sandbox?: string | undefined;
  /** URL at which a POST creates an order. */
  readonly shop?: string | undefined;
  /** `false` runs the checklist without the count of actions. */
  readonly countsEffects?: boolean;
}

/** Runs the checklist in this process, with the count of the listener’s actions. */
export function verifyListener(
  { url, effects }: Pick<TestListener, 'url' | 'effects'>,
  { limitMs = 5_000, sandbox, shop, countsEffects = true }: Options = {},
): Promise<CheckResult[]> {
  return runChecklist({
    url,
    credentials: pair,
    limitMs,
    effects: countsEffects ? new Effects(new URL(effects), 150) : undefined,
    sandbox: sandbox === undefined ? undefined : new SandboxClient(sandbox, pair),
    shop: shop === undefined ? undefined : new URL(shop),
  });
}

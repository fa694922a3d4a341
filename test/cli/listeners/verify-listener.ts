import { PaymentsClient } from 'pix-automatic-sdk';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { SandboxClient } from '../../../src/cli/sandbox-client';
import type { CheckResult } from '../../../src/cli/verify/check';
import { Effects } from '../../../src/cli/verify/effects';
import { runChecklist } from '../../../src/cli/verify/run-checklist';
import type { TestListener } from './listen';
import { type Parts, pair, startMerchant } from './merchant';

/** A listener to verify. */
export interface Listener {
  /** Completes "A listener that …". */
  readonly does: string;
  /** Whether it asks the service, so that verify needs `--sandbox`. */
  readonly asksService?: true;
  /** The longest time for a response, in milliseconds. Default: 5 000. */
  readonly limitMs?: number;
  /** The parts of a listener written by hand that are not those of the right one. */
  readonly merchant?: Parts;
  /** Starts a listener that is not written by hand. */
  start?(client: PaymentsClient, service: string): Promise<TestListener>;
}

/** A listener with a mistake, and how verify must report it. */
export interface WrongListener extends Listener {
  /** The ids of exactly the checks that must fail. The first one names the mistake. */
  readonly fails: readonly string[];
  /** What the advice must say. */
  readonly advice: RegExp;
}

/** How verify must report a mistake: the ids of the checks that fail, the one that names it first, and the advice. */
export function reports(fails: string, advice: RegExp) {
  return { fails: fails.split(', '), advice };
}

/** Listeners by what each does wrong, which verify reports alike. */
export function accused(
  verdict: Omit<WrongListener, 'does' | 'merchant' | 'start'>,
  mistakes: Readonly<Record<string, Parts>>,
): WrongListener[] {
  return Object.entries(mistakes).map(([does, merchant]) => ({ does, merchant, ...verdict }));
}

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

/** Starts a listener, whose client asks the service at this URL. */
export function startListener(
  { merchant = {}, start }: Listener,
  service = 'http://127.0.0.1:9',
): Promise<TestListener> {
  const client = new PaymentsClient({ baseUrl: service, ...pair, maxRetries: 0 });
  return start === undefined ? startMerchant(merchant, client) : start(client, service);
}

/** A run mostly waits for things that do not come, so many run at a time. */
const AT_A_TIME = 20;

/** Verifies every listener. @returns what each got, or throws what its run threw */
export async function verifyAll<One extends Listener>(
  listeners: readonly One[],
): Promise<(listener: One) => CheckResult[]> {
  const results = new Map<One, PromiseSettledResult<CheckResult[]>>();
  const waiting = [...listeners];
  const worker = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const [result] = await Promise.allSettled([verifyOne(one)]);
      results.set(one, result);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return (listener) => {
    const result = results.get(listener);
    if (result?.status !== 'fulfilled') throw result?.reason;
    return result.value;
  };
}

async function verifyOne(listener: Listener): Promise<CheckResult[]> {
  const { asksService, limitMs } = listener;
  // Each listener has its own sandbox, because a check lets the sandbox answer with errors for a while.
  const sandbox = asksService && (await startSandbox({ credentials: pair }));
  try {
    const started = await startListener(listener, sandbox?.url);
    return await verifyListener(started, { limitMs, sandbox: sandbox?.url });
  } finally {
    await sandbox?.close();
  }
}

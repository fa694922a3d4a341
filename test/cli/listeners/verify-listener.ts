import { PaymentsClient } from 'pix-automatic-sdk';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { SandboxClient } from '../../../src/cli/sandbox-client';
import { Effects } from '../../../src/cli/verify/effects';
import type { StepId } from '../../../src/cli/verify/hints';
import { type Report, runVerify, type VerifyOptions } from '../../../src/cli/verify/run';
import { scaled } from '../../helpers/scaled';
import type { TestListener } from './listen';
import { type Parts, pair, startMerchant } from './merchant';

/** A listener to verify. */
export interface Listener {
  /** Completes "A listener that …". */
  readonly does: string;
  /** Whether it asks the service, so that verify needs `--sandbox`. */
  readonly asksService?: true;
  /** The longest time for a response, in milliseconds. Default: 5 000 on an idle machine. */
  readonly limitMs?: number;
  /** The kinds that it books. Default: those that it is seen to book. */
  readonly kinds?: readonly string[];
  /** The parts of a listener written by hand that are not those of the right one. */
  readonly merchant?: Parts;
  /** Starts a listener that is not written by hand. */
  start?(client: PaymentsClient, service: string): Promise<TestListener>;
}

/** A listener with a mistake. */
export interface WrongListener extends Listener {
  /** The step that is about its mistake: the first that fails. */
  readonly step: StepId;
  /** Words of that step's hint that name its mistake. */
  readonly cause: string;
  /** The same, of each later step that fails in another way and so has a hint of its own. */
  readonly laterCauses?: Causes;
}

type Causes = Readonly<Partial<Record<StepId, string>>>;

/** Listeners by what each does wrong, which this step is about, and its hint names in these words. */
export function accused(
  step: StepId,
  cause: string,
  mistakes: Readonly<Record<string, Parts>>,
  laterCauses: Causes = {},
): WrongListener[] {
  return Object.entries(mistakes).map(([does, merchant]) => ({ does, step, cause, laterCauses, merchant }));
}

interface Options extends Partial<Pick<VerifyOptions, 'kinds' | 'restart'>> {
  readonly limitMs?: number | undefined;
  /** URL of a sandbox, for real sales. */
  readonly sandbox?: string | undefined;
  /** URL at which a POST creates an order. */
  readonly shop?: string | undefined;
  /** `false` runs the script without `--effects`. */
  readonly hasEffects?: boolean;
}

/** Runs the script in this process. */
export function verifyListener(
  { url, effects }: Pick<TestListener, 'url' | 'effects'>,
  { limitMs = scaled(5_000), sandbox, shop, hasEffects = true, kinds, restart }: Options = {},
): Promise<Report> {
  return runVerify({
    url,
    credentials: pair,
    limitMs,
    effects: hasEffects ? new Effects(new URL(effects), 250) : undefined,
    sandbox: sandbox === undefined ? undefined : new SandboxClient(sandbox, pair),
    shop: shop === undefined ? undefined : new URL(shop),
    kinds,
    restart,
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

/** Starts the listener, and runs the script against it, with a sandbox if it asks the service. */
export async function startAndVerify(listener: Listener): Promise<Report> {
  const { asksService, limitMs, kinds } = listener;
  // Each listener has its own sandbox, because a step lets the sandbox answer with errors for a while.
  const sandbox = asksService && (await startSandbox({ credentials: pair }));
  try {
    const started = await startListener(listener, sandbox?.url);
    return await verifyListener(started, { limitMs, sandbox: sandbox?.url, ...(kinds ? { kinds } : {}) });
  } finally {
    await sandbox?.close();
  }
}

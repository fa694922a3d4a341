import type { Sandbox, SandboxOptions } from 'pix-automatic-sdk/sandbox';

/** Ways to make a step go wrong, to see that the demo notices: `npm run demo -- --break query`. */
interface Breakage {
  readonly options?: SandboxOptions;
  prepare?(sandbox: Sandbox): void;
}

const breakages: Readonly<Record<string, Breakage>> = {
  create: {
    prepare: (sandbox) => sandbox.fault('createRecurringCheckout', { kind: 'status', status: 502 }),
  },
  notification: {
    prepare: (sandbox) => sandbox.setWebhookUrl(undefined),
  },
  query: {
    prepare: (sandbox) => sandbox.fault('getTransaction', { kind: 'body-status', status: 999 }),
  },
  cancel: {
    prepare: (sandbox) => sandbox.fault('cancelScheduledPayment', { kind: 'status', status: 504 }),
  },
  refusal: {
    options: { inventions: { repeatedCancellation: 'success' } },
  },
};

/** The breakage that the command line asks for; none without `--break`. */
export function chosenBreakage(args: readonly string[]): Breakage {
  const flag = args.indexOf('--break');
  if (flag === -1) return {};
  const breakage = breakages[args[flag + 1] ?? ''];
  if (breakage === undefined) throw new Error(`--break takes one of ${Object.keys(breakages).join(', ')}.`);
  return breakage;
}

import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox';

/** A way to make a step go wrong, to see that the demo notices. */
export interface Breakage {
  readonly options?: SandboxOptions;
  prepare?(sandbox: Sandbox): void;
}

/** By the step that breaks: `demo --break query`. */
export const breakages: Readonly<Record<string, Breakage>> = {
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

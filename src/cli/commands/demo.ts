import { performance } from 'node:perf_hooks';
import { renderUnicodeCompact } from 'uqr';
import { PaymentsError } from '../../errors';
import { withoutPointer } from '../../errors/payments-error';
import type { Command } from '../command';
import { CliFailure } from '../failure';
import { jsonOption } from '../options';
import { paint, print, printJson } from '../output';
import { type Breakage, type DemoOutput, ExpectationError, runDemo } from '../run-demo';

/** By the step that breaks: `demo --break query`. */
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
  journal: {
    prepare(sandbox) {
      sandbox.fault('createRecurringCheckout', { kind: 'latency', ms: 0 });
      sandbox.fault('createRecurringCheckout', { kind: 'status', status: 422 });
    },
  },
};
const names = Object.keys(breakages);

export const demo: Command = {
  name: 'demo',
  summary: 'Show the whole job on this machine: create, pay, be notified, query, cancel',
  arguments: [],
  options: {
    break: { value: 'step', about: `Break a step, to see that the demo notices it: ${names.join(', ')}` },
    json: jsonOption,
  },
  examples: ['demo', 'demo --break query'],
  notes: [
    {
      title: 'Network',
      lines: ['Nothing leaves this machine: the demo starts a sandbox and a listener of its own.'],
    },
  ],
  exitCodes: ['all seven steps went as they should', 'a step did not'],
  async run({ options }) {
    const step = options.oneOf('break', names);
    const breakage = step === undefined ? {} : breakages[step];
    const started = performance.now();
    const steps: DemoStep[] = [];
    const json = options.has('json');
    try {
      await runDemo(json ? recorder(steps) : terminal, breakage);
    } catch (error) {
      if (!(error instanceof ExpectationError || error instanceof PaymentsError)) throw error;
      throw new CliFailure(1, `The demo failed: ${withoutPointer(error.message)}`);
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (json) printJson({ ok: true, steps }, 2);
    else print(`\n${paint('green', `All seven steps went as they should, in ${seconds} s.`)}`);
    return 0;
  },
};

const LABEL_WIDTH = 14;

/** A step as `--json` prints it. */
export interface DemoStep {
  readonly title: string;
  readonly lines: { readonly label: string; readonly value: string }[];
}

const terminal: DemoOutput = {
  heading(text) {
    print(`\n${paint('bold', text)}`);
  },
  line(label, value) {
    print(`   ${paint('dim', label.padEnd(LABEL_WIDTH))} ${value}`);
  },
  /**
   * Draws two rows of squares in one line of text. It draws the light squares, for a dark terminal. With colours, the
   * code is dark on light in every terminal.
   */
  picture(text) {
    print();
    for (const row of renderUnicodeCompact(text, { ecc: 'L', border: 2 }).split('\n')) {
      print(`   ${paint(['whiteBright', 'bgBlack'], row)}`);
    }
    print();
  },
};

/** Keeps the steps instead of printing them. */
function recorder(steps: DemoStep[]): DemoOutput {
  return {
    heading: (title) => steps.push({ title, lines: [] }),
    line: (label, value) => steps.at(-1)?.lines.push({ label, value }),
    picture: () => undefined,
  };
}

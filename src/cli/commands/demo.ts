import { performance } from 'node:perf_hooks';
import { PaymentsError } from '../../errors';
import { withoutPointer } from '../../errors/payments-error';
import type { Command } from '../command';
import { breakages } from '../demo/breakages';
import { runDemo } from '../demo/demo';
import { ExpectationError } from '../demo/expect';
import { type DemoStep, recorder, terminal } from '../demo/print';
import { CliFailure, usageFailure } from '../failure';
import { paint, print, printJson } from '../output';
import { jsonOption } from '../shared-options';
import { didYouMean } from '../suggest';

const names = Object.keys(breakages);

export const demo: Command = {
  name: 'demo',
  summary: 'Show the whole job on this machine: create, pay, be notified, query, cancel',
  arguments: [],
  options: {
    break: { value: 'step', about: `Break a step, to see the demo notice: ${names.join(', ')}` },
    json: jsonOption,
  },
  examples: ['demo', 'demo --break query'],
  notes: [
    {
      title: 'Network',
      lines: ['Nothing leaves this machine: the demo starts a sandbox and a listener of its own.'],
    },
  ],
  exitCodes: ['all six steps went as they should', 'a step did not'],
  async run({ options }) {
    const step = options.text('break');
    const breakage = step === undefined ? {} : Object.hasOwn(breakages, step) ? breakages[step] : undefined;
    if (breakage === undefined) {
      throw usageFailure(
        `Expected \`--break\` to be one of ${names.join(', ')}.${didYouMean(step ?? '', names)}`,
      );
    }
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
    else print(`\n${paint('green', `All six steps went as they should, in ${seconds} s.`)}`);
    return 0;
  },
};

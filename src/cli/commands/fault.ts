import { type Fault, faultEffects, faultKinds } from '../../sandbox/faults';
import { operationNames, operations } from '../../service/operations';
import { LONGEST_TIMER_MS } from '../../shared/time';
import type { Call, Command } from '../command';
import { unknownWord, usageFailure } from '../failure';
import { sandboxOptions } from '../options';
import { print, printJson } from '../output';
import { connectSandbox } from '../sandbox-client';

export const fault: Command = {
  name: 'fault',
  summary: 'Make the next calls of an operation go wrong in the running sandbox',
  arguments: [
    { name: 'operation', isRequired: false },
    { name: 'kind', isRequired: false },
  ],
  options: {
    times: { value: 'n', about: 'How many calls go wrong (default: 1)' },
    status: { value: 'n', about: 'The HTTP status of `status`, or the body status of `body-status`' },
    'takes-effect': { about: 'With `status`: the operation is still carried out' },
    ms: { value: 'n', about: 'The delay of `latency` or `close-after-answer`, in milliseconds' },
    clear: { about: 'Remove the faults that no call has met yet' },
    ...sandboxOptions,
  },
  examples: [
    'fault createRecurringCheckout status --status 504',
    'fault createRecurringCheckout status --status 429 --takes-effect',
    'fault getTransaction latency --ms 3000 --times 2',
    'fault --clear',
  ],
  notes: [
    {
      title: 'Operations',
      lines: Object.values(operations).map(({ name, purpose }) => describe(name, purpose)),
    },
    { title: 'Kinds', lines: Object.entries(faultEffects).map(([name, about]) => describe(name, about)) },
  ],
  exitCodes: ['set or removed', 'refused, or the sandbox cannot be reached'],
  async run(call) {
    const { args, options } = call;
    if (options.has('clear')) {
      if (args.length > 0) throw usageFailure('Expected `--clear` alone: it removes every fault.');
      await connectSandbox(options).call('DELETE', '/sandbox/faults');
      if (options.has('json')) printJson({ cleared: true }, 2);
      else print('All faults are removed.');
      return 0;
    }
    const order = { operation: oneOf('operation', args[0], operationNames), fault: readFault(call) };
    await connectSandbox(options).call('POST', '/sandbox/faults', order);
    if (options.has('json')) printJson(order, 2);
    else
      print(
        `${order.operation}: ${order.fault.kind}${detailText(order.fault)} on ${callsText(order.fault.times)}.`,
      );
    return 0;
  },
};

function readFault({ args, options }: Call): Fault & { times: number } {
  const kind = oneOf('kind', args[1], faultKinds);
  const times = options.integer('times', { least: 1, most: 1_000_000, otherwise: 1 });
  if (kind === 'latency') {
    return { kind, times, ms: options.integer('ms', { least: 0, most: LONGEST_TIMER_MS, otherwise: 3_000 }) };
  }
  if (kind === 'status') {
    const status = options.integer('status', { least: 200, most: 599, otherwise: 500 });
    return { kind, times, status, ...(options.has('takes-effect') && { takesEffect: true }) };
  }
  if (kind === 'close-after-answer') {
    return { kind, times, ms: options.integer('ms', { least: 0, most: LONGEST_TIMER_MS, otherwise: 5 }) };
  }
  if (kind === 'body-status') {
    const status = options.integer('status', { least: -1, most: 999, otherwise: 999 });
    if (status !== -1 && status !== 999)
      throw usageFailure('Expected `--status` of `body-status` to be -1 or 999.');
    return { kind, times, status };
  }
  return { kind, times };
}

function oneOf<Name extends string>(what: string, typed: string | undefined, known: readonly Name[]): Name {
  const name = known.find((candidate) => candidate === typed);
  if (name !== undefined) return name;
  if (typed === undefined) throw usageFailure(`Expected <${what}>: one of ${known.join(', ')}.`);
  throw unknownWord(what, typed, known);
}

function describe(name: string, about: string): string {
  return `${name.padEnd(26)}${about}`;
}

function callsText(times: number): string {
  return times === 1 ? 'the next call' : `the next ${times} calls`;
}

/** The status or the delay of the fault, if it has one. */
function detailText(fault: Fault): string {
  if ('status' in fault) {
    return fault.kind === 'status' && fault.takesEffect
      ? ` ${fault.status}, carried out,`
      : ` ${fault.status}`;
  }
  return 'ms' in fault ? ` ${fault.ms} ms` : '';
}

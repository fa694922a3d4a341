import { type Fault, faultEffects, faultKinds } from '../../sandbox/faults';
import { operationNames, operations } from '../../service/operations';
import { LONGEST_TIMER_MS } from '../../shared/time';
import { type Call, type Command, sandboxOptions, section } from '../command';
import { knownWord, usageFailure } from '../failure';
import { say, translated } from '../language';
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
  notes: () => [
    section('Operations', ...Object.values(operations).map(({ name, purpose }) => describe(name, purpose))),
    section('Kinds', ...Object.entries(faultEffects).map(([name, about]) => describe(name, about))),
  ],
  async run(call) {
    const { args, options } = call;
    if (options.has('clear')) {
      if (args.length > 0) throw usageFailure('Expected `--clear` alone: it removes every fault.');
      await connectSandbox(options).call('DELETE', '/sandbox/faults');
      return { data: { cleared: true }, text: say('All faults are removed.') };
    }
    const operation = knownWord('operation', args[0], operationNames);
    const fault = readFault(call);
    await connectSandbox(options).call('POST', '/sandbox/faults', { operation, fault });
    const { kind, times } = fault;
    const calls = times === 1 ? say('the next call') : say('the next {times} calls', { times });
    const what = `${kind}${detailText(fault)}`;
    return {
      data: { operation, fault },
      text: say('{operation}: {what} on {calls}.', { operation, what, calls }),
    };
  },
};

function readFault({ args, options }: Call): Fault & { times: number } {
  const kind = knownWord('kind', args[1], faultKinds);
  const times = options.integer('times', { least: 1, most: 1_000_000 }) ?? 1;
  const ms = options.integer('ms', { least: 0, most: LONGEST_TIMER_MS });
  switch (kind) {
    case 'latency':
      return { kind, times, ms: ms ?? 3_000 };
    case 'close-after-answer':
      return { kind, times, ms: ms ?? 5 };
    case 'status': {
      const status = options.integer('status', { least: 200, most: 599 }) ?? 500;
      return { kind, times, status, ...(options.has('takes-effect') && { takesEffect: true }) };
    }
    case 'body-status': {
      const status = options.integer('status', { least: -1, most: 999 }) ?? 999;
      if (status === -1 || status === 999) return { kind, times, status };
      throw usageFailure('Expected `--status` of `body-status` to be -1 or 999.');
    }
    default:
      return { kind, times };
  }
}

function describe(name: string, about: string): string {
  return `${name.padEnd(26)}${translated(about)}`;
}

/** The status or the delay of the fault, if it has one. */
function detailText(fault: Fault): string {
  if ('status' in fault) {
    const isCarriedOut = fault.kind === 'status' && fault.takesEffect;
    return isCarriedOut ? ` ${fault.status}, ${say('carried out,')}` : ` ${fault.status}`;
  }
  return 'ms' in fault ? ` ${fault.ms} ms` : '';
}

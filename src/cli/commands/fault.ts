import { type Fault, faultKinds } from '../../sandbox/faults';
import { operationNames } from '../../service/operations';
import { LONGEST_TIMER_MS } from '../../shared/time';
import { type Call, type Command, sandboxOptions, section } from '../command';
import { knownWord, usageFailure } from '../failure';
import { say } from '../language';
import { connectSandbox, partOf } from '../sandbox-client';
import type { TextKey } from '../texts';

export const fault: Command = {
  name: 'fault',
  summary: 'fault.summary',
  arguments: [
    { name: 'value.operation', isRequired: false },
    { name: 'value.kind', isRequired: false },
  ],
  options: {
    times: { value: 'value.n', about: 'fault.times' },
    status: { value: 'value.n', about: 'fault.status' },
    'takes-effect': { about: 'fault.takesEffect' },
    ms: { value: 'value.n', about: 'fault.ms' },
    clear: { about: 'fault.clear' },
    ...sandboxOptions,
  },
  notes: () => [
    section('fault.operations', ...operationNames.map((name) => describe(name, `operation.${name}`))),
    section('fault.kinds', ...faultKinds.map((kind) => describe(kind, `faultKind.${kind}`))),
  ],
  async run(call) {
    const { args, options } = call;
    if (options.has('clear')) {
      const [id, ...others] = args;
      if (others.length > 0 || operationNames.some((name) => name === id))
        throw usageFailure('fault.clearAlone');
      await connectSandbox(options).call('DELETE', '/sandbox/faults', id === undefined ? {} : { id });
      const text = id === undefined ? say('fault.cleared') : say('fault.clearedOne', { id });
      return { data: { cleared: id ?? true }, text };
    }
    const operation = knownWord('value.operation', args[0], operationNames);
    const fault = readFault(call);
    const armed = await connectSandbox(options).call('POST', '/sandbox/faults', { operation, fault });
    const id = partOf<string>(armed, 'id');
    const { kind, times } = fault;
    const calls = times === 1 ? say('fault.nextCall') : say('fault.nextCalls', { times });
    const what = `${kind}${detailText(fault)}`;
    return {
      data: { id, operation, fault },
      text: say('fault.armed', { operation, what, calls, id }),
    };
  },
};

function readFault({ args, options }: Call): Fault & { times: number } {
  const kind = knownWord('value.kind', args[1], faultKinds);
  const times = options.integer('times', { least: 1, most: 1_000_000 }) ?? 1;
  const ms = options.integer('ms', { least: 0, most: LONGEST_TIMER_MS });
  switch (kind) {
    case 'latency':
      return { kind, times, ms: ms ?? 3_000 };
    case 'close-after-answer':
      return { kind, times, ms: ms ?? 5 };
    case 'status': {
      const status = options.integer('status', { least: 300, most: 599 }) ?? 500;
      return { kind, times, status, ...(options.has('takes-effect') && { takesEffect: true }) };
    }
    case 'body-status': {
      const status = options.integer('status', { least: -1, most: 999 }) ?? 999;
      if (status === -1 || status === 999) return { kind, times, status };
      throw usageFailure('fault.bodyStatus');
    }
    case 'wrong-pair': {
      const status = options.integer('status', { least: 401, most: 403 }) ?? 403;
      if (status === 401 || status === 403) return { kind, times, status };
      throw usageFailure('fault.wrongPair');
    }
    default:
      return { kind, times };
  }
}

function describe(name: string, about: TextKey): string {
  return `${name.padEnd(26)}${say(about)}`;
}

/** The status or the delay of the fault, if it has one. */
function detailText(fault: Fault): string {
  if ('status' in fault) {
    const isCarriedOut = fault.kind === 'status' && fault.takesEffect;
    return isCarriedOut ? ` ${fault.status}, ${say('fault.carriedOut')}` : ` ${fault.status}`;
  }
  return 'ms' in fault ? ` ${fault.ms} ms` : '';
}

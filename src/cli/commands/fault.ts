import { type Fault, faultKinds } from '../../sandbox/faults';
import { type OperationName, operationNames } from '../../service/operations';
import { LONGEST_TIMER_MS } from '../../shared/time';
import { type Call, type Command, sandboxOptions, section } from '../command';
import { knownWord, usageFailure } from '../failure';
import { connectSandbox, partOf } from '../sandbox-client';
import { line } from '../visible';

const operations: Readonly<Record<OperationName, string>> = {
  createRecurringCheckout: 'create a journey',
  getTransaction: 'query a transaction',
  cancelScheduledPayment: 'cancel a scheduled payment',
};

const kinds: Readonly<Record<Fault['kind'], string>> = {
  latency: 'carried out at once; the response comes late',
  status: 'not carried out, but for --takes-effect; another HTTP status comes',
  'body-status': 'carried out; the body has status -1 or 999',
  'reset-before-read': 'not carried out; the connection is reset',
  'reset-after-read': 'carried out; the connection is reset',
  'stalled-body': 'carried out; half of the body comes, then nothing',
  'truncated-body': 'carried out; half of the body comes, then the connection ends',
  'wrong-json': 'carried out; the body is not JSON',
  'close-after-answer': 'carried out; right after the response, the kept connection closes',
  'wrong-pair': 'a call with wrong credentials is answered with --status 401 or 403',
};

export const fault: Command = {
  name: 'fault',
  summary: 'Make the next calls of an operation go wrong in the running sandbox',
  arguments: [
    { name: 'operation', isRequired: false },
    { name: 'kind', isRequired: false },
  ],
  options: {
    times: { value: 'n', about: 'How many calls go wrong (default: 1)' },
    status: {
      value: 'n',
      about: 'The HTTP status of `status` or `wrong-pair`, or the body status of `body-status`',
    },
    'takes-effect': { about: 'With `status`: the operation is still carried out' },
    ms: { value: 'n', about: 'The delay of `latency` or `close-after-answer`, in milliseconds' },
    clear: { about: 'Remove the faults that no call has met yet: all, or the one whose id follows' },
    ...sandboxOptions,
  },
  notes: () => [
    section('Operations', ...operationNames.map((name) => describe(name, operations[name]))),
    section('Kinds', ...faultKinds.map((kind) => describe(kind, kinds[kind]))),
  ],
  async run(call) {
    const { args, options } = call;
    if (options.has('clear')) {
      const [id, ...others] = args;
      if (others.length > 0 || operationNames.some((name) => name === id))
        throw usageFailure('Expected `--clear` alone, or with the id of one fault.');
      await connectSandbox(options).call('DELETE', '/sandbox/faults', id === undefined ? {} : { id });
      const text = id === undefined ? 'All faults are removed.' : line`The fault ${id} is removed.`;
      return { data: { cleared: id ?? true }, text };
    }
    const operation = knownWord('operation', args[0], operationNames);
    const fault = readFault(call);
    const armed = await connectSandbox(options).call('POST', '/sandbox/faults', { operation, fault });
    const id = partOf<string>(armed, 'id');
    const { kind, times } = fault;
    const calls = times === 1 ? 'the next call' : line`the next ${times} calls`;
    const what = `${kind}${detailText(fault)}`;
    return {
      data: { id, operation, fault },
      text: line`${operation}: ${what} on ${calls} (${id}).`,
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
      const status = options.integer('status', { least: 300, most: 599 }) ?? 500;
      return { kind, times, status, ...(options.has('takes-effect') && { takesEffect: true }) };
    }
    case 'body-status': {
      const status = options.integer('status', { least: -1, most: 999 }) ?? 999;
      if (status === -1 || status === 999) return { kind, times, status };
      throw usageFailure('Expected `--status` of `body-status` to be -1 or 999.');
    }
    case 'wrong-pair': {
      const status = options.integer('status', { least: 401, most: 403 }) ?? 403;
      if (status === 401 || status === 403) return { kind, times, status };
      throw usageFailure('Expected `--status` of `wrong-pair` to be 401 or 403.');
    }
    default:
      return { kind, times };
  }
}

function describe(name: string, about: string): string {
  return `${name.padEnd(26)}${about}`;
}

/** The status or the delay of the fault, if it has one. */
function detailText(fault: Fault): string {
  if ('status' in fault) {
    const isCarriedOut = fault.kind === 'status' && fault.takesEffect;
    return isCarriedOut ? ` ${fault.status}, carried out,` : ` ${fault.status}`;
  }
  return 'ms' in fault ? ` ${fault.ms} ms` : '';
}

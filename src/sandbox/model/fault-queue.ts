import { type OperationName, operationNames } from '../../service/operations';
import { LONGEST_TIMER_MS } from '../../shared/time';
import { SandboxError } from './sandbox-error';

/**
 * What goes wrong with a call. A fault applies to the next call of its operation, or to the next `times` calls. Several
 * faults of one operation apply in the order in which they were set.
 */
export type Fault = FaultKind & {
  /** How many calls it applies to; `Infinity` for all. Default 1. */
  times?: number | undefined;
};

/** The kinds of faults, each with its settings. */
export type FaultKind =
  | {
      /** The operation is carried out at once, but its answer comes late. */
      kind: 'latency';
      /** How late, in milliseconds. */
      ms: number;
    }
  | {
      /** Another HTTP status, with your own body in place of the operation's. */
      kind: 'status';
      /** The HTTP status, 200 to 599. */
      status: number;
      /** The body. Default: JSON whose `status` is -1. */
      body?: string | undefined;
      /** Headers of the answer, such as `retry-after`. Default: none. */
      headers?: Record<string, string> | undefined;
      /**
       * Whether the operation is still carried out, as when a gateway gives up waiting and answers 504 although the
       * journey was created. Default: `false`.
       */
      takesEffect?: boolean | undefined;
    }
  | {
      /** The operation is carried out; the body has a `status` that the document does not explain (section 7.2). */
      kind: 'body-status';
      /** The body's `status`. */
      status: -1 | 999;
    }
  | {
      /** The connection is reset once the headers have arrived, and nothing is carried out. */
      kind: 'reset-before-read';
    }
  | {
      /** The connection is reset once the whole request was read. */
      kind: 'reset-after-read';
      /** Whether the operation is carried out. Default: `true`. */
      takesEffect?: boolean | undefined;
    }
  | {
      /** The operation is carried out; half of the answer's body is sent, and then nothing more. */
      kind: 'stalled-body';
    }
  | {
      /** The operation is carried out; half of the answer's body is sent, and then the connection ends. */
      kind: 'truncated-body';
    }
  | {
      /** The operation is carried out; the body is not valid JSON. */
      kind: 'wrong-json';
    }
  | {
      /**
       * The operation is carried out, and its whole answer is sent with `connection: keep-alive`. Soon afterwards the
       * connection closes, so that a call which is just being sent over it is lost.
       */
      kind: 'close-after-answer';
      /** How long after the answer, in milliseconds. Default: 5. */
      ms?: number | undefined;
    };

/** What each kind of fault does to a call, for help texts. */
export const faultEffects: Readonly<Record<FaultKind['kind'], string>> = {
  latency: 'carried out at once; the response comes late',
  status: 'not carried out, but for --takes-effect; another HTTP status comes',
  'body-status': 'carried out; the body has status -1 or 999',
  'reset-before-read': 'not carried out; the connection is reset',
  'reset-after-read': 'carried out; the connection is reset',
  'stalled-body': 'carried out; half of the body comes, then nothing',
  'truncated-body': 'carried out; half of the body comes, then the connection ends',
  'wrong-json': 'carried out; the body is not JSON',
  'close-after-answer': 'carried out; right after the response, the kept connection closes',
};

/** All kinds of faults; any other is refused. */
export const faultKinds = Object.keys(faultEffects) as FaultKind['kind'][];

/** A fault that still applies to coming calls. */
export interface PendingFault {
  /** The operation. */
  readonly operation: OperationName;
  /** What goes wrong. */
  readonly fault: Fault;
  /** How many calls it still applies to; `null` for all, because JSON has no `Infinity`. */
  readonly left: number | null;
}

/** The faults that still apply to coming calls. */
export class FaultQueue {
  readonly #faults = new Map<OperationName, { fault: Fault; left: number }[]>();

  /** @throws `SandboxError` for an unknown operation or kind, or a setting out of range */
  add(operation: OperationName, fault: Fault): void {
    expectOneOf(operationNames, operation, 'operation');
    expectOneOf(faultKinds, fault?.kind, 'kind of fault');
    if (fault.kind === 'status' && !(Number.isInteger(fault.status) && isWithin(fault.status, 200, 599))) {
      throw new SandboxError('invalid', 'Expected `status` of a fault to be an HTTP status from 200 to 599.');
    }
    if ('ms' in fault && fault.ms !== undefined && !isWithin(fault.ms, 0, LONGEST_TIMER_MS)) {
      throw new SandboxError(
        'invalid',
        'Expected `ms` of a fault to be 0 or more, and no longer than a timer can wait (about 24.8 days).',
      );
    }
    if (fault.times !== undefined && !(fault.times >= 1)) {
      throw new SandboxError('invalid', 'Expected `times` of a fault to be 1 or more.');
    }
    const queue = this.#faults.get(operation) ?? [];
    queue.push({ fault, left: fault.times ?? 1 });
    this.#faults.set(operation, queue);
  }

  /** Takes the fault for this call off the queue, if there is one. */
  take(operation: OperationName): Fault | undefined {
    const queue = this.#faults.get(operation);
    const next = queue?.[0];
    if (next === undefined) return undefined;
    next.left--;
    if (next.left <= 0) queue?.shift();
    return next.fault;
  }

  /** The faults of each operation, in the order in which they apply. */
  get pending(): PendingFault[] {
    return [...this.#faults].flatMap(([operation, queue]) =>
      queue.map(({ fault, left }) => ({ operation, fault, left: Number.isFinite(left) ? left : null })),
    );
  }

  /** Removes faults: all of them, or those of one operation. */
  clear(operation?: OperationName): void {
    if (operation === undefined) {
      this.#faults.clear();
      return;
    }
    expectOneOf(operationNames, operation, 'operation');
    this.#faults.delete(operation);
  }
}

function expectOneOf(known: readonly string[], given: string, what: string): void {
  if (known.includes(given)) return;
  throw new SandboxError('invalid', `Unknown ${what} \`${given}\`. Expected one of ${known.join(', ')}.`);
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

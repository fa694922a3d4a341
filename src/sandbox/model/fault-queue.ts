import type { OperationName } from '../../errors';
import { SandboxError } from './sandbox-error';

/**
 * What goes wrong with a call. A call that comes after the fault was set meets it once, or as many `times` as said;
 * several faults of one operation come in the order they were set.
 */
export type Fault = FaultKind & {
  /** How many calls meet it; `Infinity` for all. Default 1. */
  times?: number | undefined;
};

/** The kinds of faults, each with what it can be told. */
export type FaultKind =
  | {
      /** The operation is carried out at once, and the answer comes later. */
      kind: 'latency';
      /** How much later, in milliseconds. */
      ms: number;
    }
  | {
      /** Another HTTP status, with a body of yours in place of the answer's. */
      kind: 'status';
      /** The HTTP status, 200 to 599. */
      status: number;
      /** The body. Default: JSON whose `status` is -1. */
      body?: string | undefined;
      /** Headers of the answer, such as `retry-after`. Default: none. */
      headers?: Record<string, string> | undefined;
      /**
       * Whether the operation is carried out all the same: a gateway that gave up waiting answers 504 to a journey that
       * exists. Default: `false`.
       */
      takesEffect?: boolean | undefined;
    }
  | {
      /** The document's body statuses without a meaning, in an answer that is otherwise a success (section 7.2). */
      kind: 'body-status';
      /** The body's `status`. */
      status: -1 | 999;
    }
  | {
      /** The connection is reset when the headers are there, and nothing is carried out. */
      kind: 'reset-before-read';
    }
  | {
      /** The connection is reset once the request was read and carried out. */
      kind: 'reset-after-read';
      /** Whether the operation is carried out. Default: `true`. */
      takesEffect?: boolean | undefined;
    }
  | {
      /** The operation is carried out; half of the answer's body comes, and then nothing more. */
      kind: 'stalled-body';
    }
  | {
      /** The operation is carried out; half of the answer's body comes, and then the connection ends. */
      kind: 'truncated-body';
    }
  | {
      /** The operation is carried out; the body is text that is no JSON. */
      kind: 'wrong-json';
    };

/** The faults that calls have yet to meet. */
export class FaultQueue {
  readonly #faults = new Map<OperationName, { fault: Fault; left: number }[]>();

  add(operation: OperationName, fault: Fault): void {
    if (fault.kind === 'status' && !(Number.isInteger(fault.status) && isWithin(fault.status, 200, 599))) {
      throw new SandboxError('invalid', 'Expected `status` of a fault to be an HTTP status from 200 to 599.');
    }
    if (fault.kind === 'latency' && !isWithin(fault.ms, 0, MAX_TIMER_MS)) {
      throw new SandboxError('invalid', 'Expected `ms` of a fault to be milliseconds that a timer can take.');
    }
    if (fault.times !== undefined && !(fault.times >= 1)) {
      throw new SandboxError('invalid', 'Expected `times` of a fault to be 1 or more.');
    }
    const queue = this.#faults.get(operation) ?? [];
    queue.push({ fault, left: fault.times ?? 1 });
    this.#faults.set(operation, queue);
  }

  /** The fault that this call meets. */
  take(operation: OperationName): Fault | undefined {
    const queue = this.#faults.get(operation);
    const next = queue?.[0];
    if (next === undefined) return undefined;
    next.left--;
    if (next.left <= 0) queue?.shift();
    return next.fault;
  }

  clear(): void {
    this.#faults.clear();
  }
}

/** Timers take 32 bits: a longer time would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

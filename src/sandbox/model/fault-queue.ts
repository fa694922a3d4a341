import { type OperationName, operationNames } from '../../service/operations';
import { LONGEST_TIMER_MS } from '../../shared/time';
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

/** The kinds, for the places that refuse any other. */
export const faultKinds = [
  'latency',
  'status',
  'body-status',
  'reset-before-read',
  'reset-after-read',
  'stalled-body',
  'truncated-body',
  'wrong-json',
] as const satisfies readonly Fault['kind'][];

/** A fault that some calls have yet to meet. */
export interface PendingFault {
  readonly operation: OperationName;
  readonly fault: Fault;
  /** How many calls; `null` for all, because JSON has no `Infinity`. */
  readonly left: number | null;
}

/** The faults that calls have yet to meet. */
export class FaultQueue {
  readonly #faults = new Map<OperationName, { fault: Fault; left: number }[]>();

  /** @throws `SandboxError` for a fault that no call could meet */
  add(operation: OperationName, fault: Fault): void {
    expectOneOf(operationNames, operation, 'operation');
    expectOneOf(faultKinds, fault?.kind, 'kind of fault');
    if (fault.kind === 'status' && !(Number.isInteger(fault.status) && isWithin(fault.status, 200, 599))) {
      throw new SandboxError('invalid', 'Expected `status` of a fault to be an HTTP status from 200 to 599.');
    }
    if (fault.kind === 'latency' && !isWithin(fault.ms, 0, LONGEST_TIMER_MS)) {
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

  /** The faults of each operation, in the order in which calls meet them. */
  get pending(): PendingFault[] {
    return [...this.#faults].flatMap(([operation, queue]) =>
      queue.map(({ fault, left }) => ({ operation, fault, left: Number.isFinite(left) ? left : null })),
    );
  }

  /** Takes faults back: all, or those of one operation. */
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

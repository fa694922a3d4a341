import * as z from 'zod/mini';
import { type OperationName, operationNames } from '../service/operations';
import { LONGEST_TIMER_MS, sleepOrAborted } from '../shared/time';
import { parseControl } from './controls/control-body';
import type { Inventions } from './inventions';
import { invented, type ServiceAnswer, type ServiceRequest } from './model/answers';
import { SandboxError } from './model/records';
import type { ServiceModel } from './model/service-model';
import { text } from './text';

/**
 * What goes wrong with a call. A fault applies to the next call of its operation, or to the next `times` calls. Several
 * faults of one operation apply in the order in which they were set.
 */
export type Fault = FaultKind & {
  /** How many calls it applies to; `Infinity` for all. Default 1. */
  times?: number | undefined;
  /**
   * Only for calls about this transaction: its query, or the cancellation of one of its payments. Not for
   * `createRecurringCheckout`, where there is none yet. Default: every call of the operation.
   */
  transactionUUID?: string | undefined;
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
    }
  | {
      /**
       * A call with wrong credentials is answered with this status; the row `wrongCredentials` of the inventions has the
       * default, 401. A call with the right pair is answered as ever, and does not use the fault up.
       */
      kind: 'wrong-pair';
      /** The HTTP status. */
      status: 401 | 403;
    };

const everyKind: Readonly<Record<FaultKind['kind'], true>> = {
  latency: true,
  status: true,
  'body-status': true,
  'reset-before-read': true,
  'reset-after-read': true,
  'stalled-body': true,
  'truncated-body': true,
  'wrong-json': true,
  'close-after-answer': true,
  'wrong-pair': true,
};

/** All kinds of faults; any other is refused. */
export const faultKinds = Object.keys(everyKind) as FaultKind['kind'][];

/** A fault that still applies to coming calls. */
export interface PendingFault {
  /** What `clearFaults({ id })` takes. */
  readonly id: string;
  /** The operation. */
  readonly operation: OperationName;
  /** What goes wrong. */
  readonly fault: Fault;
  /** How many calls it still applies to; `null` for all, because JSON has no `Infinity`. */
  readonly left: number | null;
}

const times = z.optional(z.number().check(z.minimum(1)));
const takesEffect = z.optional(z.boolean());
const longerThanATimer = { error: 'expected no longer than a timer can wait (about 24.8 days)' };
const ms = z.number().check(z.minimum(0), z.maximum(LONGEST_TIMER_MS, longerThanATimer));
const httpStatus = z.number().check(
  z.refine((status) => Number.isInteger(status) && status >= 200 && status <= 599, {
    error: 'expected an HTTP status, 200 to 599',
  }),
);

/** A kind of fault with its settings. */
const faultOf = <Kind extends string, Settings extends z.core.$ZodShape>(kind: Kind, settings: Settings) =>
  z.strictObject({ kind: z.literal(kind), ...settings, times, transactionUUID: z.optional(z.string()) });

export const faultSchema = z.discriminatedUnion('kind', [
  faultOf('latency', { ms }),
  faultOf('status', {
    status: httpStatus,
    body: z.optional(z.string()),
    headers: z.optional(z.record(z.string(), z.string())),
    takesEffect,
  }),
  faultOf('body-status', { status: z.literal([-1, 999]) }),
  faultOf('reset-before-read', {}),
  faultOf('reset-after-read', { takesEffect }),
  faultOf('stalled-body', {}),
  faultOf('truncated-body', {}),
  faultOf('wrong-json', {}),
  faultOf('close-after-answer', { ms: z.optional(ms) }),
  faultOf('wrong-pair', { status: z.literal([401, 403]) }),
]) satisfies z.ZodMiniType<Fault>;

const operationSchema = z.enum(operationNames);

/** Which faults are removed. */
export interface ClearedFaults {
  /** Those of one operation. */
  operation?: OperationName | undefined;
  /** One: the `id` in `pendingFaults`. */
  id?: string | undefined;
}

/** What a fault is chosen by. */
interface CallFacts {
  readonly operation: OperationName;
  readonly isAuthorized: boolean;
  /** The transaction in its path, or the one of the scheduled payment in its path. */
  readonly transactionUUID: string | undefined;
}

/** The faults that still apply to coming calls. */
export class FaultQueue {
  #pending: {
    readonly id: string;
    readonly operation: OperationName;
    readonly fault: Fault;
    left: number;
  }[] = [];
  #last = 0;

  /** @throws `SandboxError` for an unknown operation or kind, or a setting out of range */
  add(operation: OperationName, fault: Fault): PendingFault {
    const { times: left = 1, ...settings } = Object(fault) as Fault;
    // JSON has no `Infinity`, and zod takes it for no number.
    const finite = left === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : left;
    const schema = z.strictObject({ operation: operationSchema, fault: faultSchema });
    parseControl(schema, { operation, fault: { ...settings, times: finite } });
    if (operation === 'createRecurringCheckout' && fault.transactionUUID !== undefined) {
      throw new SandboxError('invalid', ...text('refused.faultBeforeTransaction'));
    }
    const pending = { id: `fault-${++this.#last}`, operation, fault, left };
    this.#pending.push(pending);
    return describePending(pending);
  }

  /** Takes the fault for this call off the queue, if there is one. */
  take(call: CallFacts): Fault | undefined {
    const next = this.#pending.find(
      ({ operation, fault: { kind, transactionUUID = call.transactionUUID } }) =>
        operation === call.operation &&
        transactionUUID === call.transactionUUID &&
        !(kind === 'wrong-pair' && call.isAuthorized),
    );
    if (next !== undefined && --next.left <= 0) this.#pending.splice(this.#pending.indexOf(next), 1);
    return next?.fault;
  }

  /** In the order in which they were set. */
  get pending(): PendingFault[] {
    return this.#pending.map(describePending);
  }

  /** @throws `SandboxError` for an unknown operation or id */
  clear({ operation, id }: ClearedFaults): void {
    if (operation !== undefined) parseControl(z.strictObject({ operation: operationSchema }), { operation });
    const kept = this.#pending.filter(
      (one) =>
        (operation !== undefined && one.operation !== operation) || (id !== undefined && one.id !== id),
    );
    if (id !== undefined && kept.length === this.#pending.length) {
      throw new SandboxError('unknown', ...text('refused.unknownFault'));
    }
    this.#pending = kept;
  }
}

function describePending(pending: Omit<PendingFault, 'left'> & { readonly left: number }): PendingFault {
  return { ...pending, left: Number.isFinite(pending.left) ? pending.left : null };
}

/** Whether the operation is carried out. */
function takesEffectWith(fault: Fault | undefined): boolean {
  if (fault?.kind === 'status') return fault.takesEffect ?? false;
  return fault?.kind !== 'reset-after-read' || (fault.takesEffect ?? true);
}

/** A placeholder: when an operation is not carried out, its fault sends another answer or none. */
const nothingDone: ServiceAnswer = { status: 500, headers: {}, body: '' };

/** The answer that is sent in place of the operation's. */
function replaced(answer: ServiceAnswer, fault: Fault | undefined, inventions: Inventions): ServiceAnswer {
  if (fault?.kind === 'wrong-pair') return { ...answer, status: fault.status };
  if (fault?.kind === 'wrong-json') return { ...answer, body: '{"status": 0, "message": success' };
  if (fault?.kind === 'body-status') {
    const row = fault.status === -1 ? 'bodyStatusMinus1' : 'bodyStatus999';
    return invented(row, inventions[row]);
  }
  if (fault?.kind !== 'status') return answer;
  const { status, headers, body = JSON.stringify({ status: -1, message: 'sandbox fault' }) } = fault;
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/** How much of a body is sent, and what then happens to the connection. */
export type Ending = 'whole' | 'stalled' | 'truncated' | { readonly closesAfterMs: number };

function endingWith(fault: Fault | undefined): Ending {
  if (fault?.kind === 'stalled-body') return 'stalled';
  if (fault?.kind === 'truncated-body') return 'truncated';
  return fault?.kind === 'close-after-answer' ? { closesAfterMs: fault.ms ?? 5 } : 'whole';
}

/** A request, from HTTP or from an msw handler, whose body is not read yet. */
export interface Call extends Omit<ServiceRequest, 'body'> {
  /** The body as text, or `undefined` when it is larger than allowed. */
  readBody(maxBytes: number): Promise<string | undefined>;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
}

/** What came of a call. */
export interface Answered {
  readonly fault: Fault['kind'] | undefined;
  readonly body: string;
  /** `undefined`: the connection is reset, or the caller went away. */
  readonly answer: ServiceAnswer | undefined;
  /** How much of the answer's body is sent. */
  readonly ending: Ending;
}

/**
 * Answers a call, faults included: the same for the HTTP server and the msw handlers.
 *
 * @param handle - answers the request once its fault lets it; the model, unless the server knows more requests
 */
export async function answerCall(
  { model, faults }: { readonly model: ServiceModel; readonly faults: FaultQueue },
  { method, path, headers, readBody, signal }: Call,
  handle: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer> = (request) =>
    model.handle(request),
): Promise<Answered> {
  // `create` makes a journey in the place of a client.
  const isCreate = method === 'POST' && path === '/sandbox/transactions';
  const operation = isCreate ? 'createRecurringCheckout' : model.operationOf({ method, path });
  const fault =
    operation &&
    faults.take({
      operation,
      isAuthorized: model.isAuthorized({ headers }),
      transactionUUID: model.journeyIn(path),
    });
  const none = { fault: fault?.kind, body: '', answer: undefined, ending: 'whole' } as const;
  if (fault?.kind === 'reset-before-read') return none;

  const body = await readBody(model.inventions.maxBodyBytes);
  if (body === undefined) {
    const answer = invented('bodyTooLarge', model.inventions.bodyTooLarge);
    return { ...none, answer: { ...answer, headers: { ...answer.headers, connection: 'close' } } };
  }
  const answer = takesEffectWith(fault) ? await handle({ method, path, headers, body }) : nothingDone;
  // The operation comes before the delay: a caller that gives up waiting must find it carried out.
  if (fault?.kind === 'latency') await sleepOrAborted(fault.ms, signal);
  if (fault?.kind === 'reset-after-read' || signal.aborted) return { ...none, body };
  return { ...none, body, answer: replaced(answer, fault, model.inventions), ending: endingWith(fault) };
}

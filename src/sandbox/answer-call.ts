import { sleep } from '../shared/time';
import { invented, type ServiceAnswer, type ServiceRequest } from './model/answers';
import type { Fault } from './model/fault-queue';
import { type Ending, nothingDone, planCall } from './model/operation-faults';
import type { Service } from './service';

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
  { model, faults }: Pick<Service, 'model' | 'faults'>,
  { method, path, headers, readBody, signal }: Call,
  handle: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer> = (request) =>
    model.handle(request),
): Promise<Answered> {
  const operation = model.operationOf({ method, path });
  const fault = operation && faults.take(operation);
  const none = { fault: fault?.kind, body: '', answer: undefined, ending: 'whole' } as const;
  if (fault?.kind === 'reset-before-read') return none;

  const body = await readBody(model.inventions.maxBodyBytes);
  if (body === undefined) {
    const answer = invented('bodyTooLarge', model.inventions.bodyTooLarge);
    return { ...none, answer: { ...answer, headers: { ...answer.headers, connection: 'close' } } };
  }
  const plan = planCall(fault, model.inventions);
  const answer = plan.takesEffect ? await handle({ method, path, headers, body }) : nothingDone;
  // The operation comes before the delay: a caller that gives up waiting must find it carried out.
  if (plan.delayMs > 0) await sleep(plan.delayMs, signal);
  if (plan.reset || signal.aborted) return { ...none, body };
  return { fault: fault?.kind, body, answer: plan.replace(answer), ending: plan.ending };
}

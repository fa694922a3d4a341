import { invented, type ServiceAnswer } from '../sandbox/model/answers';
import { type Ending, nothingDone, planCall } from '../sandbox/model/operation-faults';
import type { Service } from '../sandbox/service';
import { sleep } from '../shared/time';

/** Answers a request, faults included, as the sandbox's HTTP server does. */
export async function answerRequest(
  { model, faults }: Pick<Service, 'model' | 'faults'>,
  request: Request,
  prefix: string,
): Promise<Response> {
  const { method } = request;
  const path = new URL(request.url).pathname.slice(prefix.length);
  const operation = model.operationOf({ method, path });
  const fault = operation && faults.take(operation);
  if (fault?.kind === 'reset-before-read') return Response.error();

  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > model.inventions.maxBodyBytes) {
    return respond(invented('bodyTooLarge', model.inventions.bodyTooLarge), 'whole', request.signal);
  }
  const call = planCall(fault, model.inventions);
  const body = new TextDecoder().decode(bytes);
  const headers = Object.fromEntries(request.headers);
  const answer = call.takesEffect ? model.handle({ method, path, headers, body }) : nothingDone;
  // After the operation: a caller who gives up waiting must find it done.
  if (call.delayMs > 0) await sleep(call.delayMs, request.signal);
  return call.reset ? Response.error() : respond(call.replace(answer), call.ending, request.signal);
}

function respond({ status, headers, body }: ServiceAnswer, ending: Ending, signal: AbortSignal): Response {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const init = { status, headers: { ...headers, 'content-length': String(bytes.byteLength) } };
  // With these statuses, a `Response` refuses a body, even an empty one.
  if (status === 204 || status === 205 || status === 304) return new Response(null, init);
  return new Response(ending === 'whole' ? new Uint8Array(bytes) : half(bytes, ending, signal), init);
}

/** Half of a body, and then nothing more, or a lost connection. */
function half(bytes: Uint8Array, ending: Ending, signal: AbortSignal): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.slice(0, Math.floor(bytes.byteLength / 2)));
      if (ending === 'stalled') signal.addEventListener('abort', () => controller.error(signal.reason));
    },
    pull(controller) {
      // Fails at the second read: an error at once would discard the first half.
      if (ending === 'truncated') controller.error(new TypeError('terminated'));
    },
  });
}

import type { Ending } from '../sandbox/faults';
import { answerCall } from '../sandbox/faults';
import type { ServiceAnswer } from '../sandbox/model/answers';
import type { Service } from '../sandbox/service';

/** Answers a request of msw as the sandbox's HTTP server does. */
export async function answerRequest(
  service: Pick<Service, 'model' | 'faults'>,
  request: Request,
  prefix: string,
): Promise<Response> {
  const { method, signal } = request;
  const { answer, ending } = await answerCall(service, {
    method,
    path: new URL(request.url).pathname.slice(prefix.length),
    headers: Object.fromEntries(request.headers),
    signal,
    async readBody(maxBytes) {
      const bytes = await request.arrayBuffer();
      return bytes.byteLength > maxBytes ? undefined : new TextDecoder().decode(bytes);
    },
  });
  return answer === undefined ? Response.error() : respond(answer, ending, signal);
}

function respond({ status, headers, body }: ServiceAnswer, ending: Ending, signal: AbortSignal): Response {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const init = { status, headers: { ...headers, 'content-length': String(bytes.byteLength) } };
  // With these statuses, a `Response` refuses a body, even an empty one.
  if (status === 204 || status === 205 || status === 304) return new Response(null, init);
  // No connection closes after the answer: msw has none.
  const isHalf = ending === 'stalled' || ending === 'truncated';
  return new Response(isHalf ? half(bytes, ending, signal) : new Uint8Array(bytes), init);
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

import { Buffer } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Credentials } from '../../service/credentials';
import { sleep } from '../../shared/time';
import { journeyOfAnswer, type SandboxLogEntry } from '../log';
import { invented, type ServiceAnswer, type ServiceRequest } from '../model/answers';
import { type Ending, nothingDone, planCall } from '../model/operation-faults';
import type { CallLog } from '../page/call-log';
import type { Service } from '../service';
import { control, listCalls, needsCredentials } from './control-routes';
import { type GuardOptions, guard } from './guard';
import { isEventStream, type PageParts, servePage, serveVerify, streamState } from './page-routes';

export interface HttpServerParts extends Pick<Service, 'controls' | 'model' | 'faults'> {
  readonly url: string;
  readonly credentials: Credentials;
  readonly reach: GuardOptions;
  readonly page: PageParts;
  readonly calls: CallLog;
  readonly redact: (text: string) => string;
  readonly log: (entry: SandboxLogEntry) => void;
}

/** Starts to listen, and returns the URL. Requests are answered once `serve` has been called. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo;
  const name = wildcards[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${actualPort}`;
}

/** The addresses that the URL shows when the sandbox listens on all addresses of this machine. */
const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Answers every request: first the guard, then the faults, the page and the control calls, and last the model. */
export function serve(server: Server, parts: HttpServerParts): void {
  server.on('request', (request, response) => {
    respond(parts, request, response).catch(() => {
      // The caller went away or the sandbox closes, so nobody is left to answer; or the sandbox itself failed.
      response.destroy();
    });
  });
}

async function respond(
  parts: HttpServerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { model, faults } = parts;
  const { method = '', url: path = '', headers } = request;
  const { localAddress } = request.socket;
  // Before a fault is taken, so that the call of a foreign web page does not use it up.
  const refused = guard({ method, path, headers, localAddress }, parts.reach);
  const operation = refused === undefined ? model.operationOf({ method, path }) : undefined;
  const fault = operation && faults.take(operation);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const seen = observe(parts, { method, path, operation, fault: fault?.kind }, response);

  if (refused !== undefined) {
    sendAnswer(response, refused);
    return;
  }
  if (fault?.kind === 'reset-before-read') {
    request.socket.resetAndDestroy();
    return;
  }
  const body = await readBody(request, model.inventions.maxBodyBytes);
  if (body === undefined) {
    const answer = invented('bodyTooLarge', model.inventions.bodyTooLarge);
    sendAnswer(response, { ...answer, headers: { ...answer.headers, connection: 'close' } });
    return;
  }

  seen.request = body;
  const call = planCall(fault, model.inventions);
  const answer = call.takesEffect
    ? await carryOut(parts, { method, path, headers, body }, response)
    : nothingDone;
  if (answer === 'streamed') return;
  // The operation comes before the delay: a caller that gives up waiting must find it carried out.
  if (call.delayMs > 0) await sleep(call.delayMs, gone.signal);
  if (gone.signal.aborted) return;
  if (call.reset) {
    request.socket.resetAndDestroy();
    return;
  }
  seen.answer = call.replace(answer);
  sendAnswer(response, seen.answer, call.ending);
}

/** The first handler that knows the request answers it. */
async function carryOut(
  parts: HttpServerParts,
  request: ServiceRequest,
  response: ServerResponse,
): Promise<ServiceAnswer | 'streamed'> {
  const { model, page } = parts;
  const isAuthorized = model.isAuthorized(request) || page.token.isIn(request);
  if (isEventStream(request)) {
    if (!isAuthorized) return needsCredentials;
    streamState(response, page.state);
    return 'streamed';
  }
  return (
    servePage(request, page) ??
    listCalls(request, parts.url, parts.credentials) ??
    (await serveVerify(request, page, isAuthorized)) ??
    (await control(parts.controls, request, isAuthorized)) ??
    model.handle(request)
  );
}

/** Logs a request once it is over; the call of an operation also goes into the list of calls. */
function observe(
  { log, calls, redact }: HttpServerParts,
  call: Pick<SandboxLogEntry & { type: 'request' }, 'method' | 'path' | 'operation' | 'fault'>,
  response: ServerResponse,
): { request: string; answer: ServiceAnswer | undefined } {
  const at = Date.now();
  const started = performance.now();
  const seen = { request: '', answer: undefined as ServiceAnswer | undefined };
  response.on('close', () => {
    const entry = {
      ...call,
      path: redact(call.path.split('?')[0] ?? ''),
      status: response.headersSent ? response.statusCode : undefined,
      durationMs: Math.round(performance.now() - started),
    };
    const { operation } = call;
    const journey = operation === undefined ? {} : journeyOfAnswer(seen.answer?.body ?? '');
    log({ type: 'request', ...entry, ...journey });
    if (operation === undefined) return;
    const { answer } = seen;
    calls.add({
      ...entry,
      operation,
      at,
      request: redact(seen.request),
      answer: typeof answer?.body === 'string' ? redact(answer.body) : '',
      invention: answer?.headers['x-sandbox-invention'],
    });
  });
  return seen;
}

/** The body as text, or `undefined` when it is larger than allowed. Rejects when the caller goes away. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  // An early return must not destroy the request, because the answer is still to be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Writes an answer. `content-length` is always that of the whole body, even when only half is sent. */
function sendAnswer(response: ServerResponse, answer: ServiceAnswer, ending: Ending = 'whole'): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  if (ending === 'whole') {
    response.end(body);
    return;
  }
  const half = body.subarray(0, Math.floor(body.length / 2));
  response.write(half, () => {
    if (ending === 'truncated') response.destroy();
  });
}

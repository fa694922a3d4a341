import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { invented, type ServiceAnswer, type ServiceRequest } from '../model/answers';
import type { FaultQueue } from '../model/fault-queue';
import { planCall } from '../model/operation-faults';
import type { ServiceModel } from '../model/service-model';
import type { SandboxControls, SandboxLogEntry } from '../sandbox';
import { control } from './control-routes';
import { readBody } from './read-body';
import { sendAnswer } from './send-answer';

export interface HttpServerParts {
  readonly controls: SandboxControls;
  readonly model: ServiceModel;
  readonly faults: FaultQueue;
  readonly log: (entry: SandboxLogEntry) => void;
}

/** Listens, and gives the URL. Requests are answered once `serve` has been called. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo;
  const name = wildcards[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${actualPort}`;
}

/** Names to reach this machine by, where the sandbox listens on all of its addresses. */
const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Hands every request to the model, in front of which are the control calls and the faults. */
export function serve(server: Server, parts: HttpServerParts): void {
  server.on('request', (request, response) => {
    respond(parts, request, response).catch(() => {
      // The caller went away, or the sandbox closes: there is nobody to answer.
      response.destroy();
    });
  });
}

async function respond(
  parts: HttpServerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { controls, model, faults } = parts;
  const started = performance.now();
  const { method = '', url: path = '', headers } = request;
  const operation = model.operationOf({ method, path });
  const fault = operation && faults.take(operation);
  const gone = new AbortController();
  response.on('close', () => {
    gone.abort();
    parts.log({
      type: 'request',
      method,
      path: path.split('?')[0] ?? '',
      operation,
      status: response.headersSent ? response.statusCode : undefined,
      fault: fault?.kind,
      durationMs: Math.round(performance.now() - started),
    });
  });

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

  const call = planCall(fault, model.inventions);
  const carryOut = async (serviceRequest: ServiceRequest): Promise<ServiceAnswer> =>
    (await control(controls, serviceRequest, model.isAuthorized(serviceRequest))) ??
    model.handle(serviceRequest);
  const answer = call.takesEffect ? await carryOut({ method, path, headers, body }) : nothingDone;
  // After the operation: a caller who gives up waiting must find it done.
  if (call.delayMs > 0) await sleep(call.delayMs, undefined, { signal: gone.signal });
  if (call.reset) {
    request.socket.resetAndDestroy();
    return;
  }
  sendAnswer(response, call.replace(answer), call.ending);
}

const nothingDone: ServiceAnswer = { status: 500, headers: {}, body: '' };

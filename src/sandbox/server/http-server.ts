import { Buffer } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { OperationName } from '../../errors';
import type { Credentials } from '../../service/credentials';
import type { SandboxCore } from '../core';
import { type Answered, answerCall, type Ending } from '../faults';
import { type JourneyIdentity, journeyOfAnswer, type SandboxLogEntry } from '../log';
import type { ServiceAnswer, ServiceRequest } from '../model/answers';
import { dateTime } from '../model/records';
import {
  type CallLog,
  type ClientCall,
  doubtfulValuesOf,
  unknownFieldsOf,
  unknownValuesOf,
} from '../page/call-log';
import { control, listCalls, needsCredentials } from './control-routes';
import {
  forPage,
  isEventStream,
  type PageParts,
  servePage,
  servePageData,
  serveVerify,
  streamState,
} from './page-routes';
import { type Reach, refuseForeign } from './same-origin';

export interface HttpServerParts extends SandboxCore {
  readonly url: string;
  readonly credentials: Credentials;
  readonly reach: Reach;
  readonly page: PageParts;
  readonly calls: CallLog;
  readonly redact: (text: string) => string;
  /** Blanks the credentials in what a control call or the page gets, unless they are the default pair. */
  readonly show: <Value extends object>(value: Value) => Value;
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

/** Answers every request: first a foreign web page's, then the faults, the page and the control calls, and last the model. */
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
  const { method = '', url: path = '', headers } = request;
  const at = Date.now();
  const started = performance.now();
  const gone = new AbortController();
  let answering: Promise<Answered> | undefined;
  response.on('close', () => {
    gone.abort();
    const status = response.headersSent ? response.statusCode : undefined;
    const durationMs = Math.round(performance.now() - started);
    const operation = refused === undefined ? parts.model.operationOf({ method, path }) : undefined;
    // It settles at once, because the signal is aborted. A body that broke off leaves nothing to tell.
    Promise.resolve(answering)
      .catch(() => undefined)
      .then((answered) => note(parts, { method, path, operation, status, durationMs, at }, answered));
  });

  // Before a fault is taken, so that the call of a foreign web page does not use it up.
  const { localAddress } = request.socket;
  const refused = refuseForeign({ method, path, headers, localAddress }, parts.reach);
  if (refused !== undefined) {
    sendAnswer(response, refused);
    return;
  }
  if (isEventStream({ method, path })) {
    if (isAuthorized(parts, { path, headers })) streamState(response, parts.page);
    else sendAnswer(response, needsCredentials);
    return;
  }
  const call = {
    method,
    path,
    headers,
    signal: gone.signal,
    readBody: (maxBytes: number) => readBody(request, maxBytes),
  };
  answering = answerCall(parts, call, (whole) => carryOut(parts, whole));
  const answered = await answering;
  if (gone.signal.aborted) return;
  if (answered.answer === undefined) request.socket.resetAndDestroy();
  else sendAnswer(response, answered.answer, answered.ending);
}

function isAuthorized(
  { model, page }: HttpServerParts,
  request: Pick<ServiceRequest, 'path' | 'headers'>,
): boolean {
  return model.isAuthorized(request) || page.token.isIn(request);
}

/** The first handler that knows the request answers it. */
async function carryOut(parts: HttpServerParts, request: ServiceRequest): Promise<ServiceAnswer> {
  const { model, page } = parts;
  const authorized = isAuthorized(parts, request);
  const answer =
    servePage(request, page) ??
    listCalls(request, parts.url, parts.credentials) ??
    servePageData(request, page, authorized) ??
    (await serveVerify(request, page, authorized)) ??
    (await control(parts.controls, request, authorized, parts.show));
  if (answer === undefined) return model.handle(request);
  return page.token.isIn(request) ? forPage(answer) : answer;
}

type Ended = Pick<ClientCall, 'method' | 'path' | 'status' | 'durationMs' | 'at'> & {
  readonly operation: OperationName | undefined;
};

/**
 * Logs a request once it is over, save what the page and the lists read; the call of an operation also goes into the list
 * of calls.
 */
function note(
  { log, calls, redact, model }: HttpServerParts,
  { method, path, operation, status, durationMs, at }: Ended,
  answered: Answered | undefined,
): void {
  const answer = answered?.answer;
  const shownPath = redact(path.split('?')[0] ?? '');
  const entry = { method, path: shownPath, operation, status, fault: answered?.fault, durationMs };
  if (operation === undefined) {
    if (!isOwnRead(method, path, status))
      log({ type: 'request', ...entry, ...journeyOfControl(model, path, redact) });
    return;
  }
  const journey = journeyOfAnswer(answer?.body ?? '', redact);
  const unknownFields = unknownFieldsOf(operation, answered?.body ?? '').map((name) => redact(name));
  const unknownValues = unknownValuesOf(operation, answered?.body ?? '');
  const today = dateTime(model.state, at).slice(0, 10);
  const doubtfulValues = doubtfulValuesOf(operation, answered?.body ?? '', today);
  log({
    type: 'request',
    ...entry,
    ...journey,
    ...(unknownFields.length > 0 && { unknownFields }),
    ...(unknownValues.length > 0 && { unknownValues }),
    ...(doubtfulValues.length > 0 && { doubtfulValues }),
  });
  const id = journey.uuid ?? idIn(path);
  calls.add(
    {
      ...entry,
      operation,
      at,
      invention: answer?.headers['x-sandbox-invention'],
      journey: id === undefined ? undefined : model.journeyOf(id),
      unknownFields,
    },
    {
      request: redact(answered?.body ?? ''),
      answer: typeof answer?.body === 'string' ? redact(answer.body) : '',
    },
  );
}

/** Whether a request only looked at the page, a list or a QR code of the sandbox. A refusal is worth a line. */
function isOwnRead(method: string, path: string, status = 200): boolean {
  const [pathname = ''] = path.split('?');
  const isOwn = pathname === '/' || pathname === '/sandbox' || pathname.startsWith('/sandbox/');
  return method === 'GET' && isOwn && status < 400;
}

/** The journey that a control call names in its path. */
function journeyOfControl(
  model: SandboxCore['model'],
  path: string,
  redact: (text: string) => string,
): JourneyIdentity {
  const uuid = model.journeyOf(idIn(path) ?? '');
  const referenceCode = model.journey(uuid ?? '')?.record.referenceCode;
  return referenceCode === undefined ? {} : { uuid, referenceCode: redact(referenceCode) };
}

/** The UUID of a transaction, or the instruction id of a scheduled payment, in a path. */
function idIn(path: string): string | undefined {
  return /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(path)?.[0];
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
  const headers = { ...answer.headers, 'content-length': body.length };
  if (typeof ending === 'object') {
    const { socket } = response;
    response.writeHead(answer.status, { ...headers, connection: 'keep-alive' });
    response.end(body, () => setTimeout(() => socket?.destroy(), ending.closesAfterMs).unref());
    return;
  }
  response.writeHead(answer.status, headers);
  if (ending === 'whole') {
    response.end(body);
    return;
  }
  const half = body.subarray(0, Math.floor(body.length / 2));
  response.write(half, () => {
    if (ending === 'truncated') response.destroy();
  });
}

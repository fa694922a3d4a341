import { isBytes, isReadableStream, joinChunks } from '../shared/bytes';

/** A request without its body. A `Request` is one. */
export interface RequestHead {
  /** The HTTP method. */
  readonly method: string;
  /** The URL, or its path with the query. */
  readonly url: string;
  /** The headers. */
  readonly headers: {
    /** The value of a header, by its name in any case. */
    get(name: string): string | null;
  };
}

/**
 * A request in a plain form, for frameworks with types of their own. Headers may be a record, as `node:http` gives it;
 * the body may be text, bytes, a stream, or what a body parser made of it.
 */
export interface PlainRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The URL, or its path with the query. */
  readonly url: string;
  /** The headers; the names of a record may be in any case. */
  readonly headers: RequestHead['headers'] | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Text, bytes, a stream, or what a body parser made of it. */
  readonly body: unknown;
}

/** A response in a plain form. */
export interface PlainResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** A short text that never tells what went wrong. */
  readonly body: string;
}

/** Returns method, URL and headers in one form. A caller in JavaScript may leave fields out: a missing one is empty. */
export function headOf(request: Request | PlainRequest | null | undefined): RequestHead {
  const { method = '', url, headers }: Partial<PlainRequest> = request ?? {};
  return { method, url: url ?? '', headers: isHeaders(headers) ? headers : fromRecord(headers ?? {}) };
}

function isHeaders(headers: PlainRequest['headers'] | null | undefined): headers is RequestHead['headers'] {
  return typeof headers?.['get'] === 'function';
}

/** The names are found in any case: a record of API Gateway has them as sent, one of `node:http` in lower case. */
function fromRecord(
  record: Exclude<PlainRequest['headers'], RequestHead['headers']>,
): RequestHead['headers'] {
  return {
    get(name) {
      const key = name.toLowerCase();
      const own = Object.hasOwn(record, key)
        ? key
        : Object.keys(record).find((each) => each.toLowerCase() === key);
      const value = own === undefined ? undefined : record[own];
      if (Array.isArray(value)) return value.join(', ');
      return typeof value === 'string' ? value : null;
    },
  };
}

/** @throws a {@link BodyProblem} for a `Request` whose body was read: its stream would look empty */
export function bodyOf({ bodyUsed, body }: PlainRequest & { readonly bodyUsed?: boolean }): unknown {
  if (bodyUsed === true) throw new BodyProblem('body_already_read');
  return body;
}

/**
 * Makes an answer with its length, because without it `node:http` sends chunks, which takes longer. The text tells
 * nothing of what went wrong.
 */
export function answer(status: number): PlainResponse {
  const body = TEXTS[status] ?? 'Internal error';
  const headers = { ...TEXT_HEADERS, 'content-length': String(body.length), ...HEADERS[status] };
  return Object.freeze({ status, headers: Object.freeze(headers), body });
}

const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8' };

const TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad request',
  401: 'Unauthorized',
  405: 'Method not allowed',
  408: 'Request timeout',
  413: 'Content too large',
  503: 'Try again later',
};

const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Basic realm="notifications", charset="UTF-8"' },
  405: { allow: 'POST' },
  // The service retries after about 60 s by itself; proxies and gateways may ask sooner.
  503: { 'retry-after': '5' },
};

/** Why a body cannot be read: the code of the report, with the status to answer. */
export class BodyProblem {
  readonly status: number;

  constructor(
    readonly code: keyof typeof BODY_STATUS,
    readonly error?: unknown,
  ) {
    this.status = BODY_STATUS[code];
  }
}

const BODY_STATUS = {
  body_too_large: 413,
  body_timeout: 408,
  body_interrupted: 400,
  body_already_read: 500,
} as const;

interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/**
 * Returns the whole body: text, bytes, or an object that a parser has made; for a stream, a promise of its bytes.
 * Counts bytes as they arrive, and does not trust `Content-Length`.
 *
 * @throws a {@link BodyProblem}, or rejects with one
 */
export function readBody(body: unknown, limits: BodyLimits): unknown {
  if (isReadableStream<Uint8Array | string>(body))
    return collect((sink) => pumpWebStream(body, sink), limits);
  if (isNodeStream(body)) return collect((sink) => pumpNodeStream(body, sink), limits);
  const bytes =
    typeof body === 'string'
      ? new TextEncoder().encode(body).byteLength
      : isBytes(body)
        ? body.byteLength
        : 0;
  if (bytes > limits.maxBodyBytes) throw new BodyProblem('body_too_large');
  return body;
}

interface Sink {
  /** A chunk can be text: in a Node stream after `setEncoding`, and in some web streams. */
  write(chunk: Uint8Array | string): void;
  end(): void;
  fail(problem: BodyProblem): void;
}

/** Joins chunks until the end, a limit, or a failure. `pump` returns a function that stops it. */
function collect(
  pump: (sink: Sink) => () => void,
  { maxBodyBytes, bodyTimeoutMs }: BodyLimits,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let stop: () => void = () => undefined;
    let settled = false;
    const settle = (action: () => void) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      action();
    };
    const fail = (problem: BodyProblem) =>
      settle(() => {
        stop();
        reject(problem);
      });
    const timer = setTimeout(() => fail(new BodyProblem('body_timeout')), bodyTimeoutMs);
    stop = pump({
      write(piece) {
        const chunk = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
        bytes += chunk.byteLength;
        if (bytes > maxBodyBytes) fail(new BodyProblem('body_too_large'));
        else chunks.push(chunk);
      },
      end: () => settle(() => resolve(joinChunks(chunks))),
      fail,
    });
  });
}

function pumpWebStream(stream: ReadableStream<Uint8Array | string>, sink: Sink): () => void {
  if (stream.locked) {
    sink.fail(new BodyProblem('body_already_read'));
    return () => undefined;
  }
  const reader = stream.getReader();
  let open = true;
  const pump = async () => {
    while (open) {
      const { done, value } = await reader.read();
      if (done) return sink.end();
      sink.write(value);
    }
  };
  pump().catch((error: unknown) => sink.fail(new BodyProblem('body_interrupted', error)));
  return () => {
    open = false;
    reader.cancel().catch(() => undefined);
  };
}

/** The part of a `stream.Readable`, such as a `node:http` request, that is used here. */
interface NodeStream {
  on(event: string, listener: (value: never) => void): unknown;
  off(event: string, listener: (value: never) => void): unknown;
  resume(): unknown;
  readonly readableDidRead?: boolean;
  readonly readableEnded?: boolean;
  readonly destroyed?: boolean;
}

/** Uses events: leaving an iterator early would destroy the stream, and with it the socket for the response. */
function pumpNodeStream(stream: NodeStream, sink: Sink): () => void {
  if (isConsumed(stream)) {
    sink.fail(new BodyProblem('body_already_read'));
    return () => undefined;
  }
  const onClose = () => sink.fail(new BodyProblem('body_interrupted'));
  const onError = (error: unknown) => sink.fail(new BodyProblem('body_interrupted', error));
  stream.on('data', sink.write);
  stream.on('end', sink.end);
  stream.on('error', onError);
  stream.on('close', onClose);
  // A listener alone does not restart a stream that something has paused.
  stream.resume();
  return () => {
    stream.off('data', sink.write);
    stream.off('end', sink.end);
    stream.off('close', onClose);
    // `onError` stays: an `error` event without a listener would end the process. The rest of the body is discarded as
    // it arrives: unread, it would hold the connection open and keep the server from closing.
    stream.resume();
  };
}

/** Whether something has read from the stream, or nothing can read from it any more. */
export function isConsumed({
  readableDidRead,
  readableEnded,
  destroyed,
}: Omit<NodeStream, 'on' | 'off' | 'resume'>) {
  return readableDidRead === true || readableEnded === true || destroyed === true;
}

/** Recognizes a stream by its functions, which parsed JSON never has. */
function isNodeStream(body: unknown): body is NodeStream {
  if (typeof body !== 'object' || body === null) return false;
  const { on, off, resume }: { readonly [Name in keyof NodeStream]?: unknown } = body;
  return typeof on === 'function' && typeof off === 'function' && typeof resume === 'function';
}

/** The part of a `node:http` request that is used here. Requests of Express and NestJS fit. */
export type NodeRequest = {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The path with the query. */
  readonly url?: string | undefined;
  /** The headers, under lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Whether the whole body has arrived. */
  readonly complete?: boolean;
  /** Whether something has begun to read the body. */
  readonly readableDidRead?: boolean;
  /** Whether the body was read to its end. */
  readonly readableEnded?: boolean;
  /** 1, or 2 for HTTP/2. */
  readonly httpVersionMajor?: number;
  /** Whether the connection is gone. */
  readonly destroyed?: boolean;
};

/** The part of a `node:http` response that is used here. */
export type NodeResponse = {
  /** Whether something has answered already. */
  readonly headersSent: boolean;
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  /** Sends the body and ends the response. */
  end(body: string): unknown;
  /** Closes the connection. Called if another method has thrown, so that the service does not wait for a response. */
  destroy?(): unknown;
};

/** Recognizes a response by its functions. Workers pass an environment as second argument, and Next.js parameters. */
export function isNodeResponse(value: unknown): value is NodeResponse {
  if (typeof value !== 'object' || value === null) return false;
  const { writeHead, end }: { readonly [Name in keyof NodeResponse]?: unknown } = value;
  return typeof writeHead === 'function' && typeof end === 'function';
}

/**
 * Sends the answer. If the response throws, because something has wrapped it, the error goes to `onFailure`: an
 * unhandled rejection would end the process.
 *
 * @param request - `complete` says whether the body has arrived
 * @param onFailure - is given what the response threw
 */
export function sendTo(
  response: NodeResponse,
  request: Pick<NodeRequest, 'complete' | 'httpVersionMajor'>,
  { status, headers, body }: PlainResponse,
  onFailure: (error: unknown) => void,
): void {
  try {
    if (response.headersSent) return;
    // The rest of an unread body would be read to its end before the next request, and it may never end. HTTP/2 ends a
    // stream by itself, and has no such header.
    const closes = request.complete === false && (request.httpVersionMajor ?? 1) < 2;
    response.writeHead(status, closes ? { ...headers, connection: 'close' } : headers);
    response.end(body);
  } catch (error) {
    onFailure(error);
    try {
      // The service sees a failed delivery at once, and sends the notification again.
      response.destroy?.();
    } catch {
      // The first error of the response is already reported.
    }
  }
}

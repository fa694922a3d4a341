import { isBytes, isReadableStream, joinChunks } from '../shared/bytes';
import { isObject } from '../shared/objects';
import { jsonOf } from './key';

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
  /**
   * Whether a text is the Base64 of the body, as in events of AWS Lambda. It is decoded once the credentials are checked.
   *
   * @defaultValue false
   */
  readonly isBase64Encoded?: boolean | undefined;
}

/** A request whose response others can reach, as in Express. */
export interface SharedRequest extends PlainRequest {
  /** The status that something else has answered with; `undefined` while nothing has. */
  readonly answeredWith: () => number | undefined;
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

/** Why a body cannot be read: the code of the report, with the status to answer. */
export class BodyProblem {
  readonly status: number;
  /** What the report says, if not what it says for the code. */
  readonly message?: string;

  constructor(
    readonly code: keyof typeof BODY_STATUS,
    readonly error?: unknown,
    message?: string,
  ) {
    this.status = BODY_STATUS[code];
    if (message !== undefined) this.message = message;
  }
}

const BODY_STATUS = {
  body_too_large: 413,
  body_timeout: 408,
  body_interrupted: 400,
  body_already_read: 500,
  invalid_body: 400,
} as const;

const LEFT_EMPTY =
  'Something else has read the body and left an empty object, as a body parser does for a content type that it skips. Let ' +
  'it parse `application/json`, or mount the handler before it.';

const NOT_READABLE =
  'Reading `body` of the request threw, as on Vercel for a body that is no JSON: see `error`. Look at what parses it.';

const NODE_REQUEST =
  '`handler.handle` was called with a request of `node:http`, whose `body` is not read yet. Call the handler itself with both: ' +
  '`handler(request, response)`.';

const PROMISE = 'The `body` is a promise: `await` it, and pass what it resolves with.';

type BodySource = Pick<PlainRequest, 'body' | 'isBase64Encoded'> & { readonly bodyUsed?: boolean };

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
export function receiveBody(request: BodySource, limits: BodyLimits): unknown {
  const { bodyUsed, isBase64Encoded } = request;
  // The stream of a `Request` whose body was read would look empty.
  if (bodyUsed === true) throw new BodyProblem('body_already_read');
  const body = bodyOf(request);
  if (isReadableStream<Uint8Array | string>(body)) return collect(pumpWebStream, body, limits);
  if (isNodeStream(body)) return collect(pumpNodeStream, body, limits);
  if (body === undefined && isNodeStream(request))
    throw new BodyProblem('invalid_body', undefined, NODE_REQUEST);
  if (typeof Object(body).then === 'function') throw new BodyProblem('body_already_read', undefined, PROMISE);
  const isBase64 = isBase64Encoded === true && typeof body === 'string';
  if (exceeds(body, isBase64, limits)) throw new BodyProblem('body_too_large');
  if (isObject(body) && !isBytes(body) && Object.keys(body).length === 0) {
    throw new BodyProblem('body_already_read', undefined, LEFT_EMPTY);
  }
  return isBase64 ? bytesOf(body) : body;
}

/** Some hosts parse the body when the property is first read. */
function bodyOf(request: BodySource): unknown {
  try {
    return request.body;
  } catch (error) {
    throw new BodyProblem('invalid_body', error, NOT_READABLE);
  }
}

/** Whether a body that is there is too large, from its length alone where that is enough; of an object, its JSON text. */
function exceeds(body: unknown, isBase64: boolean, { maxBodyBytes }: BodyLimits): boolean {
  if (isBytes(body)) return body.byteLength > maxBodyBytes;
  if (typeof body === 'string' && isBase64) {
    const padding = body.endsWith('==') ? 2 : body.endsWith('=') ? 1 : 0;
    return Math.floor((body.length * 3) / 4) - padding > maxBodyBytes;
  }
  // A parser's limit is another one, and what is kept may be longer than what came: `1e20` has 21 digits.
  const text = typeof body === 'string' ? body : jsonOf(body);
  if (text === undefined) return false;
  // A character is at least a byte.
  return text.length > maxBodyBytes || new TextEncoder().encode(text).byteLength > maxBodyBytes;
}

/** Text that is no Base64 gives no body, which is answered 400 like any other. */
function bytesOf(base64: string): Uint8Array | undefined {
  try {
    const characters = atob(base64);
    const bytes = new Uint8Array(characters.length);
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = characters.charCodeAt(index);
    return bytes;
  } catch {
    return undefined;
  }
}

interface Sink {
  /** A chunk can be text: in a Node stream after `setEncoding`, and in some web streams. */
  write(chunk: Uint8Array | string): void;
  /** The body is whole, unless there is a `problem`. Only the first call counts. */
  end(problem?: BodyProblem['code'], error?: unknown): void;
}

/** Joins chunks until the end, a limit, or a failure. `pump` returns a function that stops it. */
function collect<Stream>(
  pump: (stream: Stream, sink: Sink) => () => void,
  stream: Stream,
  { maxBodyBytes, bodyTimeoutMs }: BodyLimits,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let stop: () => void = () => undefined;
    let hasEnded = false;
    const end: Sink['end'] = (problem, error) => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      if (problem === undefined) return resolve(joinChunks(chunks));
      stop();
      reject(new BodyProblem(problem, error));
    };
    const write: Sink['write'] = (piece) => {
      const chunk = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
      bytes += chunk.byteLength;
      if (bytes > maxBodyBytes) end('body_too_large');
      else chunks.push(chunk);
    };
    const timer = setTimeout(end, bodyTimeoutMs, 'body_timeout');
    stop = pump(stream, { write, end });
  });
}

function pumpWebStream(stream: ReadableStream<Uint8Array | string>, sink: Sink): () => void {
  if (stream.locked) {
    sink.end('body_already_read');
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
  pump().catch((error: unknown) => sink.end('body_interrupted', error));
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
    sink.end('body_already_read');
    return () => undefined;
  }
  const onEnd = () => sink.end();
  const onClose = () => sink.end('body_interrupted');
  const onError = (error: unknown) => sink.end('body_interrupted', error);
  stream.on('data', sink.write);
  stream.on('end', onEnd);
  stream.on('error', onError);
  stream.on('close', onClose);
  // A listener alone does not restart a stream that something has paused.
  stream.resume();
  return () => {
    stream.off('data', sink.write);
    stream.off('end', onEnd);
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

import { isReadableStream, joinChunks } from '../../shared/bytes';
import { isBytes } from '../notification/parse-notification';
import { startTimer } from './deadline';

/** What keeps a body from being read, by the code of its report. */
export class BodyProblem {
  constructor(
    readonly code: 'body_too_large' | 'body_timeout' | 'body_interrupted' | 'body_already_read',
    readonly error?: unknown,
  ) {}
}

interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/**
 * The whole body: text, bytes, or an object that a parser has made already. A promise of it, where it is a stream.
 *
 * @throws a {@link BodyProblem}, or rejects with one. `Content-Length` is not trusted: bytes are counted as they come.
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
  /** Text comes out of a Node stream that somebody has called `setEncoding` on, and out of some web streams. */
  write(chunk: Uint8Array | string): void;
  end(): void;
  fail(problem: BodyProblem): void;
}

/** Puts chunks together until the end, a limit, or a failure. `pump` gives back how to stop it. */
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
      cancelTimer();
      action();
    };
    const fail = (problem: BodyProblem) =>
      settle(() => {
        stop();
        reject(problem);
      });
    const cancelTimer = startTimer(bodyTimeoutMs, () => fail(new BodyProblem('body_timeout')));
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

/** The part of a `stream.Readable` that is used here; `node:http`'s requests are such. */
interface NodeStream {
  on(event: string, listener: (value: never) => void): unknown;
  off(event: string, listener: (value: never) => void): unknown;
  resume(): unknown;
  readonly readableDidRead?: boolean;
  readonly readableEnded?: boolean;
  readonly destroyed?: boolean;
}

/** By events: an iterator that is left early destroys the stream, and with it the socket that the answer goes out on. */
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
  // A stream that something has paused, so as to lose nothing of it, does not flow for a listener alone.
  stream.resume();
  return () => {
    stream.off('data', sink.write);
    stream.off('end', sink.end);
    stream.off('close', onClose);
    // `onError` stays: an error that nobody listens to would end the process. What is left of the body is thrown away
    // as it comes: unread, it would hold the connection, and keep the server that it belongs to from closing.
    stream.resume();
  };
}

/** Something has read from the stream, or nothing can any more. */
export function isConsumed({
  readableDidRead,
  readableEnded,
  destroyed,
}: Omit<NodeStream, 'on' | 'off' | 'resume'>) {
  return readableDidRead === true || readableEnded === true || destroyed === true;
}

/** By functions, which no parsed JSON has. */
function isNodeStream(body: unknown): body is NodeStream {
  if (typeof body !== 'object' || body === null) return false;
  const { on, off, resume }: { readonly [Name in keyof NodeStream]?: unknown } = body;
  return typeof on === 'function' && typeof off === 'function' && typeof resume === 'function';
}

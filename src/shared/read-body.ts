import { isReadableStream, joinChunks, utf8 } from './bytes';

/** The part of a response that is read here. */
interface ResponseWithBody {
  readonly body: unknown;
  text(): Promise<string>;
}

/** A body, as far as it arrived. */
export interface ReceivedBody {
  readonly text: string;
  /** Why it is incomplete: {@link TOO_LARGE}, or what reading threw. */
  readonly readError?: unknown;
}

/** The reason for ending a body that is larger than allowed. */
export const TOO_LARGE = Symbol('too large');

/** A body may fail without a reason, and must not be taken for complete. */
const NO_REASON = Symbol('no reason');

/**
 * Reads a body as UTF-8, counting its bytes as they arrive: `Content-Length` may be missing or wrong, and does not tell
 * the size after decompression. A failure while reading is returned, not thrown, together with what arrived before it:
 * the uuid of a journey may be in there.
 *
 * @param interrupted - rejects when the attempt is over; the reader of a stalled body does not notice by itself
 */
export async function readBody(
  response: ResponseWithBody,
  maxBytes: number,
  interrupted: Promise<never>,
): Promise<ReceivedBody> {
  const received: Uint8Array[] = [];
  const text = () => utf8.decode(joinChunks(received));
  let chunks: Chunks | undefined;
  try {
    chunks = chunksOf(response);
    for (let bytes = 0; ; ) {
      const { done, value } = await Promise.race([chunks.next(), interrupted]);
      if (done) return { text: text() };
      const chunk = bytesOf(value);
      received.push(chunk.subarray(0, maxBytes - bytes));
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw TOO_LARGE;
    }
  } catch (failure) {
    stop(chunks);
    return { text: text(), readError: failure ?? NO_REASON };
  }
}

interface Chunks {
  next(): Promise<{ done?: boolean | undefined; value?: unknown }>;
  stop(): unknown;
}

/** The chunks of a web stream, of an async iterable such as a Node stream, or of `text()`, which gives only one. */
function chunksOf(response: ResponseWithBody): Chunks {
  const { body } = response;
  if (isReadableStream(body)) {
    const reader = body.getReader();
    return { next: () => reader.read(), stop: () => reader.cancel() };
  }
  const iterable = isAsyncIterable(body) ? body : textOf(response);
  const iterator = iterable[Symbol.asyncIterator]();
  return { next: () => iterator.next(), stop: () => iterator.return?.() };
}

/** Never awaited: a body that stalls may never end. */
async function stop(chunks: Chunks | undefined): Promise<void> {
  try {
    await chunks?.stop();
  } catch {
    // The part of the body that was received is used all the same.
  }
}

function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  // Not `instanceof`: under Jest, the platform's arrays are of another realm.
  if (!ArrayBuffer.isView(chunk)) throw new TypeError('The body is not of bytes.');
  return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function isAsyncIterable(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

async function* textOf(response: ResponseWithBody): AsyncGenerator<string> {
  yield await response.text();
}

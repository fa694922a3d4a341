import { isReadableStream, joinChunks, utf8 } from './bytes';

/** The part of a response that is read here. */
interface ResponseWithBody {
  readonly body: unknown;
  text(): Promise<string>;
}

/** The reason for ending a body that is larger than allowed. */
export const TOO_LARGE = Symbol('too large');

/** A body may fail without a reason, and must not be taken for complete. */
const NO_REASON = Symbol('no reason');

/**
 * Reads a body as UTF-8, counting its bytes as they arrive: `Content-Length` may be missing or wrong, and does not tell
 * the size after decompression. What arrived before a failure can be used: the uuid of a journey may be in there.
 */
export class IncomingBody {
  readonly #maxBytes: number;
  readonly #received: Uint8Array[] = [];
  #chunks: Chunks | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Reads to the end. Throws {@link TOO_LARGE}, or what reading threw. */
  async read(response: ResponseWithBody): Promise<void> {
    try {
      this.#chunks = chunksOf(response);
      for (let bytes = 0; ; ) {
        const { done, value } = await this.#chunks.next();
        if (done) return;
        const chunk = bytesOf(value);
        this.#received.push(chunk.subarray(0, this.#maxBytes - bytes));
        bytes += chunk.byteLength;
        if (bytes > this.#maxBytes) throw TOO_LARGE;
      }
    } catch (failure) {
      this.stop();
      throw failure ?? NO_REASON;
    }
  }

  /** Lets everything be read that has arrived already: the end of a call may come before its last chunks are read. */
  async catchUp(): Promise<void> {
    for (let before = -1; before !== this.#received.length; ) {
      before = this.#received.length;
      for (let turn = 0; turn < 8; turn += 1) await undefined;
    }
  }

  /** As much as has arrived. */
  text(): string {
    return utf8.decode(joinChunks(this.#received));
  }

  /** Ends the body. Never waits for it: one that stalls may never end. */
  async stop(): Promise<void> {
    try {
      await this.#chunks?.stop();
    } catch {
      // The part of the body that was received is used all the same.
    }
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

import { isReadableStream, joinChunks, utf8 } from './bytes';

/** The part of a response that is read here. */
interface ResponseWithBody {
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
  text(): Promise<string>;
}

/** A body, as far as it arrived. */
export interface ReceivedBody {
  readonly text: string;
  /** Why it is incomplete: {@link TOO_LARGE}, or what reading threw. */
  readonly brokenOff?: unknown;
}

/** The reason for ending a body that is larger than allowed. */
export const TOO_LARGE = Symbol('too large');

/** A stream may fail without a reason, and must not be taken for complete. */
const NO_REASON = Symbol('no reason');

/**
 * Reads a body, counting its bytes as they arrive: `Content-Length` may be missing or wrong, and does not tell the size
 * after decompression. A failure while reading is returned, not thrown, together with what arrived before it: the uuid
 * of a journey may be in there.
 *
 * @param interrupted - rejects when the attempt is over; the reader of a stalled stream does not notice by itself
 */
export async function readBody(
  response: ResponseWithBody,
  maxBytes: number,
  interrupted: Promise<never>,
): Promise<ReceivedBody> {
  if (!isReadableStream<Uint8Array>(response.body)) return readText(response, maxBytes, interrupted);
  const decoder = decoderFor(response.headers.get('content-type'));
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), interrupted]);
      if (done) return { text: decoder.decode(joinChunks(chunks)) };
      if (!ArrayBuffer.isView(value)) throw new TypeError('The body is not of bytes.');
      chunks.push(value.subarray(0, maxBytes - bytes));
      bytes += value.byteLength;
      if (bytes > maxBytes) throw TOO_LARGE;
    }
  } catch (failure) {
    reader.cancel().catch(() => undefined);
    return { text: decoder.decode(joinChunks(chunks)), brokenOff: failure ?? NO_REASON };
  }
}

/** JSON is UTF-8 (RFC 8259), but if the service names another charset, that one is used. */
function decoderFor(contentType: string | null): typeof utf8 {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1];
  if (charset === undefined) return utf8;
  try {
    return new TextDecoder(charset);
  } catch {
    return utf8;
  }
}

/** For an implementation of `fetch` whose bodies are not web streams. */
async function readText(
  response: ResponseWithBody,
  maxBytes: number,
  interrupted: Promise<never>,
): Promise<ReceivedBody> {
  try {
    const text = await Promise.race([response.text(), interrupted]);
    // A character takes at least one byte, so this is no less than the limit allows: enough to look for a uuid.
    return isLonger(text, maxBytes) ? { text: text.slice(0, maxBytes), brokenOff: TOO_LARGE } : { text };
  } catch (failure) {
    return { text: '', brokenOff: failure ?? NO_REASON };
  }
}

/** Encodes a text only if it may be too long: a JavaScript character takes at most three bytes in UTF-8. */
function isLonger(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && new TextEncoder().encode(text).byteLength > maxBytes;
}

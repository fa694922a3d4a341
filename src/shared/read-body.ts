import { isReadableStream, joinChunks, utf8 } from './bytes';

/** The part of a response that is read here. */
interface ResponseWithBody {
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
  text(): Promise<string>;
}

/** A body, as far as it came. */
export interface ReceivedBody {
  readonly text: string;
  /** Why it is not whole: {@link TOO_LARGE}, or what reading threw. */
  readonly brokenOff?: unknown;
}

/** The end of reading a body that is larger than allowed. */
export const TOO_LARGE = Symbol('too large');

/** A stream may be ended with an error and without a reason, and must not pass for whole. */
const NO_REASON = Symbol('no reason');

/**
 * Reads a body, counting bytes as they come: `Content-Length` may be missing or wrong, and says nothing of what a
 * small compressed body becomes. Never throws. What came before a body broke off, or grew too large, is kept: the uuid
 * of a journey may be in it.
 *
 * @param interrupted - rejects when the attempt is over; readers of a stalled stream do not notice by themselves
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

/** JSON is UTF-8 (RFC 8259), and a service that says otherwise of its own is taken at its word. */
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
    // The first characters, each of which takes a byte at least, are enough to look for a uuid.
    return isLonger(text, maxBytes) ? { text: text.slice(0, maxBytes), brokenOff: TOO_LARGE } : { text };
  } catch (failure) {
    return { text: '', brokenOff: failure ?? NO_REASON };
  }
}

/** Encodes only a text that may be too long: in UTF-8 a character of JavaScript takes three bytes at most. */
function isLonger(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && new TextEncoder().encode(text).byteLength > maxBytes;
}

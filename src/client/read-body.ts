import { isReadableStream, joinChunks, utf8 } from '../bodies';
import type { FetchResponse } from './fetch';

/** A body, as far as it came. */
export interface ReceivedBody {
  readonly text: string;
  /** Why it is not whole: `'too-large'`, or what reading threw. */
  readonly failure?: unknown;
}

/** The end of reading a body that is larger than allowed. */
export const TOO_LARGE = Symbol('too large');

/** A stream may be ended with an error and without a reason, and must not pass for whole. */
const NO_REASON = Symbol('no reason');

/**
 * Reads a body, counting bytes as they come: `Content-Length` may be missing or wrong, and says nothing of what a
 * small compressed body becomes. Never throws.
 *
 * @param interrupted - rejects when the attempt is over; readers of a stalled stream do not notice by themselves
 */
export async function readBody(
  response: FetchResponse,
  maxBytes: number,
  interrupted: Promise<never>,
): Promise<ReceivedBody> {
  if (!isReadableStream<Uint8Array>(response.body)) return readText(response, maxBytes, interrupted);
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), interrupted]);
      if (done) return { text: utf8.decode(joinChunks(chunks)) };
      if (!ArrayBuffer.isView(value)) throw new TypeError('The body is not of bytes.');
      bytes += value.byteLength;
      if (bytes > maxBytes) throw TOO_LARGE;
      chunks.push(value);
    }
  } catch (failure) {
    reader.cancel().catch(() => undefined);
    return { text: utf8.decode(joinChunks(chunks)), failure: failure ?? NO_REASON };
  }
}

/** For an implementation of `fetch` whose bodies are not web streams. */
async function readText(
  response: FetchResponse,
  maxBytes: number,
  interrupted: Promise<never>,
): Promise<ReceivedBody> {
  try {
    const text = await Promise.race([response.text(), interrupted]);
    return isLonger(text, maxBytes) ? { text: '', failure: TOO_LARGE } : { text };
  } catch (failure) {
    return { text: '', failure: failure ?? NO_REASON };
  }
}

/** Encodes only a text that may be too long: in UTF-8 a character of JavaScript takes three bytes at most. */
function isLonger(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && new TextEncoder().encode(text).byteLength > maxBytes;
}

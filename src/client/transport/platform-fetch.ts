import type { Fetch } from './fetch';

// Saved before a test can replace it with a fake one, with which no call would ever begin.
const { setImmediate } = globalThis;

/**
 * The platform's `fetch`, looked up at each request, and prevented from sending a POST or PUT twice by itself.
 *
 * - The body is a stream, which can be sent only once. A text body is sent again by Node after a 421, and by Bun (PUT)
 *   and Deno (POST too) after they lost a kept-alive connection, although the service may have acted.
 * - On Node, the event loop first makes a whole turn, in which Node notices that the service has closed a kept-alive
 *   connection. Otherwise Node would send the request on that connection and lose it. The first `setImmediate` ends the
 *   turn in which the call was made, the second ends the turn after it.
 */
export const platformFetch: Fetch = async (url, { body, ...init }) => {
  if (body === undefined) return globalThis.fetch(url, init);
  if (setImmediate !== undefined) {
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  }
  const bytes = new TextEncoder().encode(body);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  // A stream without a known length is sent in chunks, which some gateways refuse.
  const headers = { ...init.headers, 'content-length': String(bytes.byteLength) };
  // `fetch` requires `duplex` for a stream, and TypeScript's types do not know it.
  const streamed: RequestInit & { duplex: 'half' } = { ...init, headers, body: stream, duplex: 'half' };
  return globalThis.fetch(url, streamed);
};

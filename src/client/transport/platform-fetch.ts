import type { Fetch } from './fetch';

// Kept from before a test replaces it by a fake one, under which no call would ever begin.
const { setImmediate } = globalThis;

/**
 * The platform's `fetch`, looked up at each request, and kept from sending a POST or PUT twice by itself.
 *
 * - Its body is a stream, which can be sent only once. Text is sent again by Node after a 421, and by Bun (PUT) and
 *   Deno (POST too) after they lost a connection that they had kept open, though the service may have acted.
 * - On Node the event loop first turns once, so that Node notices the kept connections which the service has closed
 *   meanwhile. Node would send the request on one of them, and it would be lost without a word about why.
 */
export const platformFetch: Fetch = async (url, { body, ...init }) => {
  if (body === undefined) return globalThis.fetch(url, init);
  if (setImmediate !== undefined) await new Promise<void>((resolve) => setImmediate(resolve));
  const bytes = new TextEncoder().encode(body);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  // Without its length, a stream is sent in chunks, which some gateways refuse.
  const headers = { ...init.headers, 'content-length': String(bytes.byteLength) };
  // `fetch` wants `duplex` named for a stream, and TypeScript's types do not know it.
  const streamed: RequestInit & { duplex: 'half' } = { ...init, headers, body: stream, duplex: 'half' };
  return globalThis.fetch(url, streamed);
};

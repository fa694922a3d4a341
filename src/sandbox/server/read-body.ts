import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** The body as text, or `undefined` when it is larger than allowed. Rejects when the caller goes away. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Not destroyed on return, because there is an answer to send yet.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Redis } from 'ioredis';

const TOKEN = 'bridge-token';

/**
 * Speaks Upstash's REST protocol in front of a real Redis: a command is a JSON array in a POST, the answer is
 * `{ result }` or `{ error }`; a list of commands to `/pipeline` gives a list of answers. With `Upstash-Encoding:
 * base64`, every text in a result is encoded.
 */
export async function startUpstashBridge(redis: Redis) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return send(401, { error: 'Unauthorized' });
    const sent = JSON.parse(Buffer.concat(chunks).toString());
    const isBase64 = request.headers['upstash-encoding'] === 'base64';
    const run = async ([command = '', ...values]: readonly unknown[]) => {
      try {
        const result: unknown = await redis.call(String(command), ...values.map(String));
        return { result: isBase64 ? encoded(result) : result };
      } catch (error) {
        return { error: (error as Error).message };
      }
    };
    if (request.url === '/pipeline') return send(200, await Promise.all(sent.map(run)));
    const answer = await run(sent);
    send('error' in answer ? 400 : 200, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, token: TOKEN, close: () => void server.close() };
}

function encoded(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(encoded);
  return typeof result === 'string' ? Buffer.from(result).toString('base64') : result;
}

import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Every request of every connection, head and body as they arrived. */
  readonly requests: readonly string[];
  /** How many connections were opened. */
  readonly connections: number;
}

/** Called for each request. `count` is over all connections, from 1. */
export type RawRespond = (socket: Socket, request: string, count: number) => void;

/**
 * A server that sends exactly the given bytes, for answers that no HTTP library would send: broken chunks, bodies
 * that break off, connections that end at the wrong moment. It closes at the end of the test.
 */
export async function startRawServer(respond: RawRespond): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let length = lengthOfFirstRequest(received); length > 0; length = lengthOfFirstRequest(received)) {
        const request = received.slice(0, length);
        received = received.slice(length);
        requests.push(request);
        respond(socket, request, requests.length);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
  };
}

/** An answer with the right length, as text. */
export function rawAnswer(status: string, body: string, headers: readonly string[] = []): string {
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${[...head, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

/** The length of the first request in bytes; 0 while it is incomplete. */
function lengthOfFirstRequest(received: string): number {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return 0;
  const declared = /^content-length: (\d+)/im.exec(received.slice(0, end))?.[1];
  const length = end + 4 + Number(declared ?? 0);
  return received.length >= length ? length : 0;
}

import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { FaultServer } from './fault-server';

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
  const server = new FaultServer({
    onRequest({ socket, head, body, count }) {
      const request = `${head}\r\n\r\n${body}`;
      requests.push(request);
      respond(socket, request, count);
    },
  });
  await server.listen();
  onTestFinished(() => server.kill());
  const { port } = server;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return server.connections;
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
